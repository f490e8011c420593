"""The program that measures the library runs, on a tiny collection."""

from __future__ import annotations

from research.library import VIEWS, make_collection, measure, told


def test_every_view_of_a_made_up_collection_is_measured(tmp_path):
    """Each view answers with a page and has a row with its milliseconds and its goal."""
    make_collection(tmp_path / "large", 200)

    found = measure(tmp_path / "large", runs=1)

    assert set(VIEWS) < set(found)
    assert all(took.clock > 0 for took in found.values())
    row = next(line for line in told(found, 200).splitlines() if line.startswith("| a click: place |"))
    assert row.endswith("| 200 |")
