"""Fits the forms of a classifier with scikit-learn, and takes them out as arrays that numpy runs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import InputError
from lycosa.evidence.text_classifiers import MAX_CELLS, Batch, Linear, NaiveBayes, Rbf, Tree

Rows = NDArray[np.intp]
Truth = NDArray[np.bool_]


class TextSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How to fit. `weighting` is that of the training texts; naive Bayes takes bare counts.

    `balance`: "weights" makes both classes weigh the same, "undersample" drops examples of the larger
    class at random, inside every training fold; default: undersample for naive Bayes, weights else.
    """

    classifier: Literal["linear", "rbf", "naive-bayes", "tree"] = "linear"
    weighting: Literal["tfidf", "tfc", "tfipndf", "sublinear"] = "tfc"
    fields: tuple[str, ...] = ()
    min_documents: int = 2  # a term on fewer training texts is no feature
    max_features: int = 20_000  # short texts such as anchors need many: rare terms decide them
    balance: Literal["none", "weights", "undersample"] | None = None
    positive_weight: float = 1.0  # multiplies the weight of the positive class
    c: float = 1.0  # the SVMs' penalty of errors
    gamma: float = 1.0  # of the RBF kernel
    smoothing: float = 1.0  # of naive Bayes
    min_leaf: int = 2  # texts in a leaf of the tree
    pu: bool = False  # learn from positive and unlabelled examples
    folds: int = 5
    random_seed: int = 0


def balance(settings: TextSettings) -> str:
    """The class balance: as set, or the classifier's default."""
    return settings.balance or ("undersample" if settings.classifier == "naive-bayes" else "weights")


def class_weights(settings: TextSettings, positive: Truth) -> dict[bool, float]:
    """The weight of each class in training."""
    share = float(positive.mean())
    even = balance(settings) == "weights"
    return {
        True: settings.positive_weight * (0.5 / share if even else 1.0),
        False: 0.5 / (1 - share) if even else 1.0,
    }


def matrix(batch: Batch, features: int) -> Any:
    """A batch as a scipy matrix, a row for each text."""
    from scipy.sparse import csr_matrix

    return csr_matrix((batch.value, (batch.text, batch.feature)), shape=(batch.size, features))


def fit_linear(settings: TextSettings, weights: Any, positive: Truth) -> Linear:
    """A linear SVM (squared hinge loss)."""
    from sklearn.svm import LinearSVC

    svm = LinearSVC(
        C=settings.c,
        dual=True,
        class_weight=class_weights(settings, positive),
        random_state=settings.random_seed,
        max_iter=10_000,
    ).fit(weights, positive)
    return Linear(svm.coef_[0].copy(), float(svm.intercept_[0]))


def fit_rbf(settings: TextSettings, weights: Any, positive: Truth) -> Rbf:
    """An SVM with the RBF kernel."""
    from sklearn.svm import SVC

    svm = SVC(
        C=settings.c, gamma=settings.gamma, class_weight=class_weights(settings, positive), cache_size=100
    ).fit(weights, positive)
    if np.prod(svm.support_vectors_.shape) > MAX_CELLS:
        raise InputError("The RBF model would need too much memory. Set a lower max_features, or use linear.")
    by_feature = svm.support_vectors_.tocsc()
    by_feature.sort_indices()
    dual = svm.dual_coef_.toarray() if hasattr(svm.dual_coef_, "toarray") else svm.dual_coef_
    return Rbf(
        starts=by_feature.indptr.astype(np.int32),
        support=by_feature.indices.astype(np.int32),
        values=by_feature.data.astype(np.float64),
        dual=dual[0].astype(np.float64),
        gamma=settings.gamma,
        intercept=float(svm.intercept_[0]),
    )


def fit_naive_bayes(settings: TextSettings, batch: Batch, positive: Truth, field_starts: Rows) -> NaiveBayes:
    """Multinomial naive Bayes, a multinomial for each field; the prior counts once."""
    from sklearn.naive_bayes import MultinomialNB

    weight = class_weights(settings, positive)
    counts = matrix(batch, int(field_starts[-1])).tocsc()
    sample_weight = np.where(positive, weight[True], weight[False])
    parts, prior = [], 0.0
    for start, end in pairwise(field_starts.tolist()):
        if start == end:
            continue
        bayes = MultinomialNB(alpha=settings.smoothing).fit(counts[:, start:end], positive, sample_weight)
        parts.append(bayes.feature_log_prob_[1] - bayes.feature_log_prob_[0])
        prior = float(bayes.class_log_prior_[1] - bayes.class_log_prior_[0])
    return NaiveBayes(np.concatenate(parts), prior)


def fit_tree(settings: TextSettings, weights: Any, positive: Truth) -> Tree:
    """A decision tree (Gini impurity)."""
    from sklearn.tree import DecisionTreeClassifier

    tree = (
        DecisionTreeClassifier(
            min_samples_leaf=settings.min_leaf,
            class_weight=class_weights(settings, positive),
            random_state=settings.random_seed,
        )
        .fit(weights, positive)
        .tree_
    )
    share = tree.value[:, 0, 1] / tree.value[:, 0].sum(axis=1)
    return Tree(
        feature=np.maximum(tree.feature, -1).astype(np.int32),
        threshold=tree.threshold.astype(np.float64),
        left=tree.children_left.astype(np.int32),
        right=tree.children_right.astype(np.int32),
        positive=share.astype(np.float64),
    )
