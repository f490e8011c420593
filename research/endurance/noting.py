"""Write figures into research/endurance.md.

Command line: none, the programs of endurance use it.
Expected time: none.
"""

from __future__ import annotations

from research.measured import NOTEBOOKS, ROOT, commit_of, write_part


def write_note(part: str, figures: str, *, said: str = "", whole: str = "") -> None:
    """Write figures with their commit. `whole` says what a complete run is, if this was a part."""
    rest = f" A part of the whole: `research/endurance/{part}.py` {whole}." if whole else ""
    write_part(NOTEBOOKS / "endurance.md", part, f"{figures}\n\n{said}Commit {commit_of(ROOT)}.{rest}")
