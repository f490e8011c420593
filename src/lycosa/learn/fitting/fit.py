"""Fits a judge from the pages fetched so far, keywords, examples and answers.

Everything follows from stored data (terms, the order of fetching, answers): the same data give the same judge.

1. At first: closeness to the keywords and to the examples; with an encoder also what the lead of a page means beside
   them. What these weigh was fitted on crawls of many topics.
2. In full: a ridge classifier learns the first probabilities on all pages, each judged as if it had not been in the fit,
   and joins them; so do the means of what likely and unlikely pages mean, and by how much the share of likely pages is less
   than in the beginning of the crawl. Answers are certain, teach the classifier, shift the log
   odds, and move those of pages like the answered ones.

Two rounds, no more: further ones drift.

An event has a score of its own in the place of keywords. Its pages may be one in a hundred or most of a crawl, so there
the score is standardised beside what other pages usually have, and the share of relevant pages is estimated as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lycosa.learn.fitting.cholesky import solved
from lycosa.learn.fitting.corpus import Corpus, products_of
from lycosa.learn.fitting.given import Given, Rows
from lycosa.learn.judges.calibration import (
    MAX_LESSONS,
    PRIOR_WORDS,
    Estimate,
    Shift,
    lessons_of,
    share_shift,
    sigmoid,
)
from lycosa.learn.judges.doubt import described
from lycosa.learn.judges.exclusion import log_odds_of_excluded, scale_of_excluded
from lycosa.learn.judges.signals import (
    ASKED,
    CONSTANT,
    DECLINE,
    EACH,
    EVIDENCE,
    EXAMPLES,
    KEYWORDS,
    LIKELY,
    SHOWN,
    TEXT,
    UNLIKELY,
    Coefficients,
    Signals,
    Weights,
    closeness,
    decline_of,
    in_crawl,
    log_odds,
    shipped,
)
from lycosa.learn.judges.version import Form, Part, Version
from lycosa.learn.words.similarity import column_sums, standard, unit
from lycosa.values import Floats

RIDGE = 1.0
MAX_TRAINING = 800
"""Pages that the classifier is fitted on; of more, those with answers, the likeliest and an even sample. More take longer, and the judge
is no better."""
MIN_OTHERS = 5
"""With fewer pages, examples excluded, scores cannot be standardised, and there is nothing to learn."""
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
    signals: tuple[Signals, ...] = ()
    """The signals of every row in the first and second round, for fitting coefficients."""


def fit_judge(corpus: Corpus, given: Given, coefficients: Mapping[str, Coefficients] | None = None) -> Fitted:
    """Fit a judge on all pages of the corpus. The version has no number yet: its keeper gives it one."""
    fitting = _Fitting(corpus, given)
    known = (coefficients or shipped())[given.kind]
    apart = fitting.lost_to_excluded()
    probability = fitting.at_first()
    told: list[Signals] = []
    rounds = [known.at_first, known.in_full] if fitting.others >= MIN_OTHERS else [known.at_first]
    taught, used, decline = _Taught(), known.at_first, 0.0
    odds = logits = unanswered = np.zeros(len(corpus))
    for weights in rounds:
        signals = fitting.signals(probability, with_text=weights is known.in_full)
        told.append({**signals, DECLINE: np.full(len(corpus), decline)})
        used = in_crawl(weights, decline)
        plain = log_odds(used, signals) + apart
        if given.evidence is not None:
            more = share_shift(plain[fitting.open], known.share)
            used, plain = used | {CONSTANT: used[CONSTANT] + more}, plain + more
        decline = decline_of(plain[fitting.found])
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
        parts=fitting.told_parts(used),
        constant=used[CONSTANT],
        meaning=fitting.told_meaning(used),
        links=_words(corpus, fitting.link_vector(probability), fitting.use),
        shift=taught.shift,
        taught=_words(corpus, taught.vector, fitting.use),
        taught_base=taught.base,
        excluded=_words(corpus, fitting.excluded, fitting.use),
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
    """The signals of all rows, as they are fitted round by round."""

    def __init__(self, corpus: Corpus, given: Given) -> None:
        self.corpus = corpus
        self.given = given
        corpus.vector({**given.keywords, **given.excluded})  # gives each word a column
        self.keywords = unit(corpus.vector(_weighted(given.keywords, corpus))) if given.keywords else None
        excluded = _weighted(given.excluded, corpus)
        self.excluded = unit(corpus.vector(excluded)) * scale_of_excluded(excluded.values())
        self.rows = corpus.rows()
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
        self.use = column_sums(self.rows, self.times.astype(np.float64))
        self.parts: dict[str, tuple[Form, Floats, float, float]] = {}  # form, vector, mean, deviation
        self.meant: dict[str, Floats] = {}

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

    def signals(self, probability: Floats, *, with_text: bool) -> Signals:
        """The signals of every row, each as if that row were no example."""
        found = self._of_evidence(probability) if self.given.evidence is not None else self._of_keywords()
        if len(self.positive):
            found[EXAMPLES] = closeness(self._of_examples())
        if with_text:
            found[TEXT] = self._of_text(probability)
        if self.given.meant is not None:
            found |= self._of_meaning(probability, with_likely=with_text)
        return found

    def lost_to_excluded(self) -> Floats:
        """What each row loses; evidence, keywords or, without these, examples say how close it is to the topic."""
        given = self.given
        if not given.excluded:
            return np.zeros(len(self.corpus))
        if given.evidence is not None:
            topic = given.evidence
        else:
            topic = self._of_examples() if self.keywords is None else np.asarray(self.rows @ self.keywords)
        return log_odds_of_excluded(self.rows @ self.excluded, topic)

    def _of_keywords(self) -> dict[str, Floats]:
        if self.keywords is None:
            return {}
        self.parts[KEYWORDS] = (Form.CLOSENESS, self.keywords, 0.0, 1.0)
        return {KEYWORDS: closeness(self.rows @ self.keywords)}

    def _of_evidence(self, probability: Floats) -> dict[str, Floats]:
        values = self.given.evidence
        assert values is not None
        mean, deviation = standard(values, self._others(probability), self.given.usual, USUAL_PAGES)
        self.parts[EVIDENCE] = (Form.PLAIN, np.zeros(0), mean, deviation)
        return {EVIDENCE: (values - mean) / deviation}

    def _of_examples(self) -> Floats:
        """The cosine with the mean of the examples; of an example, with that of the others."""
        total = column_sums(self.rows[self.positive])
        self.parts[EXAMPLES] = (Form.CLOSENESS, unit(total), 0.0, 1.0)
        products = np.asarray(self.rows @ total)
        squares = np.full(len(products), float(total @ total))
        if len(self.positive) > 1:  # |total − own|² = |total|² − 2 · own · total + 1
            own = products[self.positive]
            squares[self.positive] += 1.0 - 2.0 * own
            products[self.positive] = own - 1.0
        return np.asarray(products / np.sqrt(np.maximum(squares, 1e-12)))

    def _of_meaning(self, probability: Floats, *, with_likely: bool) -> dict[str, Floats]:
        """The cosines of leads with what was asked and shown, and with the mean of likely and of unlikely pages, itself left out."""
        meant = self.given.meant
        assert meant is not None
        found, leads = {}, meant.leads
        for name, vectors in ((ASKED, meant.asked), (EACH, meant.each)):
            if len(vectors):
                self.meant[name] = vectors.mean(axis=0)
                found[name] = leads @ self.meant[name]
        if len(self.positive):
            self.meant[SHOWN] = leads[self.positive].mean(axis=0)
            found[SHOWN] = leads @ self.meant[SHOWN]
            if (pages := len(self.positive)) > 1:
                own = (leads[self.positive] ** 2).sum(axis=1)
                found[SHOWN][self.positive] = (found[SHOWN][self.positive] * pages - own) / (pages - 1)
        if with_likely:
            for name, weight in ((LIKELY, probability), (UNLIKELY, 1.0 - probability)):
                total = (weight * self.times) @ leads
                others = total - weight[:, None] * leads
                self.meant[name] = unit(total)
                found[name] = (leads * others).sum(axis=1) / np.maximum(np.linalg.norm(others, axis=1), 1e-9)
        return found

    def _others(self, probability: Floats) -> Floats:
        """How much each row counts among the pages that are not of the topic."""
        other = np.maximum(1.0 - probability, 1e-3)
        other[self.positive], other[self.negative] = 1e-6, 2.0
        return np.asarray(other * self.times)

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
        vector = unit(vector) if self.keywords is None else unit(vector) + self.keywords
        return np.where(self.excluded > 0.0, np.minimum(vector, 0.0) - self.excluded, vector)

    def told_parts(self, used: Weights) -> dict[str, Part]:
        """The parts that count, as data."""
        return {
            name: Part(form, _words(self.corpus, vector, self.use), used[name], mean, deviation)
            for name, (form, vector, mean, deviation) in self.parts.items()
            if used.get(name)
        }

    def told_meaning(self, used: Weights) -> bytes:
        """What a lead adds to the log odds, as a direction."""
        known = [used[name] * vector for name, vector in self.meant.items() if name in used]
        return np.asarray(sum(known), np.float32).tobytes() if known else b""

    def _of_text(self, probability: Floats) -> Floats:
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
        mean, deviation = standard(values, self._others(probability))
        self.parts[TEXT] = (Form.PLAIN, vector, mean - base, deviation)
        return np.asarray((values - mean) / deviation)


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
