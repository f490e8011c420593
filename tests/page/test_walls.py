"""Walls are told from honest pages that look like them."""

from __future__ import annotations

import pytest
from research.walls import SAMPLES, sample, told

GOOD_ENOUGH = 0.95


@pytest.mark.parametrize("name", SAMPLES.values())
def test_walls_are_told_from_pages_like_them(name: str):
    found = sample(name)
    walls = [bool(told(one)) for one in found["wall"]]
    left_alone = [not told(one) for one in found["page"]]

    assert sum(walls) / len(walls) >= GOOD_ENOUGH
    assert sum(left_alone) / len(left_alone) >= GOOD_ENOUGH


@pytest.mark.parametrize("name", SAMPLES.values())
def test_the_kind_of_wall_is_told(name: str):
    right = [told(one) == one["kind"] for one in sample(name)["wall"]]

    assert sum(right) / len(right) >= 0.85
