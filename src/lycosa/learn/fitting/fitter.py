"""Fits a learning judge again and again on pages in memory. In: a Brief, pages, answers. Out: versions with all chances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice

import msgspec
import numpy as np

from lycosa.learn.fitting.corpus import Corpus
from lycosa.learn.fitting.fit import Fitted, Given, fit_judge
from lycosa.learn.judges.brief import Brief
from lycosa.learn.judges.calibration import Coefficients
from lycosa.learn.judges.chances import Chances
from lycosa.learn.judges.version import Version
from lycosa.learn.words.background import background_of
from lycosa.page.text.terms import packed
from lycosa.values import PageTerms, Terms

MIN_UNASKED = 25
"""From this many labels on pages of people's own choice on, these teach the judge of other pages as well. They are no fair
sample of the pages: of a vague topic up to 20 of them cost F1 more than they bring (docs/labels.md)."""

TOGETHER = 16
"""Pages that are read at a time: each then costs two thirds of what it does alone, and with more hardly less."""


class Said(msgspec.Struct, frozen=True):
    """What people said of pages, by key; and of which of them nobody had asked."""

    answers: Mapping[int, bool] = {}
    unasked: Set[int] = frozenset()

    @property
    def held(self) -> Set[int]:
        """Those that hold for their own pages, and teach nothing of others.

        >>> Said({1: True, 2: True}, frozenset({2})).held
        frozenset({2})
        """
        return self.unasked if len(self.unasked) < MIN_UNASKED else frozenset()


class Fit(msgspec.Struct, frozen=True, array_like=True):
    """A version, and what it says of the pages that it was fitted on, by key: of each as if it had not been in the fit."""

    version: Version
    chances: Chances
    upto_of: dict[str, int] = {}
    """The id of the last page of each other shard that it was fitted on."""


class Fitter:
    """Remembers the pages that it was shown, so that each is read once."""

    def __init__(self, brief: Brief) -> None:
        self.brief = brief
        self.upto = 0
        self._upto_of: dict[str, int] = {}
        self._corpus = Corpus(background_of(brief.language))
        self.rows: dict[int, int] = {}
        self._pages: dict[int, bool] = {}  # of the crawl, by key: whether they count for the harvest
        self._evidence: list[float] = []
        self._wanted: dict[int, float] = {}  # by row: how surely pages are of a wanted kind
        self.times: Mapping[int, int] = {}  # of a sample: for how many pages some of them stand, by key
        for page in (*brief.examples, *brief.negatives):
            self._add([page.key], [packed(page.terms)], [0.0])

    def read(self, pages: Iterable[PageTerms]) -> None:
        """Take in further pages of the crawl, in the order of their ids."""
        pages = iter(pages)
        while some := [*islice(pages, TOGETHER)]:
            self._add(
                [page.key for page in some], [page.terms for page in some], [page.evidence for page in some]
            )
            for page in some:
                self._pages[page.key] = page.collected
                if self.brief.of_kind:
                    self._wanted[self.rows[page.key]] = page.wanted
            self.upto = some[-1].id

    def read_others(self, whose: str, pages: Iterable[PageTerms]) -> None:
        """Take in further pages of another shard of the crawl: what is found there teaches the judge here too."""
        own, self.upto = self.upto, self.upto_of(whose)
        self.read(pages)
        self._upto_of[whose], self.upto = self.upto, own

    def upto_of(self, whose: str) -> int:
        """The id of the last page that was read of another shard."""
        return self._upto_of.get(whose, 0)

    @property
    def pages(self) -> int:
        """How many pages of the crawl it was shown."""
        return len(self._pages)

    @property
    def counted(self) -> list[bool]:
        """Of each of these, in the order in which they were shown, whether it counts for the harvest."""
        given = {page.key for page in self.brief.examples}
        return [collected and key not in given for key, collected in self._pages.items()]

    def fit(self, heard: Said, number: int) -> Fit:
        """A version on all pages so far, and what people said of some."""
        said = {page.key: False for page in self.brief.negatives} | dict(heard.answers)
        fitted = self.fitted(said, held=heard.held)
        examples = {page.key for page in self.brief.examples}
        found = sum(self.times.get(key, 1) for key in self._pages if key not in examples)
        version = msgspec.structs.replace(
            fitted.version,
            estimate=msgspec.structs.replace(fitted.version.estimate, pages=found),
            number=number,
            pages=sum(self.times.get(key, 1) for key in self._pages),
            upto=self.upto,
            said=dict(sorted(said.items())),
            forecasts={key: fitted.forecasts[self.rows[key]] for key in sorted(said) if key in self.rows},
        )
        rows = [self.rows[key] for key in self._pages]
        wanted = (self._wanted.get(row, 1.0) for row in rows)
        chances = Chances.of(zip(self._pages, fitted.probability[rows].tolist(), wanted, strict=True))
        return Fit(version, chances, dict(self._upto_of))

    def fitted(
        self,
        said: Mapping[int, bool],
        coefficients: Mapping[str, Coefficients] | None = None,
        *,
        held: Set[int] = frozenset(),
    ) -> Fitted:
        """All that a fit says, by rows, on all pages so far and what was said of some, by key; `held` teach nothing."""
        rows = [self.rows[key] for key in self._pages]
        counted = np.zeros(len(self._corpus), np.bool_)
        counted[rows] = list(self._pages.values())
        counted[[self.rows[page.key] for page in self.brief.examples]] = False  # given, not found
        examples = {self.rows[page.key] for page in self.brief.examples if said.get(page.key, True)}
        given = Given(
            keywords=self.brief.keywords,
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
        )
        return fit_judge(self._corpus, given, coefficients)

    def _add(self, keys: Sequence[int], terms: Sequence[Terms], evidence: Sequence[float]) -> None:
        """Give each page a row; one that has one, an example that was fetched as a page too, keeps it."""
        new = {key: page for key, page in zip(keys, terms, strict=True) if key not in self.rows}
        self.rows.update(zip(new, self._corpus.add_all([*new.values()]), strict=True))
        self._evidence += [0.0] * len(new)
        for key, value in zip(keys, evidence, strict=True):
            self._evidence[self.rows[key]] = value
