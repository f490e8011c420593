"""Questions about the pages whose answers teach the judge most, for the terminal and the library."""

from __future__ import annotations

import re
import time
from collections.abc import Collection as Keys
from collections.abc import Container, Iterator
from pathlib import Path

import msgspec
import numpy as np

from lycosa.collection.archive.responses import response_of
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.collection import Collection
from lycosa.collection.labels import (
    Label,
    answers_in,
    clear_label,
    labels_in,
    people_labels_in,
    set_label,
)
from lycosa.collection.writer import CollectionWriter
from lycosa.learn.history import saved_version
from lycosa.learn.judges.calibration import MIN_THRESHOLD
from lycosa.learn.judges.learning import NEGATIVE
from lycosa.learn.judges.version import Scorer, Version
from lycosa.page.response import document_of
from lycosa.page.text.terms import terms_of
from lycosa.page.text.written import as_written
from lycosa.values import EXAMPLE, Floats, Refusal, Score

SPREAD = 5
"""Answers that are spread over all probabilities; then the pages nearest to the threshold are asked about."""
NEAR = 0.15
"""A page is near the threshold if its probability is no further from it than this."""
AT_ONCE = 5
"""Questions that are chosen together; after as many answers the judge is fitted again."""
PROMPT = "  relevant? y / n / s(kip) / b(ack) / q(uit): "
ANSWERS = ("yes", "no", "skip", "back", "quit")
SENTENCES, SENTENCE_CHARS, WORDS = 2, 220, 8
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


def to_ask(
    probability: Floats, known: Keys[int], count: int, *, answered: int, threshold: float
) -> list[int]:
    """The rows to ask about, best first: spread over the uncertainty p · (1 − p), later those nearest to the threshold.

    Spread answers teach the words of both sides and calibrate the whole range; after that, answers near the threshold
    decide most. The same pages give the same questions. `known` are rows not to ask about, `answered` is the number of
    answers so far.

    >>> p = np.array([0.01, 0.5, 0.45, 0.9, 0.99])
    >>> to_ask(p, {1}, 2, answered=0, threshold=0.5), to_ask(p, {1}, 2, answered=15, threshold=0.5)
    ([2, 3], [2, 3])
    """
    rows = np.array([row for row in np.argsort(probability, kind="stable") if row not in known], np.intp)
    if not len(rows):
        return []
    if answered >= SPREAD:
        nearest = np.argsort(np.abs(probability[rows] - threshold), kind="stable")
        return [int(row) for row in rows[nearest[:count]]]
    unsure = probability[rows] * (1.0 - probability[rows]) + 1e-6
    reached = np.cumsum(unsure) / unsure.sum()
    middles = (np.arange(count) + 0.5) / count
    return [int(row) for row in dict.fromkeys(rows[np.searchsorted(reached, middles)])]


class Question(msgspec.Struct, frozen=True):
    """A page to ask about, with what its judge thinks."""

    id: int
    key: int
    url: str
    title: str
    probability: float


class Telling(msgspec.Struct, frozen=True):
    """The details that let a person judge a page without opening it."""

    words: tuple[tuple[str, float], ...] = ()
    sentences: tuple[str, ...] = ()


class Scores(msgspec.Struct, frozen=True):
    """The judge's probabilities of unanswered pages, and its threshold."""

    pages: list[Question]
    threshold: float

    @property
    def near(self) -> float:
        """The share of pages that lie near the threshold."""
        close = sum(abs(page.probability - self.threshold) <= NEAR for page in self.pages)
        return close / len(self.pages) if self.pages else 0.0


def scores_of(collection: Collection | CollectionWriter) -> Scores:
    """The scores of all pages without a label."""
    version, known = saved_version(collection), labels_in(collection.directory)
    certain = {EXAMPLE.rule, NEGATIVE.rule}
    pages = [
        Question(page.id, page.link.key, page.link.url, page.title, page.judgement.score)
        for page in _judged(collection)
        if page.judgement and page.link.key not in known and page.judgement.rule not in certain
    ]
    return Scores(pages, _asked_around(version) if version else 0.5)


def _asked_around(version: Version) -> float:
    """The threshold, but not one that was lowered to keep the best pages."""
    return version.threshold if version.is_threshold_given else max(version.threshold, MIN_THRESHOLD)


def questions_in(
    collection: Collection | CollectionWriter, count: int, *, without: Container[int] = ()
) -> list[Question]:
    """The pages whose answers teach most, the most telling first, `without` those of these keys."""
    scores = scores_of(collection)
    answered = sum(label.asked for label in labels_in(collection.directory).values())
    probability = np.array([min(1.0, max(0.0, page.probability)) for page in scores.pages])
    known = {row for row, page in enumerate(scores.pages) if page.key in without}
    asked = to_ask(probability, known, count, answered=answered, threshold=scores.threshold)
    return [scores.pages[row] for row in asked]


def questions_for_people(
    collection: Collection | CollectionWriter, count: int, *, without: Container[int] = ()
) -> list[Question]:
    """The questions for a person: first pages that an assistant answered and that measure agreement."""
    version, people = saved_version(collection), people_labels_in(collection.directory)
    again = []
    for answer in answers_in(collection.directory).values():
        page = collection.reader.page(answer.key)
        is_open = answer.key not in people and answer.key not in without and answer.relevant is not None
        if answer.for_people and is_open and page is not None:
            chance = version.forecasts.get(answer.key, 0.5) if version else 0.5
            again.append(Question(page.id, answer.key, answer.url, page.title, chance))
    more = questions_in(collection, count - len(again), without=without) if len(again) < count else []
    return [*again[:count], *more]


