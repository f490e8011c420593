"""Fits a judge from the pages fetched so far, keywords, examples and answers.

Everything follows from stored data (terms, the order of fetching, answers): the same data give the same judge.

1. Similarity to the keywords, and to the examples' profile (terms lifted against other pages), both standardised over
   the pages that are not of the topic; calibrated to probabilities.
2. A ridge classifier learns these on all pages, each judged as if it had not been in the fit; it joins the others, and
   all are calibrated again, then once more with how many pages of the crawl look likely, and how much fewer than in the
   beginning. Answers are certain, teach profile and classifier, shift the calibration, and move the log odds of pages
   like the answered ones.

Two rounds, no more: further ones drift.

An event has a score of its own in the place of keywords. Its pages may be one in a hundred or most of a crawl, so there
the score is standardised beside what other pages usually have, and the share of relevant pages is estimated as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lycosa.learn.fitting.cholesky import solved
from lycosa.learn.fitting.corpus import Corpus, products_of
from lycosa.learn.fitting.given import Given, Rows
from lycosa.learn.judges.calibration import (
    MAX_LESSONS,
    PRIOR_WORDS,
    Coefficients,
    Estimate,
    Shift,
    crawl_signs,
    in_crawl,
    lessons_of,
    log_odds,
    share_shift,
    shipped,
    sigmoid,
    signs_of,
)
from lycosa.learn.judges.doubt import described
from lycosa.learn.judges.version import Part, Version
from lycosa.learn.words.similarity import (
    column_sums,
    rows_with,
    share_elsewhere,
    standard,
    term_profile,
    unit,
)
from lycosa.values import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


RIDGE = 1.0
TEXT_WEIGHT = 1.5
"""The classifier's weight in the score; the similarities have 1 each."""
MAX_TRAINING = 800
"""Pages that the classifier is fitted on; of more, those with answers, the likeliest and an even sample. More take longer, and the judge
is no better."""
MAX_LEFT_OUT = 10
MIN_OTHERS = 5
"""With fewer pages, examples excluded, scores cannot be standardised, and there is nothing to learn."""
ASSUMED = {"keywords": (0.02, 0.03), "examples": (0.07, 0.04)}
"""Mean and deviation of the similarities, as pages of other topics usually have them (wikischools): until there are
MIN_OTHERS pages."""
USUAL_PAGES = 100.0
"""Pages with the usual score that are added when the scores of an event are standardised: a crawl that found little else
would call its right pages average."""
FAR = 3.0
"""Deviations above the usual evidence from which on a page is, at first, not taken for one of the others."""
MIN_UNLIKELY = 3.0
"""With fewer pages that are none of the topic, what these say is chance."""
MAX_WORDS = 10_000
"""Maximum number of words per part: those with the largest effect on the pages' scores."""
CERTAIN = 30.0


@dataclass(frozen=True)
class Fitted:
    """A version, and what it says of every row: each judged as if it had not been in the fit."""

    version: Version
    probability: Floats
    forecasts: Mapping[int, float] = field(default_factory=dict)
    """By answered row: the probability without its answer."""
    signs: tuple[Floats, ...] = ()
    """The calibration's input in the first and second round, for fitting coefficients."""


