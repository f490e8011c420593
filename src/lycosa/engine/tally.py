"""What a crawl has done so far: for progress, limits and the summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice

from lycosa.spec.sections import LATEST
from lycosa.values import Reason


@dataclass(slots=True)
class Tally:
    """The counts of a crawl. A page counts once, however often it is fetched."""

    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    seconds: float = 0.0
    given: int = 0  # pages that the user gave
    given_relevant: int = 0
    refused: Counter[Reason] = field(default_factory=Counter)
    sources: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))
    relevant_links: int = 0  # links that led to relevant pages, and the sum of their priorities
    relevant_priority: float = 0.0
    latest: dict[int, bool] = field(default_factory=dict)
    """By key: whether each of the last LATEST pages is relevant."""

    titles: dict[int, str] = field(default_factory=dict)
    """By key: the titles of the last pages. Each version of the judge may change which of them are kept."""

    def name(self, key: int, title: str) -> None:
        """Note the title of a page, without control characters."""
        self.titles.pop(key, None)
        if plain := " ".join("".join(sign if sign.isprintable() else " " for sign in title[:200]).split()):
            self.titles[key] = plain
        if len(self.titles) > LATEST:
            del self.titles[next(iter(self.titles))]

    def kept_titles(self, limit: int) -> list[str]:
        """The titles of the last relevant pages, the newest first."""
        kept = (title for key, title in reversed(self.titles.items()) if self.latest.get(key))
        return list(islice(kept, limit))

    def count(self, key: int, relevant: bool) -> None:
        """Count one more page."""
        self.pages += 1
        self.latest.pop(key, None)
        self.latest[key] = relevant
        if len(self.latest) > LATEST:
            del self.latest[next(iter(self.latest))]

    def brought(self, pages: int) -> int:
        """The number of relevant ones among the last `pages` pages."""
        return sum(islice(reversed(self.latest.values()), pages))
