"""Eleven traps in a tenth of the web of research/traps.py."""

from __future__ import annotations

from research.traps import TRAPS, measure

GOOD = 400


def test_traps_cost_little_even_when_good_pages_run_out():
    """The crawl ends by itself, has nearly all good pages, and no trap took many."""
    waste = measure(GOOD, 2000)
    assert waste.ended == "nothing is left to fetch"
    assert waste.good >= 0.99 * GOOD
    assert set(waste.traps) == {*TRAPS, "mirrors"}
    assert max(waste.traps.values()) <= 100
    assert sum(waste.traps.values()) <= 200


def test_they_can_be_followed_on_purpose():
    """`scope.avoid_traps = false` turns the detection off."""
    waste = measure(40, 150, scope={"avoid_traps": False})
    assert waste.pages == 150
    assert not waste.refused