def fit_judge(corpus: Corpus, given: Given, coefficients: Mapping[str, Coefficients] | None = None) -> Fitted:
    """Fit a judge on all pages of the corpus. The version has no number yet: its keeper gives it one."""
    keywords = unit(corpus.vector(_weighted(given.keywords, corpus))) if given.keywords else None
    fitting = _Fitting(corpus, given, keywords)
    known = (coefficients or shipped())[given.kind]
    probability = fitting.at_first()
    told: list[Floats] = []
    rounds = [known.at_first, known.in_full] if fitting.others >= MIN_OTHERS else [known.at_first]
    taught, used = _Taught(), known.at_first
    odds = logits = unanswered = np.zeros(len(corpus))
    for used in rounds:
        score = fitting.score(probability, with_text=used is known.in_full)
        signs = signs_of(score, fitting.plain_score(), known.cap)
        told.append(signs)
        plain = log_odds(used, signs)
        if used is known.in_full and known.of_crawl:
            used = in_crawl(known.of_crawl, crawl_signs(plain[fitting.found]))
            plain = log_odds(used, signs)
        if given.evidence is not None:
            more = share_shift(plain[fitting.open])
            used, plain = (used[0] + more, *used[1:]), plain + more
        taught = fitting.taught(plain)
        odds = taught.shift.a + taught.shift.b * plain + taught.added
        unanswered, logits = sigmoid(odds), odds.copy()
        logits[fitting.positive], logits[fitting.negative] = CERTAIN, -CERTAIN
        probability = sigmoid(logits)
    # Of answers that are held, or beyond MAX_LESSONS, the log odds have not heard.
    forecasts = {row: float(unanswered[row]) for row in given.answers} | dict(taught.forecasts)
    for row in given.held:
        logits[row] = CERTAIN if given.answers[row] else -CERTAIN
    guessed = list(given.guessed)
    logits[guessed] = odds[guessed]
    probability = sigmoid(logits)
    threshold, estimate = _described(_of_kind(logits, given.wanted), given, taught.shift)
    version = Version(
        number=0,
        pages=int(_counted(given, len(corpus)).sum()),
        upto=0,
        language=corpus.background.language,
        given=given.kind,
        parts=fitting.told_parts(),
        plain=_words(corpus, fitting.plain, fitting.use),
        links=_words(corpus, fitting.link_vector(probability), fitting.use),
        coefficients=used,
        cap=known.cap,
        shift=taught.shift,
        taught=_words(corpus, taught.vector, fitting.use),
        taught_base=taught.base,
        threshold=threshold,
        is_threshold_given=given.threshold is not None,
        estimate=estimate,
        examples=len(given.examples),
        evidence=given.evidence_name,
    )
    return Fitted(version, probability, forecasts, tuple(told))


@dataclass(frozen=True)
class _Taught:
    """The effect of answers on all rows: a shift, and additions for pages similar to answered ones (products with a vector,
    plus a base)."""

    shift: Shift = field(default_factory=Shift)
    vector: Floats = field(default_factory=lambda: np.zeros(0))
    base: float = 0.0
    added: Floats | float = 0.0
    forecasts: Mapping[int, float] = field(default_factory=dict)


