"""A fitted judge as plain data, what it is fitted from, and what it says of pages.

Versions are kept in the collection's `models/judge/`: they can be read, gone back to, and used without SciPy. Nothing here
loads how pages are parsed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import exp, sqrt
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from lycosa.errors import ModelError
from lycosa.files import write_file
from lycosa.learn.judges.calibration import Estimate, Shift, page_log_odds
from lycosa.learn.words.background import background_of
from lycosa.learn.words.numbered_words import WordVectors
from lycosa.learn.words.similarity import LOGS, unit_weights
from lycosa.page.text.terms import packed as packed_counts
from lycosa.values import UNCERTAIN, Floats, Terms
from lycosa.wording import counted

FOLDER = "judge"
SUFFIX = ".judge"
MAX_BYTES = 100_000_000
AT_ONCE = 10_000
"""Pages whose Python objects exist at once: all of them would take ten times the memory of packed numbers."""

Told = tuple[int, float, float]
"""The key of a page, and its probabilities of being relevant and of being of a wanted kind."""


class KnownPage(msgspec.Struct, frozen=True, array_like=True):
    """A page of which the user said what it is."""

    key: int
    terms: dict[str, int]


class Brief(msgspec.Struct, frozen=True):
    """What a judge is fitted from, except the pages of the crawl.

    `keywords` are terms with their weights. `evidence` names the evidence that takes their place, if any; `usual` are
    its mean and deviation on pages that are not relevant. `of_kind`: pages have to be of a wanted kind, too.
    """

    language: str = "english"
    keywords: dict[str, float] = {}
    examples: tuple[KnownPage, ...] = ()
    negatives: tuple[KnownPage, ...] = ()
    threshold: float | None = None
    evidence: str = ""
    usual: tuple[float, float] = (0.1, 0.1)
    of_kind: bool = False


class Part(msgspec.Struct, frozen=True):
    """One score of a page: the product with a vector over terms (or a piece of evidence), in standard deviations."""

    words: dict[str, float]
    mean: float
    deviation: float
    weight: float = 1.0  # in the mean of all parts


class Version(msgspec.Struct, frozen=True):
    """A fitted judge: its words, what makes a probability of them, the threshold, and what it says of the crawl.

    `plain` is a vector whose plain cosine is a second sign. `links` is what likely pages say and
    unlikely ones do not, and the keywords: texts of links are compared with it. `evidence` names the evidence whose value
    takes the place of the words of the part of the same name.
    """

    number: int
    pages: int  # that had been fetched when it was fitted
    upto: int  # the id of the last of them
    language: str
    given: str  # which coefficients hold: those of both, keywords, examples, evidence, evidence guessed, evidence alone
    parts: dict[str, Part]
    plain: dict[str, float]
    links: dict[str, float]
    coefficients: tuple[float, ...]
    cap: float
    shift: Shift = Shift()
    taught: dict[str, float] = {}  # what answers add to the log odds of pages with these words
    taught_base: float = 0.0
    threshold: float = 0.5
    is_threshold_given: bool = False
    estimate: Estimate = Estimate()
    examples: int = 0
    said: dict[int, bool] = {}  # by the key of the page: answers of people, and negatives of the spec
    forecasts: dict[int, float] = {}  # of answered pages, as if they had not been answered
    evidence: str = ""

    @property
    def name(self) -> str:
        """As `why` and the report call it."""
        return f"judge version {self.number}, fitted at {counted(self.pages, 'page')}"

    @property
    def agreeing(self) -> int:
        """Number of answered pages that it judges like the person, when fitted without the answer."""
        asked = self.said.keys() & self.forecasts
        return sum((self.forecasts[key] >= self.threshold) == self.said[key] for key in asked)

    @property
    def rule(self) -> str:
        """The contributions that decided on a page."""
        how = "given" if self.is_threshold_given else "found for these pages"
        unsure = UNCERTAIN if self.estimate.unsure else ""
        return f"{self.name}: probability against a threshold of {self.threshold:.4f}, {how}{unsure}"


class Reasons(msgspec.Struct, frozen=True):
    """The words that made a page's score: `words`, `others` and `base` add up to `score`.

    The score becomes log odds; `taught` is what people's answers about pages like it add to these.
    """

    words: tuple[tuple[str, float], ...]
    others: float
    base: float
    score: float
    probability: float
    taught: float = 0.0


class Scorer:
    """A version, ready to judge pages: one look-up for each term of a page, the rest is done on arrays."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self._background = background_of(version.language)
        total = sum(part.weight for part in version.parts.values()) or 1.0
        parts = [part.words for part in version.parts.values()]
        self._table = WordVectors(version.language, [version.plain, version.taught, *parts])
        self._plain, self._taught, *vectors = self._table.vectors
        self._words = np.zeros(len(self._plain))
        self._base = self._of_evidence = 0.0
        for (name, part), vector in zip(version.parts.items(), vectors, strict=True):
            factor = part.weight / total / part.deviation
            self._base -= factor * part.mean
            if name == version.evidence:
                self._of_evidence = factor
            self._words += factor * vector

    def probability(self, terms: Terms | Mapping[str, int], evidence: float = 0.0) -> float:
        """The chance that a page with these terms (and this value of the evidence) is relevant."""
        at, weights = self._table.unit_weights(terms if isinstance(terms, Terms) else packed_counts(terms))
        plain_score = evidence if self.version.evidence else float(weights @ self._plain[at])
        score = self._base + self._of_evidence * evidence + float(weights @ self._words[at])
        taught = self.version.taught_base
        if self.version.taught:
            taught += float(weights @ self._taught[at])
        return self._chance(score, plain_score, taught)

    def link_score(self, terms: Sequence[str]) -> float:
        """Cosine of a link's text with the words of relevant pages, at least 0."""
        words, background = self.version.links, self._background
        if words.keys().isdisjoint(terms):
            return 0.0
        different, rarities = dict.fromkeys(terms), background.rarities
        squares = score = 0.0
        for term in different:
            weight = rarities.get(term) or background.rarity(term)
            # An anchor is short: counting in it is quicker than making a Counter. What is there once has a factor of 1.
            if len(different) < len(terms):
                weight *= LOGS[min(terms.count(term), len(LOGS) - 1)]
            squares += weight * weight
            if term in words:
                score += weight * words[term]
        return min(1.0, max(0.0, score / sqrt(squares))) if squares else 0.0

    def reasons(self, terms: Mapping[str, int], evidence: float = 0.0, limit: int = 8) -> Reasons:
        """The words that moved the score of a page most, and what all others did."""
        plain = self.version.plain
        weights = unit_weights(terms, self._background)
        of_words = self._words[self._table.places_of(weights)].tolist()
        moved = {
            term: weight * of_word
            for (term, weight), of_word in zip(weights.items(), of_words, strict=True)
            if of_word
        }
        if self.version.evidence:
            moved[self.version.evidence] = self._of_evidence * evidence
        cosine = sum(weight * plain[term] for term, weight in weights.items() if term in plain)
        score = self._base + sum(moved.values())
        telling = sorted(moved.items(), key=lambda item: (-abs(item[1]), item[0]))[:limit]
        others = sum(moved.values()) - sum(amount for _, amount in telling)
        plain_score = evidence if self.version.evidence else cosine
        taught = sum(weight * self.version.taught.get(term, 0.0) for term, weight in weights.items())
        taught += self.version.taught_base
        probability = self._chance(score, plain_score, taught)
        return Reasons(tuple(telling), others, self._base, score, probability, taught)

    def _chance(self, score: float, plain_score: float, taught: float) -> float:
        version = self.version
        plain = page_log_odds(version.coefficients, version.cap, score, plain_score)
        logit = version.shift.a + version.shift.b * plain + taught
        return 1.0 / (1.0 + exp(-min(30.0, max(-30.0, logit))))


