"""Programs of the repository, not of the wheel: they measure, label and make the shipped models."""

import os

from lycosa.processes import ONE_THREAD

# Before numpy is loaded: with more threads the last bits differ, and a crawl that learns takes another course.
os.environ.update(ONE_THREAD)
