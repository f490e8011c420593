"""What a browser's processes use. In: the id of the first of them. Out: how much memory they hold together."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path


def family_of(pid: int) -> list[int]:
    """A process and all that it has started, and these have; where that cannot be known, itself alone."""
    children: dict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):  # it has ended meanwhile
            continue
        children[parent].append(int(path.parent.name))
    found = [pid]
    for one in found:
        found += children[one]
    return found


def memory_of(pid: int) -> int:
    """The bytes that a process and its family hold for themselves; 0 where that cannot be known."""
    total = 0
    for one in family_of(pid):
        try:
            resident, shared = Path(f"/proc/{one}/statm").read_text().split()[1:3]
        except (OSError, ValueError):
            continue
        total += (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return total
