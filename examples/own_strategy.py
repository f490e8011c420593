"""The strategy of the tutorial for method authors, compared with two others on the demo web, in seconds.

Run it with: python examples/own_strategy.py
Or by its name: lycosa lab run WEB --topic owls --strategy examples/own_strategy.py:WordyAnchors
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lycosa
import lycosa_lab


class AnchorLength(lycosa.Evidence):
    """How long the anchor text of each link is: 1 from ten words on."""

    name = "anchor_length"
    tells_of_links = float

    def of_links(self, document: lycosa.Document) -> list[float]:
        """A number from 0 to 1 for each link."""
        return [min(len(link.anchor.split()), 10) / 10 for link in document.links]


class WordyAnchors(lycosa.BaseStrategy):
    """Links of good pages first, and among these the ones with long anchor texts."""

    def __init__(self, *, weight: float = 0.5) -> None:
        """Store the settings.

        weight: how much a long anchor text adds to the score of its page.
        """
        self.weight = weight

    def fit(self, preparation: Any) -> WordyAnchors:
        """Ask for the evidence that `rank` reads."""
        super().fit(preparation)
        self.needs = (*self.needs, AnchorLength())
        return self

    def rank(self, page: lycosa.Page, judgement: lycosa.Judgement) -> Sequence[lycosa.Decision]:
        """One Decision a link; `rule` is what `lycosa why` will say."""
        lengths = page.link_evidence["anchor_length"]
        return [
            lycosa.Decision(link, judgement.score + self.weight * length, rule="wordy anchors of good pages")
            for link, length in zip(page.links, lengths, strict=True)
        ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        lycosa.demo_web().write(Path(folder))
        compared = lycosa_lab.compare(
            folder,
            ["breadth-first", "best-first", WordyAnchors],
            topics=["bread", "comets", "owls"],
            options=lycosa_lab.Options(pages=100),
            runs=1,
        )
    print(compared)