class _Fitting:
    """The parts of the score, as they are fitted round by round."""

    def __init__(self, corpus: Corpus, given: Given, keywords: Floats | None) -> None:
        self.corpus = corpus
        self.given = given
        self.rows = corpus.rows()
        self.language = corpus.language_shares()
        answered = given.lessons
        self.positive = _rows(
            {*given.examples, *given.guessed, *(row for row, yes in answered.items() if yes)}
        )
        self.negative = _rows(row for row, yes in answered.items() if not yes)
        self.times = _times(given, len(corpus))
        known = {*self.positive, *given.answers} - {*given.guessed}
        self.open = self.each(np.setdiff1d(np.arange(len(corpus)), _rows(known)))
        self.found = self.each(np.setdiff1d(np.arange(len(corpus)), given.examples))
        self.others = len(corpus) - len(self.positive)
        self.keywords = keywords
        self.use = column_sums(self.rows, self.times.astype(np.float64))
        positive = self.rows[self.positive]
        self.total = column_sums(positive)
        self.on = rows_with(positive)
        self.plain = self._plain()
        self.parts: dict[str, tuple[Floats, Floats, float, float, float]] = {}

    def each(self, rows: Rows) -> Rows:
        """The rows of all pages that some rows stand for."""
        return np.repeat(rows, self.times[rows])

    def at_first(self) -> Floats:
        """What is thought of the rows before anything is fitted: the examples are right, all others are not.

        Unless there is evidence, of which it is known what other pages usually have: those far above are none of them.
        """
        given, probability = self.given, np.zeros(len(self.corpus))
        if given.evidence is not None:
            mean, deviation = given.usual
            probability = sigmoid(2.0 * ((given.evidence - mean) / deviation - FAR))
        probability[self.positive] = 1.0
        return probability

    def score(self, probability: Floats, *, with_text: bool) -> Floats:
        """The score of every row: the mean of all parts, in deviations of the pages that are not of the topic."""
        other = np.maximum(1.0 - probability, 1e-3)
        other[self.positive], other[self.negative] = 1e-6, 2.0
        other *= self.times
        if self.given.evidence is not None:
            self._keep(self.given.evidence_name, self.given.evidence, np.zeros(0), other)
        elif self.keywords is not None:
            self._keep("keywords", self.rows @ self.keywords, self.keywords, other)
        if len(self.positive):
            self._fit_examples(other)
        if with_text:
            self._fit_text(probability, other)
        weight = sum(part[4] for part in self.parts.values())
        return np.asarray(sum(part[4] * part[0] for part in self.parts.values()) / weight)

    def plain_score(self) -> Floats:
        """The evidence of every row, else its cosine with the keywords or, without any, the examples; their own left out."""
        if self.given.evidence is not None:
            return self.given.evidence
        found = self.rows @ self.plain
        pages = len(self.positive)
        if self.keywords is None and pages > 1:
            found[self.positive] = (found[self.positive] * pages - 1.0) / (pages - 1)
        return np.asarray(found)

    def taught(self, plain: Floats) -> _Taught:
        """What the answers teach of rows with these log odds. Two pages are alike by the product of what sets them apart
        from the mean of all pages."""
        answers = self.given.lessons
        asked = _rows(answers)
        if len(asked) > MAX_LESSONS:
            asked = asked[np.linspace(0, len(asked) - 1, MAX_LESSONS).astype(np.intp)]
        if not len(asked):
            return _Taught()
        mean = self.use / self.times.sum()
        rows, with_mean = self.rows[asked], self.rows[asked] @ mean
        alike = (rows @ rows.T).toarray() - with_mean[:, None] - with_mean + mean @ mean
        lessons = lessons_of(plain[asked], [answers[row] for row in asked.tolist()], alike)
        vector = PRIOR_WORDS**2 * (column_sums(rows, lessons.weights) - lessons.weights.sum() * mean)
        base = -float(vector @ mean)
        forecasts = dict(zip(asked.tolist(), lessons.forecasts.tolist(), strict=True))
        return _Taught(lessons.shift, vector, base, self.rows @ vector + base, forecasts)

    def link_vector(self, probability: Floats) -> Floats:
        """The difference between the means of likely and unlikely pages, at length 1, and the keywords."""
        towards, against = probability * self.times, (1.0 - probability) * self.times
        vector = column_sums(self.rows, towards / max(float(towards.sum()), 1e-9))
        if against.sum() > MIN_UNLIKELY:
            vector = vector - column_sums(self.rows, against / against.sum())
        return unit(vector) if self.keywords is None else unit(vector) + self.keywords

    def told_parts(self) -> dict[str, Part]:
        """The parts as data."""
        return {
            name: Part(_words(self.corpus, vector, self.use), mean, deviation, weight)
            for name, (_, vector, mean, deviation, weight) in self.parts.items()
        }

    def _plain(self) -> Floats:
        if self.keywords is not None:
            return self.keywords
        return self.total / max(1, len(self.positive))

    def _standard(self, name: str, values: Floats, other: Floats) -> tuple[float, float]:
        given = self.given
        usual = given.usual if name == given.evidence_name else ASSUMED.get(name)
        if usual and given.evidence is not None:
            return standard(values, other, usual, USUAL_PAGES)
        return usual if usual and self.others < MIN_OTHERS else standard(values, other)

    def _keep(
        self,
        name: str,
        values: Floats,
        vector: Floats,
        other: Floats,
        *,
        weight: float = 1.0,
        base: float = 0.0,
    ) -> None:
        """A part whose values are `vector`'s products plus a base (but for those that leave themselves out)."""
        mean, deviation = self._standard(name, values, other)
        self.parts[name] = ((values - mean) / deviation, vector, mean - base, deviation, weight)

    def _fit_examples(self, other: Floats) -> None:
        elsewhere = share_elsewhere(rows_with(self.rows, other), float(other.sum()), self.language)
        pages = len(self.positive)
        vector = term_profile(self.on, pages, self.total / pages, elsewhere)
        values = np.asarray(self.rows @ vector)
        if pages > 1:  # an example is compared with the others
            left = []
            for row in self.positive[:MAX_LEFT_OUT]:
                own = _dense(self.rows, row)
                without = term_profile(
                    self.on - (own > 0),
                    pages - 1,
                    (self.total - own) / (pages - 1),
                    elsewhere,
                )
                left.append(float((self.rows[[row]] @ without)[0]))
            values[self.positive] = np.mean(left)
            values[self.positive[:MAX_LEFT_OUT]] = left
        self._keep("examples", values, vector, other)

    def _fit_text(self, probability: Floats, other: Floats) -> None:
        """Ridge regression on 2p − 1: sure pages weigh more, both classes alike; exact leave-one-out.

        C = (Z Zᵀ + 1 + λ D⁻¹)⁻¹,  α = C y,  without itself: y_i − α_i / C_ii,  words: w = Zᵀ α
        """
        chosen = _training_rows(
            probability, self.positive, self.negative, self.each(np.arange(len(probability)))
        )
        p = probability[chosen]
        target = 2.0 * p - 1.0
        weight = np.abs(target) + 0.02
        for_it, against = max(float((weight * p).sum()), 5.0), max(float((weight * (1 - p)).sum()), 5.0)
        weight = weight * np.where(p > 0.5, 1.0 / for_it, 1.0 / against) * (len(chosen) / 2)
        kernel = products_of(self.rows if len(chosen) == len(self.corpus) else self.rows[chosen])
        kernel += 1.0
        kernel[np.diag_indices_from(kernel)] += RIDGE / weight
        alpha, own = solved(kernel, target)
        weights = np.zeros(len(probability))
        weights[chosen] = alpha
        vector = column_sums(self.rows, weights)
        base = float(alpha.sum())
        values = np.asarray(self.rows @ vector) + base
        values[chosen] = target - alpha / own
        self._keep("text", values, vector, other, weight=TEXT_WEIGHT, base=base)


