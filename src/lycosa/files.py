"""Files, whole. Those that a user names are read, but never a device, a pipe, or more than memory should hold; those that a
collection needs are written so that neither a crash nor a power cut leaves a half of them.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import zstandard

MAX_BYTES = 200_000_000
NO_FILE = "a device or pipe, not a file"


def read_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file. What is no file, or too large, is an OSError like any other."""
    size_of(path)
    # It may be replaced by a pipe, or grow, after the look at it.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, NO_FILE, str(path))
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"larger than {max_bytes // 1_000_000} MB", str(path))
    return content


def unpack_zstd(data: bytes, max_bytes: int = MAX_BYTES) -> bytes:
    """Return what Zstandard packed. ZstdError if it is more than `max_bytes`.

    zstandard ignores its own `max_output_size` if the data name their size.
    """
    if zstandard.frame_content_size(data) > max_bytes:
        raise zstandard.ZstdError(f"it unpacks to more than {max_bytes // 1_000_000} MB")
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=max_bytes)


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
        raise OSError(errno.EINVAL, NO_FILE, str(path))
    return about.st_size


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: whatever happens, even to the power, the old file or the new one is there."""
    draft = path.with_name(f"{path.name}.draft")
    draft.unlink(missing_ok=True)  # it may be a link to somewhere else
    with draft.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())  # else the new name may be on the disk before the content is
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def cache_directory() -> Path:
    """The folder for caches, such as parsed webs: LYCOSA_CACHE, or the user's cache folder."""
    if named := os.environ.get("LYCOSA_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lycosa"
