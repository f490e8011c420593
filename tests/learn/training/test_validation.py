"""Folds, figures and the sigmoid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from lycosa.learn.training.validation import area_under_roc, fit_sigmoid, folds_by_group


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=2, max_size=40))
def test_auc_is_sklearns(pairs):
    """Ties included, the area is the one scikit-learn computes."""
    truth, values = np.array([p for p, _ in pairs]), np.array([float(v) for _, v in pairs])
    if truth.all() or not truth.any():
        assert area_under_roc(truth, values) == 0.5
    else:
        assert area_under_roc(truth, values) == pytest.approx(roc_auc_score(truth, values))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from(["", "a", "b", "c", "d", "e"])), max_size=40),
    st.integers(2, 6),
    st.integers(0, 3),
)
def test_folds_cover_all_and_split_no_group(examples, folds, seed):
    """Each example is held out exactly once, together with its group."""
    positive, groups = np.array([p for p, _ in examples], bool), [g for _, g in examples]
    made = folds_by_group(positive, groups, folds, seed)
    if not made:
        return
    assert sorted(np.concatenate(made).tolist()) == list(range(len(examples)))
    for name in {"a", "b", "c", "d", "e"}:
        assert sum(any(groups[i] == name for i in fold) for fold in made) <= 1


def test_classes_are_spread_evenly():
    """Without groups every fold has its share of both classes."""
    positive = np.arange(50) % 5 == 0
    made = folds_by_group(positive, [""] * 50, 5, 0)
    assert [(int(positive[f].sum()), len(f)) for f in made] == [(2, 10)] * 5


def test_sigmoid_recovers_the_one_that_made_the_data():
    """With many values the fitted sigmoid is the true one."""
    random = np.random.default_rng(0)
    values = random.normal(size=20_000)
    truth = random.random(20_000) < 1 / (1 + np.exp(-2 * values + 1))
    fitted = fit_sigmoid(truth, values)
    assert fitted is not None
    assert fitted.slope == pytest.approx(-2, abs=0.1)
    assert fitted.offset == pytest.approx(1, abs=0.1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.floats(-1e6, 1e6)), max_size=30))
def test_sigmoid_never_fails(pairs):
    """Any values give a rising sigmoid or none."""
    fitted = fit_sigmoid(np.array([p for p, _ in pairs], bool), np.array([v for _, v in pairs], float))
    assert fitted is None or fitted.slope < 0
