"""How many connections the machine allows. In: the spec's fetch.concurrency. Out: one that it can serve.

Sockets are open files. Where they run out, hosts would be blamed for what is this machine's limit.
"""

from __future__ import annotations

import sys

from lycosa.errors import MachineError
from lycosa.spec.sections import FetchSpec
from lycosa.values import Say

RESERVED = 48
"""Open files of everything else: catalogue, archive, workers, models, temporary files."""
PLENTY = 1024
"""With fewer, connections are not kept alive: idle ones would use them up."""
_ASKED_FOR = 65_536


def open_files() -> int:
    """How many files may be open at once, after asking for as many as this process may have."""
    if sys.platform == "win32":
        return _ASKED_FOR
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ASKED_FOR if hard == resource.RLIM_INFINITY else min(hard, _ASKED_FOR)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return _ASKED_FOR if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # some systems promise more than they give
        return soft
    return wanted


def within_open_files(spec: FetchSpec, say: Say) -> FetchSpec:
    """The same settings, with a concurrency that the machine can serve; `say` hears of a change."""
    files = open_files()
    max_concurrency = (files - RESERVED) // 2
    if spec.concurrency <= max_concurrency:
        return spec
    needed = RESERVED + 2 * spec.concurrency
    if max_concurrency < 1:
        raise MachineError(
            f"Only {files} files may be open at once, too few for a crawl. Allow more: ulimit -n {needed}"
        )
    say(
        f"Only {files} files may be open at once: {max_concurrency} requests at once instead of {spec.concurrency} "
        f"(fetch.concurrency). To allow more: ulimit -n {needed}"
    )
    return spec.model_copy(update={"concurrency": max_concurrency})