def _of_kind(logits: Floats, wanted: Mapping[int, float]) -> Floats:
    """The log odds that rows are relevant and of a wanted kind; what is certain stays."""
    if not wanted:
        return logits
    both = logits.copy()
    rows = np.array([row for row in wanted if abs(logits[row]) < CERTAIN], np.intp)
    chance = np.clip(sigmoid(logits[rows]) * np.array([wanted[row] for row in rows]), 1e-9, 1 - 1e-9)
    both[rows] = np.log(chance / (1.0 - chance))
    return both


def _described(logits: Floats, given: Given, shift: Shift) -> tuple[float, Estimate]:
    """The threshold for the pages that were found (not given), and what is believed of all pages of the crawl."""
    counted = _counted(given, len(logits))
    examples = np.zeros(len(logits), np.bool_)
    examples[list(given.examples)] = True
    certain = np.abs(logits) >= CERTAIN
    return described(logits[counted], certain[counted], shift.deviation, given.threshold, examples[counted])


def _counted(given: Given, rows: int) -> NDArray[np.bool_]:
    return np.ones(rows, np.bool_) if given.counted is None else given.counted


def _times(given: Given, rows: int) -> Rows:
    return np.ones(rows, np.intp) if given.times is None else given.times


def _weighted(keywords: Mapping[str, float], corpus: Corpus) -> dict[str, float]:
    return {term: weight * corpus.background.rarity(term) for term, weight in keywords.items()}


def _rows(numbers: Iterable[int]) -> Rows:
    return np.array(sorted(numbers), np.intp)


def _dense(matrix: csr_matrix, row: int) -> Floats:
    return np.asarray(matrix[[row]].todense()).ravel()


def _training_rows(probability: Floats, positive: Rows, negative: Rows, pages: Rows) -> Rows:
    """The rows to fit the classifier on; `pages` has the row of every page."""
    n = len(probability)
    if n <= MAX_TRAINING:
        return np.arange(n)
    third = MAX_TRAINING // 3
    likeliest = np.argsort(-probability, kind="stable")[:third]
    even = pages[np.linspace(0, len(pages) - 1, MAX_TRAINING - third).astype(np.intp)]
    return np.unique(np.concatenate([positive, negative, likeliest, even]))


def _words(corpus: Corpus, vector: Floats, use: Floats) -> dict[str, float]:
    """A vector as words: those that move the scores of the pages most."""
    kept = np.nonzero(vector)[0]
    if len(kept) > MAX_WORDS:
        moved = np.abs(vector[kept]) * (use[kept] + 1e-3)
        kept = np.sort(kept[np.argsort(-moved, kind="stable")[:MAX_WORDS]])
    rounded = vector[kept].astype(np.float32).tolist()
    return dict(zip(map(corpus.terms.__getitem__, kept.tolist()), rounded, strict=True))
