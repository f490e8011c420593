"""Term weights of the selective link-context paper.

The equations are those of Liu, Peng and Zuo, "Topical Web Crawling for Domain-Specific Resource Discovery Enhanced by
Selectively using Link-Context" (2014). Each function takes one number per (text, term) pair; `of` gives the text of
each pair where it matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lycosa.values import Floats

Integers = NDArray[np.intp]


def inverse_document_frequency(documents: int, containing: ArrayLike) -> Floats:
    """How rare a term is among the documents.

        idf_i = log(N / n_i)          [Liu 2014, the second factor of eqs. 1-6]

    N = `documents`, n_i = `containing`, natural logarithm (the base changes every weight by one
    factor, and none after normalisation). n_i = 0 is undefined: such a term is no feature.

    >>> inverse_document_frequency(20, [10, 20, 5]).round(4).tolist()   # log 2, log 1, log 4
    [0.6931, 0.0, 1.3863]
    """
    return np.log(documents / np.asarray(containing, np.float64))


def tfidf(frequency: ArrayLike, idf: ArrayLike) -> Floats:
    """Term frequency times inverse document frequency.

        x_ki = f_ki · log(N / n_i)          [Liu 2014, eq. 2]

    >>> tfidf([3, 1], inverse_document_frequency(20, [10, 5])).round(4).tolist()  # 3·log 2, 1·log 4
    [2.0794, 1.3863]
    """
    return np.asarray(frequency, np.float64) * np.asarray(idf, np.float64)


def unit_length(weights: ArrayLike, of: Integers | None = None, texts: int = 1) -> Floats:
    """Weights divided by the length of their text's vector: the denominator of eqs. 1 and 6.

    `of[j]` is the text that `weights[j]` belongs to (default: all to one), of `texts` many.
    Departure: where a text's weights are all zero (every term in every document) the paper divides
    by zero; ours stay zero.

    >>> unit_length([3.0, 4.0, 0.0]).tolist()
    [0.6, 0.8, 0.0]
    >>> unit_length([3.0, 4.0, 2.0, 0.0], np.array([0, 0, 1, 2]), texts=3).tolist()
    [0.6, 0.8, 1.0, 0.0]
    """
    weights = np.asarray(weights, np.float64)
    of = np.zeros(len(weights), np.intp) if of is None else of
    length = np.sqrt(np.bincount(of, weights * weights, texts))
    length[length == 0.0] = 1.0
    return weights / length[of]


def tfc(frequency: ArrayLike, idf: ArrayLike, of: Integers | None = None, texts: int = 1) -> Floats:
    """Cosine-normalised tf·idf: what anchors, contexts and pages are weighted by at prediction.

        x_ki = f_ki · log(N/n_i) / sqrt( sum_r [f_kr · log(N/n_r)]² )          [Liu 2014, eq. 1]

    By hand, N = 4, n = (2, 1), f = (2, 1): weights 2·log 2 and 1·log 4 = 2·log 2, so each is 1/√2.

    >>> tfc([2, 1], inverse_document_frequency(4, [2, 1])).round(4).tolist()
    [0.7071, 0.7071]
    """
    return unit_length(tfidf(frequency, idf), of, texts)


def sublinear(frequency: ArrayLike, idf: ArrayLike, of: Integers | None = None, texts: int = 1) -> Floats:
    """Cosine-normalised (1 + log tf)·idf. Ours, not the paper's: a word that is said often counts less each time.

        x_ki = (1 + log f_ki) · log(N/n_i) / length

    >>> sublinear([np.e, 1], [1.0, 2.0]).round(4).tolist()
    [0.7071, 0.7071]
    """
    damped = 1 + np.log(np.asarray(frequency, np.float64))
    return unit_length(tfidf(damped, idf), of, texts)


def tfipdf(frequency: ArrayLike, positive_share: ArrayLike, idf: ArrayLike) -> Floats:
    """Inverse *positive* document frequency weighting, for terms of positive documents.

        TFIPDF = f_ki · (P_i / S_P) · log(N / n_i)          [Liu 2014, eq. 3]

    P_i = positive documents with term i, S_P = all positive documents; `positive_share` = P_i/S_P.
    The paper's own example: of 10 + 10 documents a term is in 9 positive and 1 negative ones.

    >>> tfipdf([1], [9 / 10], inverse_document_frequency(20, [10])).round(4).tolist()  # 0.9·log 2
    [0.6238]
    """
    return tfidf(frequency, idf) * np.asarray(positive_share, np.float64)


def tfindf(frequency: ArrayLike, negative_share: ArrayLike, idf: ArrayLike) -> Floats:
    """Inverse *negative* document frequency weighting, for terms of negative documents.

        TFINDF = f_ki · (N_i / S_N) · log(N / n_i)          [Liu 2014, eq. 4]

    N_i = negative documents with term i, S_N = all negative documents; `negative_share` = N_i/S_N.

    >>> tfindf([1], [1 / 10], inverse_document_frequency(20, [10])).round(4).tolist()  # 0.1·log 2
    [0.0693]
    """
    return tfidf(frequency, idf) * np.asarray(negative_share, np.float64)


def tfipndf(
    frequency: ArrayLike,
    positive_share: ArrayLike,
    negative_share: ArrayLike,
    idf: ArrayLike,
    positive: ArrayLike,
) -> Floats:
    """TFIPDF in positive documents, TFINDF in negative ones; `positive` says which, pair by pair.

        TFIPNDF = eq. 3 if document k in P, eq. 4 if document k in N          [Liu 2014, eq. 5]

    The weight needs the class, so it is for training only.

    >>> idf = inverse_document_frequency(20, [10, 10])
    >>> tfipndf([1, 1], [0.9, 0.9], [0.1, 0.1], idf, [True, False]).round(4).tolist()
    [0.6238, 0.0693]
    """
    return np.where(
        np.asarray(positive, np.bool_),
        tfipdf(frequency, positive_share, idf),
        tfindf(frequency, negative_share, idf),
    )


def tfipndf_unit(
    frequency: ArrayLike,
    positive_share: ArrayLike,
    negative_share: ArrayLike,
    idf: ArrayLike,
    positive: ArrayLike,
    of: Integers | None = None,
    texts: int = 1,
) -> Floats:
    """Length-normalised TFIPNDF: the training weights of the paper's classifier.

        x_ki = TFIPNDF_ki / sqrt( sum_r TFIPNDF_kr² )          [Liu 2014, eq. 6]

    By hand, one positive document with two terms of equal f and idf and P/S_P of 0.6 and 0.8.

    >>> idf = inverse_document_frequency(4, [2, 2])
    >>> tfipndf_unit([1, 1], [0.6, 0.8], [0.5, 0.5], idf, [True, True]).round(4).tolist()
    [0.6, 0.8]
    """
    return unit_length(tfipndf(frequency, positive_share, negative_share, idf, positive), of, texts)
