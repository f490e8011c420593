"""A strategy of one's own, compared with two others on the demo web, in memory and in seconds.

Run it with: python examples/own_strategy.py
Or by its name: lycosa lab run WEB --topic owls --strategy examples/own_strategy.py:ShortPaths
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import lycosa
import lycosa_lab


class ShortPaths(lycosa.BaseStrategy):
    """Links of good pages first, and among these the ones with the shortest URLs."""

    def __init__(self, *, fading: float = 0.01) -> None:
        """Store the settings.

        fading: what each character of the URL costs.
        """
        self.fading = fading

    def rank(self, page: lycosa.Page, judgement: lycosa.Judgement) -> Sequence[lycosa.Decision]:
        """One Decision a link; `rule` is what `lycosa why` will say."""
        return [
            lycosa.Decision(
                link, judgement.score - self.fading * len(link.url), rule="short URLs of good pages"
            )
            for link in page.links
        ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        lycosa.demo_web().write(Path(folder))
        compared = lycosa_lab.compare(
            folder,
            ["breadth-first", "best-first", ShortPaths],
            topics=["owls"],
            options=lycosa_lab.Options(pages=150),
            runs=2,
        )
    print(compared)
