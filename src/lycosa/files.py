"""Files that a user names: read whole, but never a device, a pipe, or more than memory should hold."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

MAX_BYTES = 200_000_000


def read_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file. What is no file, or too large, is an OSError like any other."""
    if size_of(path) > max_bytes:
        raise OSError(errno.EFBIG, f"larger than {max_bytes // 1_000_000} MB", str(path))
    return path.read_bytes()


def size_of(path: Path) -> int:
    """The size of a file; an OSError if it is none: devices never end, and a pipe may never begin.

    >>> size_of(Path("/dev/null"))
    Traceback (most recent call last):
    OSError: [Errno 22] a device or pipe, not a file: '/dev/null'
    """
    try:
        about = path.stat()
    except ValueError:  # a NUL in its name
        raise OSError(errno.EINVAL, "not a name that a file can have", repr(str(path))) from None
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "a device or pipe, not a file", str(path))
    return about.st_size
