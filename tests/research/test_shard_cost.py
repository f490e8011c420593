"""The cost of a page by shards, from several rounds."""

from __future__ import annotations

import pytest
from research.shard_cost import DIVIDED, SHARDS_OF, Cost, Round, a_page, figures, medians, ratio


def a_round(small_s: float, large_s: float) -> Round:
    """One process needs 10 s for 1,000 pages more; shards what is said."""
    alone = Cost(200, 2, 4, 4, 0, 2, 1, 1), Cost(1200, 12, 14, 14, 0, 8, 1, 1)
    divided = (
        Cost(200, 2, 14, small_s, 4, 2, 1, 1, 9, 9, 9),
        Cost(1200, 12, 24, large_s, 4, 5, 1, 1, 9, 9, 9),
    )
    return {way: divided if way == DIVIDED else alone for way in SHARDS_OF}


def test_one_disturbed_crawl_does_not_count():
    """The median of each crawl is taken first, so no round has to be undisturbed in both sizes."""
    rounds = [a_round(13, 29), a_round(18, 24), a_round(13, 24)]
    assert [round(ratio(one), 2) for one in rounds] == [1.6, 0.6, 1.1]
    assert a_page(*medians(rounds)[DIVIDED]) == pytest.approx(11.0)
    told = figures(rounds)
    assert "1.10 times the CPU of one process (each round: 1.60, 0.60, 1.10)" in told
    assert "(200 and 1200 pages," in told


def test_speed_leaves_out_the_start():
    """Both run at 100 pages/s, and one takes three seconds longer to start; its site uses half a core."""
    alone = Cost(200, 2, 4, 4, 0, 2, 1, 1), Cost(1200, 12, 14, 14, 0, 8, 1, 1)
    divided = (
        Cost(200, 5, 14, 13, 4, 2, 1, 1, 9, 9, 9, 1.0),
        Cost(1200, 15, 24, 24, 4, 5, 1, 1, 9, 9, 9, 6.0),
    )
    costs = {way: divided if way == DIVIDED else alone for way in SHARDS_OF}
    told = figures([costs])
    assert "Two shards crawl 1.00 (each round: 1.00) times as fast" in told
    assert "| 100.0 | 1.10 | 0.50 |" in told


def test_two_rounds_give_their_mean():
    rounds = [a_round(13, 24), a_round(13, 26)]
    assert ratio(medians(rounds)) == pytest.approx(1.2)
    assert "(200 and 1200 pages," in figures(rounds)
