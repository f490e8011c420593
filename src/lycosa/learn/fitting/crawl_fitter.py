"""Fits a learning judge on a crawl of any size. In: a Brief, what reads pages, answers. Out: versions with all chances.

Up to `sampling.MAX_PAGES` pages all of them are kept in memory and fitted on. Of more none is kept: each fit reads its
sample again, and then all others, which it judges by the words of the version, as new pages are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import islice, takewhile

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.learn.fitting import sampling
from lycosa.learn.fitting.fitter import Fit, Fitter, Said
from lycosa.learn.fitting.sampling import Sample, lot_of, shared_out
from lycosa.learn.judges.brief import Brief
from lycosa.learn.judges.calibration import FIRST_PAGES
from lycosa.learn.judges.chances import Chances, Told
from lycosa.learn.judges.threshold import estimate_of, find_threshold, lowest_threshold
from lycosa.learn.judges.version import Scorer, Version
from lycosa.values import PageTerms

PagesOf = Callable[[str, int], Iterable[PageTerms]]
"""The pages of a shard, behind an id, in the order of their ids."""
OWN = ""
"""The shard that fits, or a crawl without others."""


class CrawlFitter:
    """Remembers how far it has read, and of a large crawl which pages are in the sample."""

    def __init__(self, brief: Brief, pages_of: PagesOf, others: Sequence[str] = ()) -> None:
        self.brief = brief
        self.pages_of = pages_of
        self.others = others
        self._all: Fitter | None = Fitter(brief)  # None: there are too many
        self._sample: Sample | None = None
        self._upto: dict[str, int] = {}  # of the sample, by shard
        self._first: set[int] = set()  # the first pages, which all of them are compared with

    def fit(self, heard: Said, number: int) -> Fit:
        """A version on all pages that there are by now, and what people said of some."""
        if self._all is not None:
            if self._read_all(self._all):
                return self._all.fit(heard, number)
            self._all = None
        if self._sample is None:
            self._sample = Sample(self.brief, sampling.MAX_PAGES)
        self._read_on(self._sample)
        return self._fit(self._sample, heard, number)

    def _read_all(self, fitter: Fitter) -> bool:
        """Read what is new, as long as there is room for it; whether there was for all."""

        def room(pages: Iterable[PageTerms]) -> Iterator[PageTerms]:
            return islice(pages, sampling.MAX_PAGES + 1 - fitter.pages)

        fitter.read(room(self.pages_of(OWN, fitter.upto)))
        for whose in self.others:
            fitter.read_others(whose, room(self.pages_of(whose, fitter.upto_of(whose))))
        return fitter.pages <= sampling.MAX_PAGES

    def _read_on(self, sample: Sample) -> None:
        for whose in (OWN, *self.others):
            for page in self.pages_of(whose, self._upto.get(whose, 0)):
                sample.add(page)
                if whose == OWN and len(self._first) < FIRST_PAGES:
                    self._first.add(page.key)
                self._upto[whose] = page.id

    def _fit(self, sample: Sample, heard: Said, number: int) -> Fit:
        known = {page.key for page in (*self.brief.examples, *self.brief.negatives)} | heard.answers.keys()
        alone = known | self._first  # stand for none but themselves
        kept, drawn, count = sample.keys | alone, sample.others - alone, 0

        def chosen(pages: Iterable[PageTerms]) -> Iterator[PageTerms]:
            nonlocal count
            for page in pages:
                count += 1
                if page.key in kept:
                    yield page

        fitter = Fitter(self.brief)
        for whose in (OWN, *self.others):
            fitter.read(chosen(self._read_before(whose)))
        there = sorted(drawn & fitter.rows.keys(), key=lot_of)
        fitter.times = shared_out(count - fitter.pages + len(there), there)
        fit = fitter.fit(heard, number)
        scorer, counted = Scorer(fit.version), array("b", fitter.counted)

        def judged() -> Iterator[Told]:
            for whose in (OWN, *self.others):
                for page in self._read_before(whose):
                    if page.key not in fitter.rows:
                        counted.append(page.collected)
                        yield page.key, scorer.probability(page.terms, page.evidence), page.wanted

        chances, upto_of = fit.chances + Chances.of(judged()), dict(self._upto)
        version = self._described(fit.version, chances, np.array(counted, np.bool_), known, heard)
        version = msgspec.structs.replace(version, upto=upto_of.pop(OWN, 0))
        return Fit(version, chances, upto_of)

    def _described(
        self, version: Version, chances: Chances, counted: NDArray[np.bool_], known: Set[int], heard: Said
    ) -> Version:
        """A version with the threshold for all pages that were found, and what is believed of all of them."""
        keys, chance, wanted = chances.columns()
        certain = np.isin(keys, list(known))
        if self.brief.of_kind:
            chance = np.where(certain, chance, chance * wanted)
        threshold = self.brief.threshold
        if threshold is None:
            lessons = len(version.forecasts.keys() - heard.held)
            lowest = lowest_threshold(lessons, is_event=bool(self.brief.evidence))
            threshold = find_threshold(chance[counted], lowest)
        odds = np.clip(chance, 1e-13, 1.0 - 1e-13)
        logits, kept = np.log(odds / (1.0 - odds)), chance[counted] >= threshold
        told = estimate_of(logits[counted], certain[counted], version.shift.deviation, kept)
        estimate = msgspec.structs.replace(told, pages=version.estimate.pages)
        return msgspec.structs.replace(version, threshold=threshold, estimate=estimate)

    def _read_before(self, whose: str) -> Iterator[PageTerms]:
        """The pages of a shard once more, as far as the sample knows them."""
        upto = self._upto.get(whose, 0)
        return takewhile(lambda page: page.id <= upto, self.pages_of(whose, 0))
