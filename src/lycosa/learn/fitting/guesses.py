"""Fits the judge of an event without model pages: its likeliest pages take their place.

Reports of one event share names that its headline does not have. Without them, all shootings of a city look alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lycosa.learn.fitting.corpus import Corpus
from lycosa.learn.fitting.fit import Fitted, fit_judge
from lycosa.learn.fitting.given import Given
from lycosa.learn.judges.signals import Coefficients

GUESSES = 3
"""Maximum number of pages that are taken for model pages."""
MIN_GUESS = 0.2
"""Minimum probability of such a page: a wrong one brings its like."""


def fit_with_guesses(
    corpus: Corpus, given: Given, coefficients: Mapping[str, Coefficients] | None = None
) -> Fitted:
    """Fit a judge; that of an event that nobody gave or confirmed a page of, once more with its likeliest pages."""
    first = fit_judge(corpus, given, coefficients)
    if given.kind != "evidence alone":
        return first
    chance = np.delete(np.arange(len(corpus)), [*given.answers])
    likeliest = chance[np.argsort(-first.probability[chance], kind="stable")[:GUESSES]]
    guessed = tuple(sorted(row for row in likeliest.tolist() if MIN_GUESS <= first.probability[row] < 1.0))
    return fit_judge(corpus, replace(given, guessed=guessed), coefficients) if guessed else first
