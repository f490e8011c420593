"""Held-out figures of a classifier, folds, and the sigmoid that makes probabilities of decision values."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.evidence.text_classifiers import LARGEST, Sigmoid
from lycosa.values import Floats

Truth = NDArray[np.bool_]


class Figures(msgspec.Struct, frozen=True):
    """Held-out figures of the positive class; `auc` is the share of pairs in the right order."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    auc: float
    folds: int
    positives: int
    negatives: int


def figures_of(positive: Truth, decision: Floats, *, folds: int, boundary: float = 0.0) -> Figures:
    """Accuracy, precision, recall, F1 at the boundary, and the area under the ROC curve.

    >>> figures_of(np.array([True, True, False, False]), np.array([2.0, -1.0, 1.0, -2.0]), folds=2)
    Figures(accuracy=0.5, precision=0.5, recall=0.5, f1=0.5, auc=0.75, folds=2, positives=2, negatives=2)
    """
    said = decision >= boundary
    hits = int((said & positive).sum())
    precision = hits / max(1, int(said.sum()))
    recall = hits / max(1, int(positive.sum()))
    return Figures(
        accuracy=float((said == positive).mean()),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if hits else 0.0,
        auc=area_under_roc(positive, decision),
        folds=folds,
        positives=int(positive.sum()),
        negatives=int((~positive).sum()),
    )


def area_under_roc(positive: Truth, decision: Floats) -> float:
    """The probability that a positive has a higher value than a negative; a tie counts half.

        AUC = (R+ − n+(n+ + 1)/2) / (n+ · n−),  R+ = sum of the positives' (mean) ranks

    With no positive or no negative it is 0.5: nothing can be said.

    >>> area_under_roc(np.array([True, False, False]), np.array([1.0, 1.0, 0.0]))
    0.75
    """
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    if not n_pos or not n_neg:
        return 0.5
    _, inverse, counts = np.unique(decision, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    rank_sum = float(mean_rank[inverse][positive].sum())
    return (rank_sum - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def folds_by_group(
    positive: Truth, groups: Sequence[str], folds: int, random_seed: int
) -> list[NDArray[np.intp]]:
    """The examples of each held-out fold: a group is never split, classes are spread evenly.

    An empty group name means a group of its own. Fewer folds come back, or none, where one of the
    classes has too few groups.

    >>> positive = np.array([True, True, False, False, False])
    >>> sorted(fold.tolist() for fold in folds_by_group(positive, ["a", "a", "", "b", "b"], 5, 0))
    []
    >>> sorted(fold.tolist() for fold in folds_by_group(positive, ["a", "", "a", "b", "b"], 5, 0))
    [[0, 2], [1, 3, 4]]
    """
    members: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        members.setdefault(group or f"\0{i}", []).append(i)
    with_positive = sum(bool(positive[m].any()) for m in members.values())
    with_negative = sum(bool((~positive[m]).any()) for m in members.values())
    folds = min(folds, with_positive, with_negative)
    if folds < 2:
        return []
    shuffled = Random(random_seed).sample(sorted(members.values()), len(members))
    # the largest first, so that the small ones can even out what the large ones did
    shuffled.sort(key=lambda m: (-int(positive[m].sum()), -len(m)))
    load = np.zeros((folds, 2))
    chosen: list[list[int]] = [[] for _ in range(folds)]
    for m in shuffled:
        own = np.array([positive[m].sum(), (~positive[m]).sum()])
        fold = min(range(folds), key=lambda f: (*(load[f] * (own > 0)), load[f].sum()))
        load[fold] += own
        chosen[fold] += m
    return [np.array(sorted(fold), np.intp) for fold in chosen]


def fit_sigmoid(positive: Truth, decision: Floats) -> Sigmoid | None:
    """Platt's sigmoid through held-out decision values, by Newton's method (Lin, Lin and Weng 2007).

    Minimises the cross entropy of P = 1/(1 + exp(A·d + B)) with the targets (n+ + 1)/(n+ + 2) and
    1/(n− + 2). None where the values do not rise with the class: then there is nothing to fit.
    """
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    spread = float(decision.std()) if len(decision) else 0.0
    if not n_pos or not n_neg or spread == 0.0:
        return None
    target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    centre = float(decision.mean())
    x = np.stack([(decision - centre) / spread, np.ones(len(decision))])  # scaled: a well-shaped problem
    ab = np.array([0.0, np.log((n_neg + 1) / (n_pos + 1))])
    for _ in range(100):
        p = 1 / (1 + np.exp(np.clip(ab @ x, -700, 700)))
        gradient = x @ (target - p)
        hessian = (x * (p * (1 - p))) @ x.T + 1e-10 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        if np.abs(step).max() < 1e-10:
            break
        ab = _descend(ab, step, x, target)
    slope, offset = float(ab[0] / spread), float(ab[1] - ab[0] * centre / spread)
    usable = -LARGEST < slope < 0 and abs(offset) < LARGEST
    return Sigmoid(slope, offset) if usable else None


def _descend(ab: Floats, step: Floats, x: Floats, target: Floats) -> Floats:
    """The longest of the steps 1, ½, ¼ … that lowers the cross entropy."""

    def loss(candidate: Floats) -> float:
        z = candidate @ x
        return float((np.logaddexp(0.0, z) - (1 - target) * z).sum())

    start, length = loss(ab), 1.0
    while length > 1e-6 and loss(ab - length * step) > start:
        length /= 2
    return np.asarray(ab - length * step)
