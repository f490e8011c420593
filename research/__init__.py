"""Programs that measure, label and train the shipped models. They are not in the wheel."""

import os

from lycosa.engine.threads import ONE_THREAD

# Before numpy is loaded: with more threads the last bits differ, and a crawl that learns takes another course.
os.environ.update(ONE_THREAD)