def path_of(models: Path, number: int) -> Path:
    """The file of a version."""
    return models / FOLDER / f"{number:04d}{SUFFIX}"


def save_version(version: Version, models: Path) -> Path:
    """Write a version; a crash leaves no half of it."""
    path = path_of(models, version.number)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, packed(version))
    return path


def load_version(models: Path, number: int) -> Version:
    """A saved version."""
    path = path_of(models, number)
    try:
        return unpacked(path.read_bytes())
    except (OSError, zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise ModelError(
            f"{path} cannot be read ({error}). Delete it and run the same crawl again: the judge is fitted anew."
        ) from None


def saved_versions(models: Path) -> list[int]:
    """The numbers of all versions that are kept, the first one first."""
    found = (models / FOLDER).glob(f"*{SUFFIX}")
    return sorted(int(path.stem) for path in found if path.stem.isdigit())


def packed(version: Version) -> bytes:
    """A version as it is saved and sent: MessagePack, compressed."""
    return zstandard.ZstdCompressor(level=3).compress(msgspec.msgpack.encode(version))


def unpacked(data: bytes) -> Version:
    """A version that was packed."""
    plain = zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_BYTES)
    return msgspec.msgpack.decode(plain, type=Version)


class Chances(msgspec.Struct, frozen=True, array_like=True):
    """What is told of pages, in the order in which they were packed.

    >>> chances = Chances.of([(7, 0.5, 1.0), (3, 0.25, 0.9)])
    >>> chances.by_key(), len(chances + chances)
    ({7: 0.5, 3: 0.25}, 4)
    """

    keys: bytes = b""  # 64 bits each, as the others
    relevant: bytes = b""
    wanted: bytes = b""  # nothing where all are

    @classmethod
    def of(cls, told: Iterable[Told]) -> Self:
        """Pack what is told of pages that come one after another."""
        keys, relevant, wanted = array("q"), array("d"), array("d")
        for key, chance, kind in told:
            keys.append(key)
            relevant.append(chance)
            wanted.append(kind)
        kinds = wanted.tobytes() if min(wanted, default=1.0) < 1.0 else b""
        return cls(keys.tobytes(), relevant.tobytes(), kinds)

    def __len__(self) -> int:
        return len(self.keys) // 8

    def __iter__(self) -> Iterator[Told]:
        for first in range(0, len(self), AT_ONCE):
            yield from self._at(np.arange(first, min(first + AT_ONCE, len(self))))

    def __add__(self, others: Chances) -> Chances:
        some = self.wanted or others.wanted
        wanted = self._kinds().tobytes() + others._kinds().tobytes() if some else b""
        return Chances(self.keys + others.keys, self.relevant + others.relevant, wanted)

    def batches(self) -> Iterator[list[int]]:
        """The keys, some at a time."""
        keys = np.frombuffer(self.keys, np.int64)
        return (keys[first : first + AT_ONCE].tolist() for first in range(0, len(self), AT_ONCE))

    def by_key(self) -> dict[int, float]:
        """The chance of each page."""
        return {key: chance for key, chance, _ in self}

    def finder(self) -> Callable[[Sequence[int]], list[Told]]:
        """What finds what is told of some pages, by their keys, as far as anything is; of one that is told of twice, the last.

        >>> Chances.of([(7, 0.5, 1.0), (3, 0.25, 0.9)]).finder()([3, 5])
        [(3, 0.25, 0.9)]
        """
        keys = np.frombuffer(self.keys, np.int64)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]

        def find(asked: Sequence[int]) -> list[Told]:
            if not len(ordered):
                return []
            wanted = np.array(asked, np.int64)
            places = np.maximum(np.searchsorted(ordered, wanted, side="right") - 1, 0)
            return self._at(order[places[ordered[places] == wanted]])

        return find

    def columns(self) -> tuple[NDArray[np.int64], Floats, Floats]:
        """The same, column by column."""
        return np.frombuffer(self.keys, np.int64), np.frombuffer(self.relevant), self._kinds()

    def _at(self, places: NDArray[np.intp]) -> list[Told]:
        keys, relevant, wanted = (column[places].tolist() for column in self.columns())
        return list(zip(keys, relevant, wanted, strict=True))

    def _kinds(self) -> Floats:
        return np.frombuffer(self.wanted) if self.wanted else np.broadcast_to(1.0, len(self))
