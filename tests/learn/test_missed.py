"""What a crawl missed, and its recall: from probabilities, and from how the yield of the crawl declines."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.learn.figures import Figures
from lycosa.learn.fitting.crawl_fitter import Said
from lycosa.learn.judges.calibration import Estimate
from lycosa.learn.judges.doubt import described
from lycosa.learn.judges.missed import MIN_PAGES
from tests.learn.test_crawl_fitter import crawl, fitter_of

__all__ = ["crawl"]  # a fixture

LIKELY, BELOW, HARDLY = 4.0, -1.0, -8.0


def estimate(*quarters: int, below: int = 0, deviation: float = 1.05) -> Estimate:
    """The estimate of a crawl whose quarters, of 50 pages each, brought these numbers of likely pages."""
    logits = np.full(50 * len(quarters), HARDLY)
    for at, number in enumerate(quarters):
        logits[50 * at : 50 * at + number] = LIKELY
    logits[49 : 49 - below : -1] = BELOW
    told = described(logits, np.zeros(len(logits), np.bool_), deviation, None)[1]
    return msgspec.structs.replace(told, pages=len(logits))


def test_a_crawl_that_still_finds_has_more_ahead_than_one_that_ran_dry():
    """Both have found as many."""
    going, dry = (Figures.of(estimate(*found)) for found in ((10, 10, 10, 10), (25, 15, 0, 0)))
    assert going.missed is not None
    assert dry.missed is not None
    assert going.missed > 30
    assert dry.missed < 5
    assert going.recall is not None
    assert dry.recall is not None
    assert going.recall < 0.6 < 0.9 < dry.recall


def test_pages_below_the_threshold_count_by_their_probability():
    """20 pages with a probability of 0.27; answers, which reduce the deviation, make the interval narrower."""
    nothing, some = Figures.of(estimate(40, 0, 0, 0)), Figures.of(estimate(25, 0, 0, 0, below=20))
    answered = Figures.of(estimate(25, 0, 0, 0, below=20, deviation=0.5))
    assert nothing.missed is not None
    assert nothing.missed < 1
    assert some.missed == answered.missed == pytest.approx(20 * 0.269, abs=0.3)
    assert (
        (some.missed_low or 0)
        < (answered.missed_low or 0)
        < (answered.missed_high or 0)
        < (some.missed_high or 0)
    )


def test_where_nothing_waits_nothing_is_ahead():
    told = estimate(10, 10, 10, 10)
    assert Figures.of(told, waiting=0).missed == pytest.approx(0, abs=1)
    assert Figures.of(told, waiting=1) == Figures.of(told), "it may lead to any number of others"


@given(st.lists(st.floats(0, 1), max_size=300), st.integers(0, 3000), st.floats(0.1, 1.5))
def test_the_figures_are_there_together_and_in_their_intervals(probability, waiting, deviation):
    """Absent, not zero, where the judge cannot tell or has seen too few pages."""
    chance = np.clip(np.array(probability), 1e-9, 1 - 1e-9)
    logits = np.log(chance / (1 - chance))
    told = described(logits, np.zeros(len(logits), np.bool_), deviation, None)[1]
    figures = Figures.of(msgspec.structs.replace(told, pages=len(logits)), waiting)
    values = [getattr(figures, name + end) for name in ("missed", "recall") for end in ("_low", "", "_high")]
    can_tell = len(logits) >= MIN_PAGES and not told.unsure
    assert [value is not None for value in values] == [can_tell] * 6
    assert ("missed" in str(figures)) == ("recall" in str(figures)) == can_tell
    if can_tell:
        assert 0 <= values[0] <= values[1] <= values[2]
        assert 0 <= values[3] <= values[4] <= values[5] <= 1


def test_a_sample_of_a_large_crawl_tells_what_was_fetched_last(crawl, monkeypatch):
    """A crawl of 3,000 pages: those about owls come first, or at the end. The sample is read in another order."""
    monkeypatch.setattr("lycosa.learn.fitting.sampling.MAX_PAGES", 500)
    owls, others = (
        [page for page in crawl if (page.id % 20 == 0) is yes][:number]
        for yes, number in ((True, 150), (False, 2850))
    )
    ahead = []
    for pages in (owls + others, others + owls):
        numbered = [msgspec.structs.replace(page, id=at) for at, page in enumerate(pages, 1)]
        missed = fitter_of(numbered).fit(Said(), 1).version.estimate.missed
        assert missed
        ahead.append(missed.ahead.value)
    assert ahead[0] < 10 < 150 < ahead[1]
