"""Programs that measure, label and train the shipped models. They are not in the wheel."""

import os

from lycosa.processes import ONE_THREAD

# Set before numpy is loaded: more threads change the last bits, and thus the course of a crawl that learns.
os.environ.update(ONE_THREAD)
