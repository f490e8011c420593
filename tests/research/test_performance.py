"""The tables of research/performance.md are written by a program."""

from __future__ import annotations

from research.measured import with_part
from research.performance import PAGE, crawls, stages

RUN = {
    "cpu_ms_per_page": 5.0,
    "cpu_ms_all": [4.0, 5.0, 6.0],
    "pages_per_s": 100.0,
    "peak_mb": 120.4,
    "pages": [9],
}
FIGURES = {
    "runs": {
        "deferred": {**RUN, "ratios": {"scrapy": [3.0, 3.5, 2.5]}},
        "everything": {**RUN, "ratios": {"scrapy": [2.0, 2.5, 1.5]}},
        "fused": {**RUN, "above_best_first_ms": 1.25},
        "scrapy": RUN,
    },
    "stages_ms": {"best-first": {"analysis": 3.0, "store": 4.0}, "fused": {"analysis": 3.5, "store": 4.0}},
}


def test_every_crawl_of_a_run_has_its_row():
    """Medians with every round, ratios to the peers that were there, and what fused costs above best-first."""
    rows = crawls(FIGURES).splitlines()
    assert rows[2].startswith(
        "| `best-first`, text index and near duplicates later | 5.0 (4.0, 5.0, 6.0) | 120 |"
    )
    assert "3.00 × as much (3.00, 3.50, 2.50)" in rows[2]
    assert "+1.2 ms" in rows[4]
    assert "crawl4ai" not in rows[0]


def test_the_most_expensive_stage_comes_first():
    assert stages(FIGURES).splitlines()[2] == "| store | 4.00 | 4.00 |"


def test_the_notebook_has_marks_for_all_parts():
    text = PAGE.read_text(encoding="utf-8")
    for part in ("crawls", "webs", "frontier"):
        assert with_part(text, part, "figures") != text
