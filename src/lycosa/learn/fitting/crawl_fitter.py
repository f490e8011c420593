"""Fits a learning judge on the pages of a crawl, again and again.

`Fitter` keeps all pages in memory. `CrawlFitter` uses one for up to `sampling.MAX_PAGES` pages. For a larger crawl each fit
reads a sample, and then judges all other pages by the words of the version, as new pages are judged.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import islice, takewhile

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.learn.fitting import sampling
from lycosa.learn.fitting.corpus import Corpus
from lycosa.learn.fitting.fit import Fitted
from lycosa.learn.fitting.given import Given, Meant
from lycosa.learn.fitting.guesses import fit_with_guesses
from lycosa.learn.fitting.sampling import Sample, lot_of, shared_out
from lycosa.learn.judges.doubt import described
from lycosa.learn.judges.signals import FIRST_PAGES, Coefficients
from lycosa.learn.judges.version import Brief, Chances, Scorer, Told, Version
from lycosa.learn.meaning.vectors import lead_vector
from lycosa.learn.words.background import background_of
from lycosa.page.text.terms import packed
from lycosa.values import PageTerms, Terms

MIN_UNASKED = 25
"""With fewer labels on pages that people chose themselves, these hold for their own pages only: they are no fair sample."""

TOGETHER = 16
"""Pages added to the corpus at once, which is faster."""

PagesOf = Callable[[str, int], Iterable[PageTerms]]
"""The pages of a shard whose ids are greater than a number, in the order of their ids."""
OWN = ""
"""The shard that fits, or a crawl without shards."""


class Said(msgspec.Struct, frozen=True):
    """Verdicts of people by key, and the pages among them that nobody had asked about."""

    answers: Mapping[int, bool] = {}
    unasked: Set[int] = frozenset()

    @property
    def held(self) -> Set[int]:
        """Pages whose answers hold for themselves, and teach nothing of others.

        >>> Said({1: True, 2: True}, frozenset({2})).held
        frozenset({2})
        """
        return self.unasked if len(self.unasked) < MIN_UNASKED else frozenset()


class Fit(msgspec.Struct, frozen=True, array_like=True):
    """A version, and its probability of each page that it was fitted on, as if that page had not been in the fit."""

    version: Version
    chances: Chances
    upto_of: dict[str, int] = {}
    """By other shard: the id of the last page in the fit."""


class Fitter:
    """Remembers the pages that it was shown, so that each is read once."""

    def __init__(self, brief: Brief) -> None:
        self.brief = brief
        self.upto: dict[str, int] = {}
        """By shard: the id of the last page that was read."""
        self.rows: dict[int, int] = {}
        self.times: Mapping[int, int] = {}
        """By key: the number of pages that a sampled page represents."""
        self._corpus = Corpus(background_of(brief.language))
        self._pages: dict[int, bool] = {}  # of the crawl, by key: whether they count for the harvest
        self._evidence: list[float] = []
        self._wanted: dict[int, float] = {}  # by row: the probability that the page is of a wanted kind
        self._leads: list[bytes] = []  # by row
        self._examples = {page.key for page in brief.examples}
        for page in (*brief.examples, *brief.negatives):
            terms = msgspec.structs.replace(packed(page.terms), meaning=page.meaning)
            self._add([page.key], [terms], [0.0])

    def read(self, pages: Iterable[PageTerms], whose: str = OWN) -> None:
        """Add further pages of a shard, in the order of their ids."""
        pages = iter(pages)
        while some := [*islice(pages, TOGETHER)]:
            self._add(
                [page.key for page in some], [page.terms for page in some], [page.evidence for page in some]
            )
            for page in some:
                self._pages[page.key] = page.collected
                if self.brief.of_kind:
                    self._wanted[self.rows[page.key]] = page.wanted
            self.upto[whose] = some[-1].id

    @property
    def pages(self) -> int:
        """The number of pages of the crawl that it was shown."""
        return len(self._pages)

    @property
    def counted(self) -> list[bool]:
        """Whether each of these pages counts for the harvest, in the order in which they were shown."""
        return [collected and key not in self._examples for key, collected in self._pages.items()]

    def fit(self, heard: Said, number: int) -> Fit:
        """Fit a version on all pages so far and on what people said."""
        said = {page.key: False for page in self.brief.negatives} | dict(heard.answers)
        fitted = self.fitted(said, held=heard.held)
        found = sum(self.times.get(key, 1) for key in self._pages if key not in self._examples)
        version = msgspec.structs.replace(
            fitted.version,
            estimate=msgspec.structs.replace(fitted.version.estimate, pages=found),
            number=number,
            pages=sum(self.times.get(key, 1) for key in self._pages),
            upto=self.upto.get(OWN, 0),
            said=dict(sorted(said.items())),
            forecasts={key: fitted.forecasts[self.rows[key]] for key in sorted(said) if key in self.rows},
        )
        rows = [self.rows[key] for key in self._pages]
        wanted = (self._wanted.get(row, 1.0) for row in rows)
        chances = Chances.of(zip(self._pages, fitted.probability[rows].tolist(), wanted, strict=True))
        return Fit(version, chances, {whose: upto for whose, upto in self.upto.items() if whose != OWN})

    def fitted(
        self,
        said: Mapping[int, bool],
        coefficients: Mapping[str, Coefficients] | None = None,
        *,
        held: Set[int] = frozenset(),
    ) -> Fitted:
        """All results of a fit, by row; `said` and `held` are by key, and what is held teaches nothing."""
        rows = [self.rows[key] for key in self._pages]
        counted = np.zeros(len(self._corpus), np.bool_)
        counted[rows] = list(self._pages.values())
        counted[[self.rows[key] for key in self._examples]] = False  # given, not found
        examples = {self.rows[page.key] for page in self.brief.examples if said.get(page.key, True)}
        given = Given(
            keywords=self.brief.keywords,
            excluded=self.brief.excluded,
            examples=tuple(sorted(examples)),
            answers={self.rows[key]: relevant for key, relevant in said.items() if key in self.rows},
            held=frozenset(self.rows[key] for key in held if key in self.rows),
            evidence=np.array(self._evidence) if self.brief.evidence else None,
            evidence_name=self.brief.evidence,
            usual=self.brief.usual,
            counted=counted,
            threshold=self.brief.threshold,
            wanted=self._wanted,
            times=np.array([self.times.get(key, 1) for key in self.rows], np.intp),
            meant=self._meant(),
            is_sentence=self.brief.is_sentence,
        )
        return fit_with_guesses(self._corpus, given, coefficients)

    def _meant(self) -> Meant | None:
        if (meanings := self.brief.meanings) is None:
            return None
        nothing = np.zeros(meanings.size, np.float32)
        leads = np.array([lead_vector(stored) if stored else nothing for stored in self._leads])
        asked, each = ([lead_vector(one) for one in some] for some in (meanings.asked, meanings.each))
        return Meant(leads.reshape(-1, meanings.size), np.array(asked), np.array(each))

    def _add(self, keys: Sequence[int], terms: Sequence[Terms], evidence: Sequence[float]) -> None:
        """Give each page a row. A page that has one, an example that the crawl fetched too, keeps it."""
        new = {key: page for key, page in zip(keys, terms, strict=True) if key not in self.rows}
        self.rows.update(zip(new, self._corpus.add_all([*new.values()]), strict=True))
        self._evidence += [0.0] * len(new)
        self._leads += [page.meaning for page in new.values()]
        for key, value in zip(keys, evidence, strict=True):
            self._evidence[self.rows[key]] = value


class CrawlFitter:
    """Remembers how far it has read, and which pages of a large crawl are in the sample."""

    def __init__(self, brief: Brief, pages_of: PagesOf, others: Sequence[str] = ()) -> None:
        self.brief = brief
        self.pages_of = pages_of
        self.shards = (OWN, *others)
        self._all: Fitter | None = Fitter(brief)  # None: there are too many pages
        self._upto: dict[str, int] = {}  # of the sample, by shard
        self._first: set[int] = set()  # the first pages: all pages are compared with them

    @cached_property
    def _sample(self) -> Sample:
        return Sample(self.brief, sampling.MAX_PAGES)

    def fit(self, heard: Said, number: int) -> Fit:
        """Fit a version on all pages of the crawl and on what people said."""
        if self._all is not None:
            if self._read_all(self._all):
                return self._all.fit(heard, number)
            self._all = None
        self._read_sample()
        return self._fit_sample(heard, number)

    def _read_all(self, fitter: Fitter) -> bool:
        """Read new pages until there are too many for one fit; False if there are."""
        for whose in self.shards:
            room = sampling.MAX_PAGES + 1 - fitter.pages
            fitter.read(islice(self.pages_of(whose, fitter.upto.get(whose, 0)), room), whose)
        return fitter.pages <= sampling.MAX_PAGES

    def _read_sample(self) -> None:
        for whose in self.shards:
            for page in self.pages_of(whose, self._upto.get(whose, 0)):
                self._sample.add(page)
                if whose == OWN and len(self._first) < FIRST_PAGES:
                    self._first.add(page.key)
                self._upto[whose] = page.id

    def _fit_sample(self, heard: Said, number: int) -> Fit:
        known = {page.key for page in (*self.brief.examples, *self.brief.negatives)} | heard.answers.keys()
        alone = known | self._first  # these stand for themselves only
        kept, drawn, fetched = self._sample.keys | alone, self._sample.others - alone, array("q")

        def chosen(pages: Iterable[PageTerms]) -> Iterator[PageTerms]:
            for page in pages:
                fetched.append(page.key)
                if page.key in kept:
                    yield page

        fitter = Fitter(self.brief)
        for whose in self.shards:
            fitter.read(chosen(self._read_before(whose)))
        there = sorted(drawn & fitter.rows.keys(), key=lot_of)
        fitter.times = shared_out(len(fetched) - fitter.pages + len(there), there)
        fit = fitter.fit(heard, number)
        scorer, counted = Scorer(fit.version), array("b", fitter.counted)

        def judged() -> Iterator[Told]:
            for whose in self.shards:
                for page in self._read_before(whose):
                    if page.key not in fitter.rows:
                        counted.append(page.collected)
                        yield page.key, scorer.probability(page.terms, page.evidence), page.wanted

        chances, upto_of = fit.chances + Chances.of(judged()), dict(self._upto)
        found = in_order(chances.columns()[0], np.array(fetched), np.array(counted, np.bool_))
        version = self._described(fit.version, chances, found, known)
        version = msgspec.structs.replace(version, upto=upto_of.pop(OWN, 0))
        return Fit(version, chances, upto_of)

    def _described(
        self, version: Version, chances: Chances, found: NDArray[np.intp], known: Set[int]
    ) -> Version:
        """A version with the threshold for all pages that were found, and its estimate for all of them.

        `found` has their places among the chances, in the order in which they were fetched.
        """
        keys, chance, wanted = chances.columns()
        certain = np.isin(keys, list(known))
        if self.brief.of_kind:
            chance = np.where(certain, chance, chance * wanted)
        odds = np.clip(chance, 1e-13, 1.0 - 1e-13)[found]
        threshold, told = described(
            np.log(odds / (1.0 - odds)), certain[found], version.shift.deviation, self.brief.threshold
        )
        estimate = msgspec.structs.replace(told, pages=version.estimate.pages)
        return msgspec.structs.replace(version, threshold=threshold, estimate=estimate)

    def _read_before(self, whose: str) -> Iterator[PageTerms]:
        """The pages of a shard once more, as far as the sample knows them."""
        upto = self._upto.get(whose, 0)
        return takewhile(lambda page: page.id <= upto, self.pages_of(whose, 0))


def in_order(
    keys: NDArray[np.int64], fetched: NDArray[np.int64], counted: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """The places of those keys that are counted, in the order in which all keys were fetched.

    >>> in_order(np.array([7, 3, 5]), np.array([3, 5, 7]), np.array([True, True, False])).tolist()
    [1, 0]
    """
    by_key = np.argsort(fetched, kind="stable")
    fetched_at = by_key[np.searchsorted(fetched[by_key], keys)]
    places = np.flatnonzero(counted)
    return places[np.argsort(fetched_at[places], kind="stable")]
