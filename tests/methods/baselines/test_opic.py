"""OPIC: cash is split, never made."""

from __future__ import annotations

import math

from lycosa.methods.baselines.opic import Opic
from lycosa.values import Link, Merge
from tests.methods.conftest import analysed


def test_a_page_splits_its_cash_evenly(ready):
    """What its links get is what it was taken with; a URL that is offered again gets richer."""
    strategy = Opic().fit(ready)
    page = analysed(
        strategy,
        "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>",
        Link("http://a.example/", 1, priority=0.6),
    )
    shares = [decision.priority for decision in strategy.rank(page, strategy.judge(page))]
    assert len(set(shares)) == 1
    assert math.isclose(sum(shares), 0.6)
    assert strategy.merge is Merge.SUM
