"""The paper's weights, against numbers worked by hand and against a plain double loop."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.evidence.weighting import (
    inverse_document_frequency,
    tfc,
    tfidf,
    tfindf,
    tfipdf,
    tfipndf,
    tfipndf_unit,
    unit_length,
)

# Four documents over three terms; the first two are positive.
COUNTS = np.array([[2, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 3]])
POSITIVE = np.array([True, True, False, False])


def triples():
    """(document, term, frequency) of every pair that occurs."""
    text, term = np.nonzero(COUNTS)
    return text, term, COUNTS[text, term]


def test_every_equation_agrees_with_a_plain_loop():
    """In coordinate form each equation gives what its definition gives pair by pair."""
    text, term, frequency = triples()
    idf = inverse_document_frequency(4, (COUNTS > 0).sum(axis=0))[term]
    p_share = (COUNTS[:2] > 0).mean(axis=0)[term]
    n_share = (COUNTS[2:] > 0).mean(axis=0)[term]
    weights = tfipndf(frequency, p_share, n_share, idf, POSITIVE[text])
    unit = tfipndf_unit(frequency, p_share, n_share, idf, POSITIVE[text], text, 4)
    cosine = tfc(frequency, idf, text, 4)
    for j, (k, i, f) in enumerate(zip(text, term, frequency, strict=True)):
        log = math.log(4 / int((COUNTS[:, i] > 0).sum()))
        own = COUNTS[POSITIVE[k] == POSITIVE]
        assert weights[j] == pytest.approx(f * (own[:, i] > 0).mean() * log)
        others = [COUNTS[k, r] * math.log(4 / int((COUNTS[:, r] > 0).sum())) for r in range(3)]
        assert cosine[j] == pytest.approx(f * log / math.hypot(*others))
        shared = [o * (own[:, r] > 0).mean() for r, o in enumerate(others)]
        assert unit[j] == pytest.approx(f * (own[:, i] > 0).mean() * log / math.hypot(*shared))


def test_the_papers_example():
    """A term in 9 of 10 positive and 1 of 10 negative documents weighs nine times as much in the former."""
    idf = inverse_document_frequency(20, [10])
    assert tfipdf([1], [0.9], idf)[0] == pytest.approx(9 * tfindf([1], [0.1], idf)[0])
    assert tfidf([1], idf)[0] == pytest.approx(math.log(2))


def test_a_text_without_weight_stays_zero():
    """Where the paper divides by zero the weights stay zero, without a warning."""
    assert tfc([3, 2], [0.0, 0.0]).tolist() == [0.0, 0.0]
    assert tfc([], []).tolist() == []


WEIGHTS = st.just(0.0) | st.floats(1e-100, 1e6)
"""Squares of smaller weights lose their digits; no word has such."""


@given(st.lists(st.tuples(st.integers(0, 4), WEIGHTS), max_size=30))
def test_each_text_has_length_one_or_zero(pairs):
    """After normalisation every text's vector has length one, or zero if it had no weight."""
    pairs.sort(key=lambda pair: pair[0])
    of = np.array([text for text, _ in pairs], np.intp)
    lengths = np.bincount(of, unit_length([weight for _, weight in pairs], of, 5) ** 2, 5)
    assert ((np.abs(lengths - 1) < 1e-9) | (lengths < 1e-9)).all()
