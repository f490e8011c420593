"""The tables of research/performance.md are written by a program."""

from __future__ import annotations

from research.measured import with_part
from research.performance import PAGE


def test_the_notebook_has_marks_for_all_parts():
    text = PAGE.read_text(encoding="utf-8")
    for part in ("crawls", "webs", "frontier"):
        assert with_part(text, part, "figures") != text
