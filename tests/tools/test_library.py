"""The program that measures the library runs, on a collection too small to say anything."""

from __future__ import annotations

from tools.library import make_collection, measure


def test_every_view_of_a_made_up_collection_is_measured(tmp_path):
    """Each view has its milliseconds, and all pages are exported."""
    make_collection(tmp_path / "large", 200)

    figures = measure(tmp_path / "large")

    assert {name.partition(",")[0] for name in figures} == {
        "search",
        "Explore",
        "timeline",
        "map",
        "JSONL",
    }
    assert all(figure >= 0 for figure in figures.values())
