"""A fitted judge as plain data, what it is fitted from, and what it says of pages.

Versions are kept in the collection's `models/judge/`: they can be read, gone back to, and used without SciPy. Nothing here
loads how pages are parsed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from math import exp, sqrt
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from lycosa.errors import ModelError
from lycosa.files import read_file, unpack_zstd, write_file
from lycosa.learn.judges.calibration import Estimate, Shift
from lycosa.learn.judges.exclusion import log_odds_of_excluded
from lycosa.learn.judges.signals import EVIDENCE, closeness_of
from lycosa.learn.meaning.vectors import lead_vector
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
    meaning: bytes = b""


class Meanings(msgspec.Struct, frozen=True):
    """What was asked for, as vectors of an encoder: in all words, and keyword by keyword."""

    encoder: str
    size: int
    asked: tuple[bytes, ...] = ()
    each: tuple[bytes, ...] = ()


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
    meanings: Meanings | None = None
    excluded: dict[str, float] = {}
    """Terms that the topic is not about, with their weights."""
    is_sentence: bool = False
    """Whether the keywords are the words of a description."""


class Form(IntEnum):
    """How the product of a page with a part becomes a signal."""

    PLAIN = 0  # (product − mean) / deviation
    CLOSENESS = 1  # log(1 + product / 0.02)


class Part(msgspec.Struct, frozen=True):
    """A signal of a page: made from its product with a vector over terms, or from a piece of evidence."""

    form: Form
    words: dict[str, float]
    weight: float  # in the log odds
    mean: float = 0.0
    deviation: float = 1.0


class Version(msgspec.Struct, frozen=True):
    """A fitted judge: its words, what makes a probability of them, the threshold, and what it says of the crawl.

    `links` is what likely pages say and unlikely ones do not, and the keywords: texts of links are compared with it.
    `evidence` names the evidence whose value is a part. `meaning` is what the
    lead of a page adds to the log odds, by its product with it; empty without an encoder.
    """

    number: int
    pages: int  # that had been fetched when it was fitted
    upto: int  # the id of the last of them
    language: str
    given: str  # which coefficients hold: those of both, keywords, examples, evidence, evidence guessed, evidence alone
    parts: dict[str, Part]
    constant: float
    links: dict[str, float]
    meaning: bytes = b""  # 32 bits a number
    shift: Shift = Shift()
    taught: dict[str, float] = {}  # what answers add to the log odds of pages with these words
    taught_base: float = 0.0
    excluded: dict[str, float] = {}  # what the topic is not about, as a vector
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
    """The parts of a page's log odds: `words`, `others`, `base`, `meant`, `taught` and `excluded` add up to `score`.

    `meant` is of what its lead means, `taught` of people's answers about pages like it, `excluded` of words that the topic
    is not about.
    """

    words: tuple[tuple[str, float], ...]
    others: float
    base: float
    score: float
    probability: float
    taught: float = 0.0
    meant: float = 0.0
    excluded: tuple[tuple[str, float], ...] = ()

    @property
    def more(self) -> tuple[tuple[str, float], ...]:
        """The parts other than words, named for people. With the words they add up to `score`.

        >>> Reasons((), 0.5, -3.0, -1.5, 0.18, meant=1.0).more
        (('all others', 0.5), ('baseline', -3.0), ('meaning of its lead', 1.0))
        """
        always = (("all others", self.others), ("baseline", self.base))
        parts = (("meaning of its lead", self.meant), ("your answers on similar pages", self.taught))
        against = ((f"{word} (excluded)", amount) for word, amount in self.excluded)
        return (*always, *(part for part in parts if part[1]), *against)


class Scorer:
    """A version, ready to judge pages: one look-up for each term of a page, the rest is done on arrays."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self._background = background_of(version.language)
        parts = version.parts
        words = [version.taught, version.excluded, *(part.words for part in parts.values())]
        self._table = table = WordVectors(version.language, words)
        taught, self._excluded, *vectors = table.vectors
        factor = version.shift.b
        self._base = version.shift.a + factor * version.constant + version.taught_base
        self._taught = self._words = taught
        self._of_evidence = 0.0
        self._close: list[tuple[float, Floats]] = []
        for (name, part), vector in zip(parts.items(), vectors, strict=True):
            weight = factor * part.weight
            if part.form is Form.CLOSENESS:
                self._close.append((weight, vector))
                continue
            self._base -= weight * part.mean / part.deviation
            if name == EVIDENCE:
                self._of_evidence = weight / part.deviation
            else:
                self._words = self._words + weight / part.deviation * vector
        self._meaning = factor * np.frombuffer(version.meaning, np.float32)

    def probability(self, terms: Terms | Mapping[str, int], evidence: float = 0.0) -> float:
        """The chance that a page with these terms (and this value of the evidence) is relevant."""
        terms = terms if isinstance(terms, Terms) else packed_counts(terms)
        at, weights = self._table.unit_weights(terms)
        logit = self._base + self._of_evidence * evidence + float(weights @ self._words[at])
        logit += self._meant(terms)
        cosines = [float(weights @ vector[at]) for _, vector in self._close]
        for (weight, _), cosine in zip(self._close, cosines, strict=True):
            logit += weight * closeness_of(cosine)
        if self.version.excluded:
            logit += self._lost(float(weights @ self._excluded[at]), evidence, cosines)
        return 1.0 / (1.0 + exp(-min(30.0, max(-30.0, logit))))

    def _lost(self, unwanted: float, evidence: float, cosines: Sequence[float]) -> float:
        """What a page loses by its cosine with the excluded words; its evidence or first cosine says how close it is to the topic."""
        topic = evidence if self.version.evidence else next(iter(cosines), 0.0)
        return self.version.shift.b * float(log_odds_of_excluded(unwanted, topic))

    def _meant(self, terms: Terms) -> float:
        if not (len(self._meaning) and terms.meaning):
            return 0.0
        return float(self._meaning @ lead_vector(terms.meaning))

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

    def reasons(self, terms: Terms, evidence: float = 0.0, limit: int = 8) -> Reasons:
        """The words that moved the log odds of a page most, and what all else did."""
        counted = terms.counted()
        weights = unit_weights(counted, self._background)
        at = self._table.places_of(weights)
        of_words = np.array([*weights.values()])
        moved = of_words * self._words[at]
        cosines: list[float] = []
        for weight, vector in self._close:
            each = of_words * vector[at]
            cosines.append(product := float(each.sum()))
            if product > 0.0:
                moved = moved + weight * closeness_of(product) * each / product
        of_taught = dict(zip(weights, (of_words * self._taught[at]).tolist(), strict=True))
        of_each = {
            term: amount - of_taught[term]
            for term, amount in zip(weights, moved.tolist(), strict=True)
            if amount != of_taught[term]
        }
        if self.version.evidence:
            of_each[self.version.evidence] = self._of_evidence * evidence
        telling = sorted(of_each.items(), key=lambda item: (-abs(item[1]), item[0]))[:limit]
        others = sum(of_each.values()) - sum(amount for _, amount in telling)
        taught, meant = sum(of_taught.values()) + self.version.taught_base, self._meant(terms)
        base = self._base - self.version.taught_base
        unwanted = dict(zip(weights, (of_words * self._excluded[at]).tolist(), strict=True))
        total = sum(unwanted.values())
        lost = self._lost(total, evidence, cosines) if total else 0.0
        each_lost = ((term, lost * part / total) for term, part in unwanted.items() if lost and part)
        against = tuple(sorted(each_lost, key=lambda item: (item[1], item[0])))
        score = base + sum(of_each.values()) + taught + meant + sum(lost for _, lost in against)
        probability = 1.0 / (1.0 + exp(-min(30.0, max(-30.0, score))))
        return Reasons(tuple(telling), others, base, score, probability, taught, meant, against)


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
        return unpacked(read_file(path, MAX_BYTES))
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
    return msgspec.msgpack.decode(unpack_zstd(data, MAX_BYTES), type=Version)


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
