"""The signals of a page that a judge looks at, and what each weighs in the log odds that the page is relevant.

    log odds = constant + Σ weight of a signal · its value

`coefficients.json` has the weights, fitted on crawls of many topics, and says on which. Weights of cosines, which do not
depend on what else was fetched, hold for a crawl full of the topic as for one without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log, log1p
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from lycosa.learn.judges.calibration import sigmoid
from lycosa.values import Floats

KEYWORDS, EXAMPLES, COVERAGE, TEXT, EVIDENCE, PLAIN = (
    "keywords",
    "examples",
    "coverage",
    "text",
    "evidence",
    "plain",
)
"""Closeness to the keywords and to the examples; the share of the keywords that the page has; the classifier of words; a
method's evidence in deviations of other pages, and as it is."""
ASKED, EACH, SHOWN, LIKELY, UNLIKELY = "asked", "each", "shown", "likely", "unlikely"
"""What the lead of a page means, beside the keywords together, each keyword, the examples, likely and unlikely pages."""
CONSTANT, SHARE, DECLINE = "constant", "share", "decline"
NEAR = 0.02
"""The cosine from which on closeness grows with the logarithm: cosines of pages and keywords are small numbers."""
FIRST_PAGES = 200
"""Number of a crawl's first pages that its later pages are compared with."""
USUAL_SHARE, MIN_USUAL = 0.23, 20.0
"""The mean probability in a crawl of 200 pages. Pages with it are added to those of a crawl: a tenth of their number, at least MIN_USUAL."""
SHARES, MAX_DECLINE = (-3.0, 1.0), 2.5
"""Of the log odds of the mean probability, as crawls had them that the weights were fitted on. Beyond, nothing is known."""
_FILE = Path(__file__).parent / "coefficients.json"

Weights = Mapping[str, float]
"""What each signal weighs, and the constant."""
Signals = Mapping[str, Floats]
"""By name: the value of each page."""


class Coefficients(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of a kind of request: before there is a classifier of words, and with it."""

    at_first: dict[str, float]
    in_full: dict[str, float]


class _Shipped(msgspec.Struct, frozen=True):
    provenance: str
    given: dict[str, Coefficients]


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Coefficients]:
    """The weights by what was given: `both` (keywords and examples), `keywords`, `examples`, `evidence` of a method
    (with example pages), `evidence alone`; those of crawls with an encoder have `, meaning` behind it."""
    return msgspec.json.decode(_FILE.read_bytes(), type=_Shipped).given


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


class CrawlSigns(NamedTuple):
    """The features of a crawl as a whole, for each of its pages."""

    share: float  # how many pages look likely: log odds of their mean probability
    decline: float  # by how much that is less than it was in the beginning


def crawl_signs(at_first: Floats) -> CrawlSigns:
    """How many pages of a crawl look likely at first, and how much fewer than in its beginning; pages in the order of fetching.

    A crawl that goes on when the right pages are all found fetches what is most like them. Each of these looks as it would
    among right ones; that likely pages have become so few tells them apart.

        s(n) = (Σ p of the first n + 0.23 m) / (n + m),  m = max(20, n / 10)
        share = log(s / (1 − s)) of all pages;  decline = that of the first 200 − that of all, at least 0

    >>> [round(sign, 2) for sign in crawl_signs(np.zeros(0))], crawl_signs(np.full(9000, -9.0)).decline
    ([-1.21, 0.0], 0.0)
    >>> round(crawl_signs(np.append(np.zeros(200), np.full(200, -9.0))).decline, 2)
    0.63
    """
    told = sigmoid(at_first)

    def odds(pages: Floats) -> float:
        usual = max(MIN_USUAL, len(pages) / 10)
        share = (float(pages.sum()) + usual * USUAL_SHARE) / (len(pages) + usual)
        return log(share / (1.0 - share))

    low, high = SHARES
    decline = odds(told[:FIRST_PAGES]) - odds(told)
    return CrawlSigns(min(high, max(low, odds(told))), min(MAX_DECLINE, max(0.0, decline)))


def in_crawl(weights: Weights, signs: CrawlSigns) -> dict[str, float]:
    """The weights for the pages of a crawl with these signs: what they add goes into the constant.

    >>> in_crawl({"constant": 1.0, "text": 2.0, "share": 0.5, "decline": -1.0}, CrawlSigns(-2.0, 1.0))
    {'constant': -1.0, 'text': 2.0}
    """
    of_crawl = {SHARE: signs.share, DECLINE: signs.decline}
    constant = weights[CONSTANT] + sum(weights.get(name, 0.0) * sign for name, sign in of_crawl.items())
    return {CONSTANT: constant} | {
        name: weight for name, weight in weights.items() if name not in (CONSTANT, *of_crawl)
    }


def stacked(signals: Signals, names: Sequence[str]) -> Floats:
    """The signals with these names, a column each."""
    return np.column_stack([signals[name] for name in names])
