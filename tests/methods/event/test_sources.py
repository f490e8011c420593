"""The seven functions of source importance and ours, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lycosa.errors import SpecError
from lycosa.methods.event.sources import SOURCES, mean_score, source_keys
from lycosa.methods.event.strategy import Event

GOOD = np.array([5.0, 0.0, 0.0])
BAD = np.array([1.0, 0.0, 9.0])
BEST = np.array([0.2, 0.5, 0.9])


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("negative-absolute-bad", [0.5, 1.0, 0.1]),
        ("best-score", [0.2, 0.5, 0.9]),
        ("success-rate", [3.0, 1.0, 0.1]),
        ("absolute-good", [1.2, 0.5, 0.9]),
        ("success-rate-best", [0.6, 0.5, 0.09]),
    ],
)
def test_keys_by_hand(source, keys):
    """Each function is the paper's, on three sources: good, new and bad."""
    assert source_keys(source, GOOD, BAD, BEST) == pytest.approx(keys)


@pytest.mark.parametrize("source", ["thompson", "thompson-best"])
def test_draws_are_keyed_by_seed_and_step(source):
    """The same seed and step draw the same; another step draws afresh."""
    first = source_keys(source, GOOD, BAD, BEST, seed=1, step=4)
    assert (first == source_keys(source, GOOD, BAD, BEST, seed=1, step=4)).all()
    assert (first != source_keys(source, GOOD, BAD, BEST, seed=1, step=5)).all()
    assert (first != source_keys(source, GOOD, BAD, BEST, seed=2, step=4)).all()


def test_thompson_sampling_prefers_good_sources():
    """On average the good source draws the largest number."""
    wins = [int(np.argmax(source_keys("thompson", GOOD, BAD, BEST, step=step))) for step in range(200)]
    assert wins.count(0) > wins.count(1) > wins.count(2)


def test_the_mean_score_lets_a_new_source_wait_behind_a_good_and_before_a_bad_one():
    """With equal links: better than the mean, new (the mean), worse than it; a tried source is not forgotten."""
    good, bad, best = np.array([1.2, 0.0, 0.1]), np.array([1.8, 0.0, 2.9]), np.full(3, 0.5)
    keys = mean_score(good, bad, best, mean=0.2, prior_pages=2.0, newcomers=1.0)
    assert keys == pytest.approx([0.5 * 1.6 / 5, 0.5 * 0.2, 0.5 * 0.5 / 5])
    shy = mean_score(good, bad, best, mean=0.2, prior_pages=2.0, newcomers=0.2)
    assert shy[1] < keys[1]
    assert np.argmax(shy) == 0


def test_names():
    """All names of the spec are known; another is refused with the list."""
    assert len(SOURCES) == 9
    with pytest.raises(SpecError, match="success-rate-best"):
        Event(source="pagerank").check(Path())  # type: ignore[arg-type]
