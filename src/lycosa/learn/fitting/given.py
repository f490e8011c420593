"""The input of a fit besides the pages."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lycosa.values import Floats

Rows = NDArray[np.intp]

MIN_SHOWN = 3
"""Pages that a person found relevant are examples, where none were given, from this number on."""


@dataclass(frozen=True)
class Meant:
    """What is meant, as vectors: the leads of all rows, what was asked for together, and each keyword."""

    leads: Floats
    asked: Floats
    each: Floats


@dataclass(frozen=True)
class Given:
    """What the user gave, by rows of the corpus.

    `answers` of rows that are `held` are certain for these, and teach nothing of others. `keywords` are terms with their weights, `excluded` those that
    the topic is not about; `is_sentence`: they are the words of a description. `evidence` is a score of every row that takes their place, under its
    name: that of an event; `usual` are its mean and deviation on other pages. Rows that are no
    pages of the crawl (examples that were only read) are not `counted`. `wanted` is the probability that a row is of a
    wanted kind; others are. `guessed` rows are taken for examples, though nobody said so: they are not certain. `meant` is there if the crawl has an encoder. Where the rows are a sample, `times` says how many pages each of them stands for; threshold and estimate are then of the sample.
    """

    keywords: Mapping[str, float] = field(default_factory=dict)
    examples: tuple[int, ...] = ()
    answers: Mapping[int, bool] = field(default_factory=dict)
    held: Set[int] = frozenset()
    evidence: Floats | None = None
    evidence_name: str = ""
    usual: tuple[float, float] = (0.1, 0.1)
    counted: NDArray[np.bool_] | None = None
    threshold: float | None = None
    wanted: Mapping[int, float] = field(default_factory=dict)
    times: Rows | None = None
    meant: Meant | None = None
    guessed: tuple[int, ...] = ()
    excluded: Mapping[str, float] = field(default_factory=dict)
    is_sentence: bool = False

    @property
    def lessons(self) -> Mapping[int, bool]:
        """The answers that teach."""
        return {row: yes for row, yes in self.answers.items() if row not in self.held}

    @property
    def kind(self) -> str:
        """Which coefficients hold."""
        if self.evidence is not None:
            if self.examples or any(self.lessons.values()):
                return "evidence"
            return "evidence guessed" if self.guessed else "evidence alone"
        meant = ", meaning" if self.meant is not None else ""
        if not self.keywords:
            return f"examples{meant}"
        shown = self.examples or sum(self.lessons.values()) >= MIN_SHOWN
        return f"both{meant}" if shown else f"{'sentence' if self.is_sentence else 'keywords'}{meant}"
