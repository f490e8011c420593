"""A judge fitted on crawls of any size: on all pages, or on a sample of them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from lycosa.learn.fitting import crawl_fitter
from lycosa.learn.fitting.crawl_fitter import CrawlFitter, Fit, Fitter, Said
from lycosa.learn.judges.calibration import MAX_LESSONS
from lycosa.learn.judges.signals import FIRST_PAGES
from lycosa.learn.judges.version import Brief, KnownPage, Scorer
from lycosa.page.text.terms import packed
from lycosa.values import PageTerms
from tests.learn.conftest import OWLS, SHIPS, made_page

EXAMPLES = tuple(KnownPage(-number, made_page(Random(-number), OWLS, 0.4)) for number in (1, 2, 3))
BRIEF = Brief(keywords={"owl": 1.0, "feather": 1.0}, examples=EXAMPLES)


@pytest.fixture(scope="module")
def crawl() -> list[PageTerms]:
    """Five thousand pages, every twentieth about owls, some of them hardly."""
    random = Random(8)
    return [
        PageTerms(number, 13 * number, packed(_made(random, owls=number % 20 == 0)))
        for number in range(1, 5001)
    ]


def _made(random: Random, *, owls: bool) -> dict[str, int]:
    return made_page(random, OWLS if owls else SHIPS, random.uniform(0.05, 0.6), words=60)


def fitter_of(pages: list[PageTerms], brief: Brief = BRIEF) -> CrawlFitter:
    return CrawlFitter(brief, lambda _, after: iter(pages[after:]))


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("lycosa.learn.fitting.sampling.MAX_PAGES", 500)
    return 500


def test_up_to_the_bound_all_pages_are_fitted_on(crawl, bound):
    """To the last bit what a fitter says that has read them all."""
    whole = Fitter(BRIEF)
    whole.read(crawl[:bound])
    assert fitter_of(crawl[:bound]).fit(Said(), 1) == whole.fit(Said(), 1)


def test_a_large_crawl_takes_no_more_memory(crawl, bound, monkeypatch):
    """The number of rows held during a fit is bounded, and none is held afterwards."""
    held: list[weakref.ref[Fitter]] = []
    rows = 0

    class Noted(Fitter):
        def fit(self, heard: Said, number: int) -> Fit:
            nonlocal rows
            held.append(weakref.ref(self))
            rows = len(self.rows)
            return super().fit(heard, number)

    monkeypatch.setattr(crawl_fitter, "Fitter", Noted)
    for count in (1000, 5000):
        fitter = fitter_of(crawl[:count])
        fit = fitter.fit(Said(), 1)
        gc.collect()
        assert held[-1]() is None
        assert bound < rows <= bound + FIRST_PAGES + len(EXAMPLES)
        assert len(fit.chances) == fit.version.pages == fit.version.estimate.pages == count
        assert fit.version.upto == count


def test_no_more_than_there_is_room_for_is_read_before_there_are_too_many(crawl, bound):
    """A process that begins with a large crawl does not take it all in first."""
    given: list[int] = []

    def pages_of(_: str, after: int) -> Iterator[PageTerms]:
        given.append(0)
        for page in crawl[after:]:
            given[-1] += 1
            yield page

    CrawlFitter(BRIEF, pages_of).fit(Said(), 1)
    assert given == [bound + 1, len(crawl), len(crawl), len(crawl)]  # all, sampled, fitted, judged


@pytest.mark.parametrize("answers", [0, 20])
def test_it_judges_as_one_that_was_fitted_on_all_pages(crawl, bound, answers):
    """A tenth of the pages is enough: hardly a verdict differs, nor what is believed of the whole."""
    said = Said({page.key: page.id % 20 == 0 for page in crawl[9 :: len(crawl) // 20][:answers]})
    whole = Fitter(BRIEF)
    whole.read(crawl)
    on_all, on_some = whole.fit(said, 1), fitter_of(crawl).fit(said, 1)
    expected, found = (
        np.array([fit.chances.by_key()[page.key] for page in crawl]) for fit in (on_all, on_some)
    )
    assert np.abs(found - expected).mean() < 0.01
    kept = [chance >= fit.version.threshold for chance, fit in ((expected, on_all), (found, on_some))]
    assert (kept[0] == kept[1]).mean() > 0.985
    all_told, told = on_all.version.estimate, on_some.version.estimate
    assert told.relevant == pytest.approx(found.sum())
    assert told.relevant == pytest.approx(all_told.relevant, rel=0.1)
    assert told.relevant_high == pytest.approx(all_told.relevant_high, rel=0.15)
    assert told.precision == pytest.approx(all_told.precision, abs=0.02)
    assert (told.kept, told.pages) == (kept[1].sum(), len(crawl))


def test_the_same_pages_give_the_same_judge_whenever_they_were_read(crawl, bound):
    """Fitted while pages came in, or begun again when all were there."""
    pages: list[PageTerms] = []
    grown = CrawlFitter(BRIEF, lambda _, after: iter(pages[after:]))
    for count in (200, 800, 2000):
        pages[:] = crawl[:count]
        fit = grown.fit(Said(), 1)
    again = fitter_of(crawl[:2000]).fit(Said(), 1)
    assert fit.version == again.version
    assert fit.chances == again.chances


def test_pages_beside_the_sample_are_judged_by_the_words_of_the_version(crawl, bound):
    fit = fitter_of(crawl).fit(Said(), 1)
    scorer, chances = Scorer(fit.version), fit.chances.by_key()
    same = [chances[page.key] == scorer.probability(page.terms) for page in crawl]
    assert sum(same) >= len(crawl) - bound - FIRST_PAGES


def test_what_people_said_of_any_page_counts(crawl, bound):
    """Also of one that the sample would not have."""
    fitter = fitter_of(crawl)
    first = fitter.fit(Said(), 1)
    before, scorer = first.chances.by_key(), Scorer(first.version)
    outside = [page.key for page in crawl if before[page.key] == scorer.probability(page.terms)][:30]
    after = fitter.fit(Said(dict.fromkeys(outside, False)), 2)
    assert max(after.chances.by_key()[key] for key in outside) < 1e-9
    assert after.version.said == dict.fromkeys(outside, False)
    assert after.version.forecasts.keys() == set(outside)
    assert sum(after.chances.by_key().values()) < sum(before.values())


def test_one_fitter_learns_from_all_shards(crawl, bound):
    """Whichever shard has a page, it counts as much, but for which pages are the first; each is told how far it was read."""
    halves = {"": crawl[::2], "other": crawl[1::2]}

    def pages_of(whose: str, after: int) -> Iterator[PageTerms]:
        return (page for page in halves[whose] if page.id > after)

    parted = CrawlFitter(BRIEF, pages_of, ["other"]).fit(Said(), 1)
    whole = fitter_of(crawl).fit(Said(), 1)
    assert parted.chances.by_key() == pytest.approx(whole.chances.by_key(), abs=0.08)
    assert parted.version.pages == 5000
    assert (parted.version.upto, parted.upto_of) == (4999, {"other": 5000})


def test_there_may_be_more_answers_than_move_the_log_odds(crawl):
    """All hold for their pages, and each page has a forecast."""
    said = {page.key: page.id % 20 == 0 for page in crawl[: MAX_LESSONS + 50]}
    fit = fitter_of(crawl[:600]).fit(Said(said), 1)
    chances = fit.chances.by_key()
    assert all((chances[key] > 0.5) == yes for key, yes in said.items())
    assert fit.version.forecasts.keys() == said.keys()
    assert fit.version.agreeing > 0.9 * len(said)
