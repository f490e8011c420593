"""The sample that a judge of a large crawl is fitted on."""

from __future__ import annotations

from random import Random

import pytest

from lycosa.learn.fitting.sampling import LIKELIEST, Sample
from lycosa.learn.judges.version import Brief, KnownPage
from lycosa.page.text.terms import packed
from lycosa.values import PageTerms
from tests.learn.conftest import OWLS, SHIPS, made_page

BRIEF = Brief(keywords={"owl": 1.0}, examples=(KnownPage(-1, {"nest": 2, "year": 1}),))


@pytest.fixture(scope="module")
def crawl() -> list[PageTerms]:
    """A thousand pages, one in fifty about owls."""
    random = Random(1)
    return [
        PageTerms(number, 7 * number, packed(made_page(random, OWLS if number % 50 == 0 else SHIPS)))
        for number in range(1, 1001)
    ]


def sample_of(pages: list[PageTerms], size: int, brief: Brief = BRIEF) -> Sample:
    sample = Sample(brief, size)
    for page in pages:
        sample.add(page)
    return sample


def test_it_does_not_matter_in_which_order_pages_come(crawl):
    first, second = sample_of(crawl, 100), sample_of(Random(2).sample(crawl, len(crawl)), 100)
    assert first.keys == second.keys
    assert first.others == second.others


def test_it_is_as_large_as_it_may_be(crawl):
    assert len(sample_of(crawl, 100).keys) == 100
    assert len(sample_of(crawl[:60], 100).keys) == 60


def test_the_likeliest_are_in_it(crawl):
    """Twenty pages of a thousand are right: as they say what keywords and examples say, all of them are there."""
    assert {page.key for page in crawl if page.id % 50 == 0} <= sample_of(crawl, 100).keys


def test_evidence_counts_where_the_judge_looks_at_it(crawl):
    pages = [PageTerms(page.id, page.key, page.terms, evidence=page.id / 1000) for page in crawl]
    sample = sample_of(pages, 100, Brief(evidence="event"))
    assert sample.keys - sample.others == {page.key for page in pages[-int(100 * LIKELIEST) :]}


def test_the_others_are_drawn_evenly(crawl):
    """Of those that were found early as many as of those that were found late."""
    drawn = sample_of(crawl, 400).others
    early = sum(page.key in drawn for page in crawl[:500])
    assert len(drawn) == 300
    assert 120 < early < 180
