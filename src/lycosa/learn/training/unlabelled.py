"""Learning from positive and unlabelled texts: which unlabelled ones are negative.

After Peng, Zuo and He, "SVM based adaptive learning method for text classification from positive and
unlabeled documents" (2008): reliable negatives by an improved 1-DNF, then an SVM iterated until it
finds no more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lycosa.evidence.text_classifiers import Batch
from lycosa.values import Floats

Rows = NDArray[np.intp]

Decide = Callable[[Rows, Rows], Floats]
"""(negatives, others) -> decision values of the others, by an SVM on the positives and the negatives."""

POSITIVE_SHARE = 0.2
"""A positive feature is on at least this share of the positive texts …"""
POSITIVE_RATIO = 2.0
"""… and on this many times the share of the unlabelled ones. Long pages share too many words otherwise."""
MAX_ROUNDS = 20
MAX_REJECTED = 0.05
"""An SVM that rejects more of the positives than this has gone astray (Li and Liu 2003)."""


def find_negatives(batch: Batch, positives: Rows, negatives: Rows, unlabelled: Rows, decide: Decide) -> Rows:
    """The given negatives and the unlabelled texts that are to be taken for negative, ascending.

    Each round trains on what is known to be negative and adds what it then rejects. Where the last
    round rejects too many of the positives, the reliable negatives of the start are the answer.
    """
    sure = reliable_negatives(batch, positives, unlabelled)
    found = first = np.union1d(negatives, sure)
    rest = np.setdiff1d(unlabelled, sure)
    for _ in range(MAX_ROUNDS):
        if not len(rest):
            break
        rejected = rest[decide(found, rest) < 0]
        if not len(rejected):
            break
        found, rest = np.union1d(found, rejected), np.setdiff1d(rest, rejected)
    astray = float((decide(found, positives) < 0).mean()) > MAX_REJECTED
    return first if astray else found


def reliable_negatives(batch: Batch, positives: Rows, unlabelled: Rows) -> Rows:
    """The unlabelled texts with none of the positive features (improved 1-DNF).

    Where these are fewer than the positives, those with the fewest positive features join them.
    """
    share_in_positives = _shares(batch, positives)
    is_positive = (share_in_positives >= POSITIVE_SHARE) & (
        share_in_positives > POSITIVE_RATIO * _shares(batch, unlabelled)
    )
    number = np.bincount(batch.text, is_positive[batch.feature], batch.size)[unlabelled]
    order = np.argsort(number, kind="stable")
    enough = max(int((number == 0).sum()), min(len(positives), len(unlabelled)))
    return np.sort(unlabelled[order[:enough]])


def _shares(batch: Batch, rows: Rows) -> Floats:
    """The share of those texts that has each feature."""
    inside = np.zeros(batch.size, np.bool_)
    inside[rows] = True
    features = int(batch.feature.max(initial=-1)) + 1
    return np.bincount(batch.feature[inside[batch.text]], minlength=features) / max(1, len(rows))
