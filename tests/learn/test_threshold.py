"""The threshold, the estimates and the guard."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lycosa.learn.judges.calibration import (
    MAX_THRESHOLD,
    MIN_THRESHOLD,
    estimate_of,
    find_threshold,
    sigmoid,
)
from lycosa.learn.judges.doubt import MAX_SPREAD, described
from lycosa.learn.questions import SPREAD, to_ask
from lycosa.wording import interval

chances = st.lists(st.floats(0, 1), max_size=60).map(np.array)


@given(chances)
def test_the_threshold_stays_in_its_range(probability):
    assert MIN_THRESHOLD <= find_threshold(probability) <= MAX_THRESHOLD


def test_a_vague_topic_keeps_its_likeliest_pages():
    """Probabilities that are all small, as they are, do not empty the collection."""
    probability = np.array([0.34, 0.33, 0.33, 0.32, 0.3, 0.1, 0.1, 0.05])
    assert (probability >= find_threshold(probability)).sum() == 5


def test_events_and_topics_have_their_gap_found():
    """Scores with a clean gap: the threshold is not above the lower edge of the right ones, nor below the wrong ones."""
    probability = np.array([0.97, 0.9, 0.55, 0.12, 0.1, 0.08, 0.02])
    assert 0.12 < find_threshold(probability) <= 0.55


@given(chances)
def test_an_estimate_lies_in_its_interval(probability):
    logits = np.log((probability + 1e-6) / (1 - probability + 1e-6))
    kept = probability >= 0.5
    told = estimate_of(logits, np.zeros(len(kept), bool), 1.05, kept)
    assert 0 <= told.relevant_low <= told.relevant <= told.relevant_high <= len(kept) + 1e-9
    assert 0 <= told.precision_low <= told.precision + 1e-9
    assert told.precision <= told.precision_high + 1e-9 <= 1 + 2e-9


@given(st.integers(1, 400), st.floats(-30, 30), st.booleans())
def test_no_interval_is_a_point_without_answers(pages, odds, is_kept):
    """However sure the judge is of pages that nobody looked at; what is answered is sure."""
    logits, open_ = np.full(pages, odds), np.zeros(pages, bool)
    told = estimate_of(logits, open_, 1.05, np.full(pages, is_kept))
    assert told.relevant_high - told.relevant_low >= 0.9 - 1e-9
    assert told.precision_high - told.precision_low >= (1 - 0.1 ** (1 / pages)) - 1e-9
    low, _, high = (
        interval(told.precision, told.precision_low, told.precision_high)[:-1]
        .partition("(")[2]
        .partition(" to ")
    )
    assert low != high
    answered = estimate_of(np.full(pages, 30.0), ~open_, 1.05, ~open_)
    assert (answered.precision_low, answered.relevant_low) == (1.0, pages)


@given(chances)
def test_a_judge_that_cannot_tell_keeps_some_of_the_best_and_says_why(probability):
    """Rather than nothing, unless no page is better than the others, or any has something of the topic."""
    logits = np.log((probability + 1e-6) / (1 - probability + 1e-6))
    threshold, told = described(logits, np.zeros(len(logits), bool), 1.05, None)
    kept = sigmoid(logits) >= threshold
    assert told.kept == kept.sum()
    if len(set(sigmoid(logits))) == len(probability) > 0 and probability.max() > 0.01:
        assert told.kept
    if told.kept and threshold < MIN_THRESHOLD:
        assert told.unsure
        assert probability[kept].min() >= probability[~kept].max(initial=0.0)
    if told.precision_high - told.precision_low > MAX_SPREAD:
        assert told.unsure


def test_a_threshold_of_the_user_is_not_lowered():
    threshold, told = described(np.full(20, -5.0), np.zeros(20, bool), 1.05, 0.9)
    assert (threshold, told.kept, told.unsure) == (0.9, 0, "no page is likely enough to be relevant")


def test_what_separates_is_told():
    """Forty sure pages of a hundred: nothing is uncertain."""
    logits = np.where(np.arange(100) < 40, 4.0, -4.0)
    assert described(logits, np.zeros(100, bool), 1.05, None)[1].unsure == ""


def test_answers_make_the_interval_narrower():
    logits, kept = np.linspace(-3, 3, 50), np.linspace(-3, 3, 50) > 0
    nothing = estimate_of(logits, np.zeros(50, bool), 1.05, kept)
    answered = estimate_of(
        np.where(np.arange(50) % 2, 30 * np.sign(logits), logits), np.arange(50) % 2 == 1, 0.5, kept
    )
    assert answered.relevant_high - answered.relevant_low < nothing.relevant_high - nothing.relevant_low


@given(chances, st.integers(1, 9), st.integers(0, 30))
def test_nobody_is_asked_twice(probability, count, answered):
    known = set(range(0, len(probability), 2))
    rows = to_ask(probability, known, count, answered=answered, threshold=0.5)
    assert len(set(rows)) == len(rows) <= count
    assert not set(rows) & known


def test_first_answers_are_spread_and_later_ones_near_the_threshold():
    probability = np.linspace(0, 1, 101)
    spread = to_ask(probability, (), 5, answered=0, threshold=0.5)
    near = to_ask(probability, (), 5, answered=SPREAD, threshold=0.5)
    assert max(probability[spread]) - min(probability[spread]) > 0.4
    assert all(abs(probability[near] - 0.5) <= 0.03)
