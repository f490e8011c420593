"""Limits: when a crawl ends by itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from lycosa.engine.rules.limits import Limits, Tally
from lycosa.fetch.polite.turns import MAX_BACKOFF_S
from lycosa.learn.figures import Figures
from lycosa.spec.sections import LATEST, FetchSpec, LimitsSpec


def done(pages: int = 0, size: int = 0, seconds: float = 0.0) -> Any:
    return SimpleNamespace(pages=pages, bytes=size, seconds=seconds)


def test_limits_come_from_the_spec():
    """Pages, bytes and hours are the spec's; a wait as long as our own longest back-off is borne."""
    limits = Limits.of(
        LimitsSpec(pages=5, bytes=6, hours=7), FetchSpec(concurrency=3, max_retry_after_s=9000)
    )
    assert limits == Limits(3, 5, 6, 7.0, 9000.0)
    assert Limits.of(LimitsSpec(), FetchSpec(max_retry_after_s=0)).patience_s >= MAX_BACKOFF_S


@pytest.mark.parametrize(
    ("limits", "before", "after", "word"),
    [
        (Limits(pages=10), done(9), done(10), "limits.pages = 10"),
        (Limits(bytes=100), done(size=99), done(size=100), "limits.bytes = 100"),
        (Limits(hours=0.5), done(seconds=1799), done(seconds=1800), "limits.hours = 0.5"),
    ],
)
def test_the_limit_that_was_reached_is_named(limits, before, after, word):
    """Exactly at the limit, not before it, and in the words of the spec."""
    assert limits.reached(before) == ""
    assert word in limits.reached(after)


def test_a_crawl_that_brings_too_little_ends():
    """With enough pages to look back on, as many relevant ones as asked for keep it going."""
    limits, tally = Limits.of(LimitsSpec(until="3 in 10"), FetchSpec()), Tally()
    for number in range(9):
        tally.count(number, relevant=False)
    assert limits.reached(tally) == ""
    for number in range(9, 12):
        tally.count(number, relevant=True)
    assert limits.reached(tally) == ""
    for number in range(12, 20):
        tally.count(number, relevant=False)
    assert limits.reached(tally) == 'limits.until = "3 in 10" reached: the last 10 pages brought 2'
    tally.latest[19] = True  # judged anew
    assert limits.reached(tally) == ""


def test_only_the_last_pages_are_remembered():
    tally = Tally()
    for number in range(LATEST + 5):
        tally.count(number, relevant=True)
    assert len(tally.latest) == tally.brought(10**6) == LATEST


def test_a_crawl_ends_when_its_recall_is_reached():
    """By the estimate; one that cannot tell goes on, and so does a shard, which knows a part only."""
    limits = Limits.of(LimitsSpec(until="recall 0.9"), FetchSpec())
    until = limits.until_recall
    assert until
    assert limits.until is None
    assert limits.without_end().until_recall is None
    assert limits.reached(done()) == ""
    reached = Figures(recall=0.9, recall_low=0.6, recall_high=0.95)
    assert until.reached(reached) == ('limits.until = "recall 0.9" reached: recall about 90 % (60 % to 95 %)')
    assert until.reached(msgspec.structs.replace(reached, recall=0.89)) == ""
    assert until.reached(msgspec.structs.replace(reached, unsure="no page was found")) == ""
    assert until.reached(Figures()) == ""


@pytest.mark.parametrize(
    "until", ["recall", "recall 0", "recall 1", "recall 90 %", "recall 1.5", "recall -0.9", "precision 0.9"]
)
def test_a_recall_that_means_nothing_is_refused(until):
    with pytest.raises(ValueError, match=r'"recall 0\.9": stop when'):
        LimitsSpec(until=until)


@pytest.mark.parametrize("until", ["10", "200 in 10", "0 in 10", "10 in 100000", "ten in 200", ""])
def test_until_that_means_nothing_is_refused(until):
    with pytest.raises(ValueError, match="10 in 200"):
        LimitsSpec(until=until)


def test_without_limits_nothing_ends_it():
    """None means no limit."""
    assert Limits().reached(done(10**9, 10**15, 10**9)) == ""
    assert not Limits().full(done(10**9), 10**6)


def test_pages_under_way_count():
    """No more is taken when what flies could already use the limit up."""
    limits = Limits(pages=10)
    assert not limits.full(done(7), 2)
    assert limits.full(done(7), 3)