def telling_of(collection: Collection, question: Question, language: str) -> Telling:
    """The words that moved the score of a page most, as it writes them, and the sentences that have most of them."""
    version = saved_version(collection)
    moved = _words(collection, question, version) if version else ()
    text = f"{question.title}\n{collection.reader.text(question.id)}"
    written = as_written([term for term, _ in moved[:WORDS]], text, version.language) if version else {}
    if version and version.evidence:
        written[version.evidence] = f"the evidence {version.evidence}"
    words = tuple((written.get(term, term), amount) for term, amount in moved[:WORDS])
    return Telling(words, _sentences(collection, question, dict(moved), language))


class Interview:
    """Asks one question after the other, and keeps each answer at once: nothing is lost when it is broken off."""

    def __init__(self, directory: Path, count: int) -> None:
        self.directory = directory
        self.count = count
        self.answers: dict[int, bool] = {}
        self.unlearned = 0  # answers given or taken back since the judge was fitted
        self._questions: list[Question] = []
        self._at = 0
        self._is_ended = False

    @property
    def question(self) -> Question | None:
        """The one that is asked now; None when it is over, or there is no page left to ask about."""
        if self._is_ended or self._at >= self.count:
            return None
        if self._at >= len(self._questions):
            self._ask_further()
        return self._questions[self._at] if self._at < len(self._questions) else None

    @property
    def text(self) -> str:
        """The question as the terminal shows it."""
        if (question := self.question) is None:
            return ""
        with Collection.open(self.directory) as collection:
            language = str(collection.spec().get("topic", {}).get("language", "english"))
            telling = telling_of(collection, question, language)
        return question_text(question, telling, self._at + 1, self.count)

    def take(self, line: str) -> str:
        """Take what was answered: y, n, s, b or q; returns what to say where it is none of them."""
        typed, question = line.strip().lower(), self.question
        said = next((word[0] for word in ANSWERS if typed and word.startswith(typed)), "")
        if question is None or said == "q":
            self._is_ended = True
        elif said in ("y", "n"):
            set_label(self.directory, Label(question.key, question.url, said == "y", time.time()))
            self.answers[question.key] = said == "y"
            self.unlearned += 1
            self._at += 1
        elif said == "s":
            self._at += 1
        elif said == "b" and self._at:
            self._go_back()
        elif said == "b":
            return "This is the first question."
        else:
            return "Answer y (relevant), n (not relevant), s (skip), b (back) or q (quit)."
        return ""

    def choose_again(self) -> None:
        """Choose the questions that are still to come by what was learned since."""
        del self._questions[self._at :]

    def _ask_further(self) -> None:
        asked = {question.key for question in self._questions}
        with Collection.open(self.directory) as collection:
            some = min(AT_ONCE, self.count - self._at)
            self._questions += questions_for_people(collection, some, without=asked)

    def _go_back(self) -> None:
        self._at -= 1
        key = self._questions[self._at].key
        if self.answers.pop(key, None) is not None:
            clear_label(self.directory, key)
            self.unlearned += 1


def question_text(question: Question, telling: Telling, number: int, count: int) -> str:
    """A question for the terminal."""
    words = ", ".join(f"{word} {amount:+.2f}" for word, amount in telling.words)
    lines = [
        f"\n{number} of {count}  {question.title or '(no title)'}",
        f"  {question.url}",
        *(f"  “{sentence}”" for sentence in telling.sentences),
        *([f"  words: {words}"] if words else []),
        f"  chance of being relevant, by the judge: {question.probability:.2f}",
    ]
    return "\n".join(lines)


def _judged(collection: Collection | CollectionWriter) -> Iterator[StoredPage]:
    return (page for page in collection.reader.pages() if page.judgement and page.refusal is None)


def _words(collection: Collection, question: Question, version: Version) -> tuple[tuple[str, float], ...]:
    fact = collection.reader.evidence(question.id).get(version.evidence)
    value = fact.value if isinstance(fact, Score) else 0.0
    return Scorer(version).reasons(collection.reader.terms_of(question.id), value, limit=40).words


def _sentences(
    collection: Collection, question: Question, words: dict[str, float], language: str
) -> tuple[str, ...]:
    """The sentences whose words moved the score most; the first ones where none did."""
    stored = collection.reader.page_by_id(question.id)
    fetched = response_of(collection, stored) if stored else None
    document = document_of(fetched, language=language) if fetched else None
    if document is None or isinstance(document, Refusal):
        return ()
    found = [text for part in _SENTENCE_END.split(document.main_text) if (text := " ".join(part.split()))]
    moved = [sum(abs(words.get(term, 0.0)) for term in terms_of(text, language)) for text in found]
    best = sorted(range(len(found)), key=lambda row: -moved[row])[:SENTENCES]
    return tuple(_shortened(found[row]) for row in sorted(best))


def _shortened(text: str) -> str:
    """A sentence of a bearable length.

    >>> len(_shortened("word " * 100)) <= SENTENCE_CHARS
    True
    """
    return text if len(text) <= SENTENCE_CHARS else text[: SENTENCE_CHARS - 2].rstrip() + " …"
