"""P(I, G): how often a link leads to a relevant page, by relevance and genre of the page it is on.

Counts are stored as JSON that a user can read and edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from lycosa.errors import ModelError
from lycosa.evidence.model_file import read_json

FORMAT = "lycosa genre prior 1"
STRENGTH = 20.0
"""This many links of a crawl weigh as much as the prior."""
UNKNOWN = {True: 0.5, False: 0.05}
"""What is assumed of links on relevant and other pages before anything was counted."""

Counts = Mapping[str, tuple[int, int]]
"""Class of the linking page (`class_name`) -> links that led to relevant pages, all links."""


def class_name(relevant: bool, genre: str) -> str:
    """The name of a class (I, G).

    >>> class_name(True, "news")
    'relevant/news'
    """
    return f"{'relevant' if relevant else 'irrelevant'}/{genre}"


def shrunk(good: int, links: int, expected: float, strength: float) -> float:
    """A share that starts at what is expected, and moves to what is counted.

        P = (good + strength · expected) / (links + strength)

    >>> shrunk(0, 0, 0.5, 20.0), shrunk(60, 80, 0.5, 20.0)
    (0.5, 0.7)
    """
    total = links + strength
    return (good + strength * expected) / total if total else expected


class GenrePrior(msgspec.Struct, frozen=True):
    """Counted links for each class (I, G). Classes that were never seen get the mean of their I."""

    counts: dict[str, tuple[int, int]] = {}
    metadata: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if any(not 0 <= good <= links for good, links in self.counts.values()):
            raise ValueError("more relevant links than links")

    def probability(self, relevant: bool, genre: str) -> float:
        """P(I, G) = links to relevant pages / links, from pages of that class [Qian et al., eq. 1]

        The paper divides by the number of *pages*; with links it is a probability. A class with few
        links is drawn towards the mean of its I.
        """
        mean = shrunk(*self._of_all(relevant), UNKNOWN[relevant], STRENGTH)
        return shrunk(*self.counts.get(class_name(relevant, genre), (0, 0)), mean, STRENGTH)

    def _of_all(self, relevant: bool) -> tuple[int, int]:
        of = [pair for name, pair in self.counts.items() if name.startswith(class_name(relevant, ""))]
        return sum(good for good, _ in of), sum(links for _, links in of)

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        text = msgspec.json.format(msgspec.json.encode(_Stored(FORMAT, self)))
        try:
            path.write_bytes(text)
        except OSError as error:
            raise ModelError(f"{path} cannot be written: {error.strerror}. Name another file.") from None

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote; ModelError if it cannot be used."""
        try:
            stored = read_json(path, _Stored)
            if stored.format != FORMAT:
                raise ValueError(f"its format is {stored.format[:80]!r}")
        except (OSError, ValueError) as error:
            raise ModelError(
                f"{path} is not a genre prior ({error}). Count one: lycosa train genre-prior COLLECTION"
            ) from None
        return stored.prior  # type: ignore[return-value]


class _Stored(msgspec.Struct):
    format: str
    prior: GenrePrior


class LearnedPrior:
    """P(I, G) that moves from a prior to what this crawl counts."""

    def __init__(self, prior: GenrePrior, strength: float = STRENGTH) -> None:
        self.prior = prior
        self.strength = strength
        self.counts: dict[str, tuple[int, int]] = {}

    def learn(self, parent: str, relevant: bool) -> None:
        """A link on a page of that class (a `class_name`) led to a page that was judged."""
        good, links = self.counts.get(parent, (0, 0))
        self.counts[parent] = (good + relevant, links + 1)

    def probability(self, relevant: bool, genre: str) -> float:
        """P(I, G) by the prior and by what was learned.

        Without counts of its own a genre has the share that its I has in this crawl.
        """
        good, links = (0, 0)
        for name, pair in self.counts.items():
            if name.startswith(class_name(relevant, "")):
                good, links = good + pair[0], links + pair[1]
        expected = self.prior.probability(relevant, genre)
        if not self.prior.counts:
            expected = shrunk(good, links, expected, self.strength)
        return shrunk(*self.counts.get(class_name(relevant, genre), (0, 0)), expected, self.strength)


class PriorRow(NamedTuple):
    """A genre's line in the table of P(I, G); a share is None where no link was counted."""

    genre: str
    relevant: float | None
    relevant_links: int
    irrelevant: float | None
    irrelevant_links: int


def prior_table(counts: Counts) -> Sequence[PriorRow]:
    """The counts as in the paper's tables 2 and 3: a line for each genre, and one for all.

    >>> prior_table({"relevant/news": (3, 4)})[0]
    PriorRow(genre='news', relevant=0.75, relevant_links=4, irrelevant=None, irrelevant_links=0)
    """
    genres = sorted({name.partition("/")[2] for name in counts})
    pairs = {
        (relevant, genre): counts.get(class_name(relevant, genre), (0, 0))
        for genre in genres
        for relevant in (True, False)
    }
    for relevant in (True, False):
        of = [pairs[relevant, genre] for genre in genres]
        pairs[relevant, "all"] = (sum(good for good, _ in of), sum(links for _, links in of))
    return [
        PriorRow(
            genre,
            _share(pairs[True, genre]),
            pairs[True, genre][1],
            _share(pairs[False, genre]),
            pairs[False, genre][1],
        )
        for genre in [*genres, "all"]
    ]


def _share(pair: tuple[int, int]) -> float | None:
    return pair[0] / pair[1] if pair[1] else None
