"""The signals of a page that a judge looks at, and what each weighs in the log odds that the page is relevant.

    log odds = constant + Σ weight of a signal · its value

`coefficients.json` has the weights, fitted on crawls of many topics, and says on which. Weights of cosines, which do not
depend on what else was fetched, hold for a crawl full of the topic as for one without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import log, log1p
from pathlib import Path

import msgspec
import numpy as np

from lycosa.learn.judges.calibration import sigmoid
from lycosa.values import Floats

KEYWORDS, EXAMPLES, TEXT, EVIDENCE = "keywords", "examples", "text", "evidence"
"""Closeness to the keywords and to the examples; the classifier of words; a method's evidence. The last two are in
deviations of other pages."""
ASKED, EACH, SHOWN, LIKELY, UNLIKELY = "asked", "each", "shown", "likely", "unlikely"
"""The cosine of a page's lead with the keywords together, each keyword, the examples, likely and unlikely pages."""
CONSTANT, DECLINE = "constant", "decline"
NEAR = 0.02
"""The cosine from which on closeness grows with the logarithm: cosines of pages and keywords are small numbers."""
FIRST_PAGES = 200
"""Number of a crawl's first pages that its later pages are compared with."""
USUAL_SHARE, MIN_USUAL = 0.23, 20.0
"""The mean probability in a crawl of 200 pages. Pages with it are added to those of a crawl: a tenth of their number, at least MIN_USUAL."""
MAX_DECLINE = 2.5
"""The most that crawls had that the weights were fitted on. Beyond, nothing is known."""
COEFFICIENTS = Path(__file__).parent / "coefficients.json"

Weights = Mapping[str, float]
"""What each signal weighs, and the constant."""
Signals = Mapping[str, Floats]
"""By name: the value of each page."""


class Coefficients(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of a kind of request: before there is a classifier of words, and with it."""

    at_first: dict[str, float]
    in_full: dict[str, float]
    share: float = 0.0  # of relevant pages in the crawls that they were fitted on


class _Shipped(msgspec.Struct, frozen=True):
    provenance: dict[str, str]  # by kind: on which crawls they were fitted
    given: dict[str, Coefficients]


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Coefficients]:
    """The weights by what was given: `both` (keywords and examples), `keywords`, `sentence`, `examples`, `evidence` of a method
    (with example pages), `evidence guessed` (likely pages in their place), `evidence alone`; those of crawls with an encoder have `, meaning` behind it."""
    return msgspec.json.decode(COEFFICIENTS.read_bytes(), type=_Shipped).given


def closeness(cosine: Floats) -> Floats:
    """log(1 + cosine / 0.02): a page without a keyword has 0.

    >>> closeness(np.array([0.0, 0.02, 0.3])).round(2).tolist()
    [0.0, 0.69, 2.77]
    """
    return np.asarray(np.log1p(np.maximum(cosine, 0.0) / NEAR))


def closeness_of(cosine: float) -> float:
    """The same of one page."""
    return log1p(max(cosine, 0.0) / NEAR)


def log_odds(weights: Weights, signals: Signals) -> Floats:
    """The log odds of each page.

    >>> log_odds({"constant": -1.0, "text": 2.0}, {"text": np.array([0.5, 1.0])}).tolist()
    [0.0, 1.0]
    """
    pages = len(next(iter(signals.values()), ()))
    odds = np.full(pages, weights[CONSTANT])
    for name, weight in weights.items():
        if name in signals:
            odds += weight * signals[name]
    return odds


def decline_of(at_first: Floats) -> float:
    """By how much the share of likely pages is less than it was in the crawl's beginning; pages in the order of fetching.

    A crawl that goes on when the right pages are all found fetches what is most like them. Each of these looks as it would
    among right ones; that likely pages have become so few tells them apart.

        s(n) = (Σ p of the first n + 0.23 m) / (n + m),  m = max(20, n / 10)
        decline = logit s(200) − logit s(all), at least 0, with the probabilities of the first round

    >>> decline_of(np.zeros(0)), decline_of(np.full(200, -9.0))
    (0.0, 0.0)
    >>> round(decline_of(np.append(np.zeros(200), np.full(200, -9.0))), 2)
    1.01
    """
    told = sigmoid(at_first)

    def odds(pages: Floats) -> float:
        usual = max(MIN_USUAL, len(pages) / 10)
        share = (float(pages.sum()) + usual * USUAL_SHARE) / (len(pages) + usual)
        return log(share / (1.0 - share))

    return min(MAX_DECLINE, max(0.0, odds(told[:FIRST_PAGES]) - odds(told)))


def in_crawl(weights: Weights, decline: float) -> dict[str, float]:
    """The weights for the pages of a crawl with this decline: what it adds goes into the constant.

    >>> in_crawl({"constant": 1.0, "text": 2.0, "decline": -1.0}, 1.5)
    {'constant': -0.5, 'text': 2.0}
    """
    others = {name: weight for name, weight in weights.items() if name != DECLINE}
    return others | {CONSTANT: weights[CONSTANT] + weights.get(DECLINE, 0.0) * decline}
