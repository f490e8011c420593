"""What a learning judge is fitted from. In: what the user gave. Out: plain data, as it is kept and sent to who fits.

Apart from the judge, so that the process that fits loads nothing of how pages are read.
"""

from __future__ import annotations

import msgspec


class KnownPage(msgspec.Struct, frozen=True, array_like=True):
    """A page of which the user said what it is."""

    key: int
    terms: dict[str, int]


class Brief(msgspec.Struct, frozen=True):
    """What a judge is fitted from beside the pages of the crawl: plain data, as it is sent to who fits.

    `keywords` are terms with their weights. `evidence` names the evidence that takes their place, if any; `usual` are
    its mean and deviation on pages that are not relevant. `of_kind`: pages have to be of a wanted kind, too.
    """

    language: str = "english"
    keywords: dict[str, float] = {}
    examples: tuple[KnownPage, ...] = ()
    negatives: tuple[KnownPage, ...] = ()
    threshold: float | None = None
    evidence: str = ""
    usual: tuple[float, float] = (0.1, 0.1)
    of_kind: bool = False
