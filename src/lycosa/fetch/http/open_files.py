"""The limit of open files, which limits connections. Without a check, hosts would be blamed for it."""

from __future__ import annotations

import sys

from lycosa.errors import MachineError
from lycosa.spec.sections import FetchSpec
from lycosa.values import Say

RESERVED = 48
"""Open files for everything else: catalogue, archive, workers, models, temporary files."""
PLENTY = 1024
"""With fewer, connections are not kept alive: idle ones count."""
_ASKED_FOR = 65_536


def open_files() -> int:
    """Raise the limit of open files as far as allowed, and return it."""
    if sys.platform == "win32":
        return _ASKED_FOR
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ASKED_FOR if hard == resource.RLIM_INFINITY else min(hard, _ASKED_FOR)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return _ASKED_FOR if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # some systems allow less than their hard limit
        return soft
    return wanted


def within_open_files(spec: FetchSpec, say: Say) -> FetchSpec:
    """Return the settings with a concurrency that the open files allow; `say` reports a change."""
    files = open_files()
    max_concurrency = (files - RESERVED) // 2
    if spec.concurrency <= max_concurrency:
        return spec
    needed = RESERVED + 2 * spec.concurrency
    if max_concurrency < 1:
        raise MachineError(
            f"The limit of {files} open files is too low for a crawl. Raise it: ulimit -n {needed}"
        )
    say(
        f"The limit of {files} open files allows {max_concurrency} requests in flight instead of {spec.concurrency} "
        f"(fetch.concurrency). Raise it: ulimit -n {needed}"
    )
    return spec.model_copy(update={"concurrency": max_concurrency})
