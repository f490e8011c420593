"""Memory of a browser's processes."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path


def family_of(pid: int) -> list[int]:
    """Return a process and all its descendants; only itself if they are unknown."""
    children: dict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):  # it has ended
            continue
        children[parent].append(int(path.parent.name))
    found = [pid]
    for one in found:
        found += children[one]
    return found


def memory_of(pid: int) -> int:
    """Return the private bytes of a process and its descendants; 0 if unknown."""
    total = 0
    for one in family_of(pid):
        try:
            resident, shared = Path(f"/proc/{one}/statm").read_text().split()[1:3]
        except (OSError, ValueError):
            continue
        total += (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return total
