"""What a crawl has done so far, and when it ends by itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from typing import NamedTuple, Protocol

from lycosa.fetch.polite.turns import MAX_BACKOFF_S
from lycosa.learn.figures import Figures
from lycosa.spec.sections import LATEST, ArchiveSpec, FetchSpec, LimitsSpec
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


HANGING = 3
"""Largest timeouts without any progress, after which requests in flight are given up as hanging."""


class Usage(Protocol):
    """What limits are measured against."""

    pages: int
    bytes: int
    seconds: float

    def brought(self, pages: int) -> int:
        """How many of the last `pages` pages are relevant."""
        ...


class Until(NamedTuple):
    """A crawl goes on until its last pages bring too little: fewer than `least` relevant among the last `pages`."""

    least: int
    pages: int

    @classmethod
    def of(cls, written: str) -> Until:
        """As limits.until has it.

        >>> Until.of("10 in 200")
        Until(least=10, pages=200)
        """
        least, _, pages = written.partition(" in ")
        return cls(int(least), int(pages))

    def __str__(self) -> str:
        return f"{self.least} in {self.pages}"


class UntilRecall(NamedTuple):
    """A crawl goes on until a version of its judge estimates at least this recall."""

    recall: float

    @classmethod
    def of(cls, written: str) -> UntilRecall | None:
        """As limits.until has it; None if that asks for something else.

        >>> UntilRecall.of("recall 0.9"), UntilRecall.of("10 in 200")
        (UntilRecall(recall=0.9), None)
        """
        word, _, recall = written.partition(" ")
        return cls(float(recall)) if word == "recall" else None

    def reached(self, figures: Figures) -> str:
        """Say that it is reached, with the estimate; '' if it is not, or nobody can tell.

        >>> UntilRecall(0.9).reached(Figures(recall=0.93, recall_low=0.8, recall_high=0.97))
        'limits.until = "recall 0.9" reached: recall about 93 % (80 % to 97 %)'
        >>> UntilRecall(0.9).reached(Figures(recall=0.5, recall_low=0.3, recall_high=0.95))
        ''
        """
        if figures.unsure or figures.recall is None or figures.recall < self.recall:
            return ""
        return f'limits.until = "recall {self.recall:g}" reached: recall {figures.recall_told}'


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once and in all; `patience_s`: a wait longer than this ends the crawl.

    `stop_patience_s`: how long requests in flight may take once the crawl ends. `hang_s`: how long none may end.
    """

    concurrency: int = 1
    pages: int | None = None
    bytes: int | None = None
    hours: float | None = None
    patience_s: float = 3600.0
    until: Until | None = None
    until_recall: UntilRecall | None = None
    revisit_share: float = 1.0  # of a run's visits, those to URLs that were fetched before
    stop_patience_s: float = 30.0
    hang_s: float = 180.0

    @classmethod
    def of(cls, limits: LimitsSpec, fetch: FetchSpec, archive: ArchiveSpec | None = None) -> Limits:
        """The limits of a spec."""
        # Our own back-off and Crawl-delays are always waited for; a Retry-After at its cap is not.
        patience_s = max(fetch.max_retry_after_s, 2 * MAX_BACKOFF_S, 2 * fetch.max_crawl_delay_s)
        recall = UntilRecall.of(limits.until or "")
        until = Until.of(limits.until) if limits.until and not recall else None
        share = archive.revisit_share if archive else 1.0
        timeouts = (fetch.connect_timeout_s, fetch.read_timeout_s, fetch.total_timeout_s)
        return cls(
            fetch.concurrency,
            limits.pages,
            limits.bytes,
            limits.hours,
            patience_s,
            until,
            recall,
            share,
            stop_patience_s=fetch.stop_patience_s,
            hang_s=HANGING * max(timeouts) + fetch.per_ip_delay_s,
        )

    @property
    def revisits(self) -> float:
        """How many visits of a run may be to URLs that were fetched before."""
        return inf if self.pages is None else self.pages * self.revisit_share

    def without_end(self) -> Limits:
        """The same for one shard of a crawl: whoever knows all shards says when the limits of the crawl are reached."""
        return replace(self, pages=None, bytes=None, hours=None, until=None, until_recall=None)

    def reached(self, done: Usage) -> str:
        """Which limit has been reached; '' if none."""
        if self.pages is not None and done.pages >= self.pages:
            return f"limits.pages = {self.pages} reached"
        if self.bytes is not None and done.bytes >= self.bytes:
            return f"limits.bytes = {self.bytes} reached"
        if self.hours is not None and done.seconds >= self.hours * 3600:
            return f"limits.hours = {self.hours:g} reached"
        if self.until is not None and done.pages >= self.until.pages:
            brought = done.brought(self.until.pages)
            if brought < self.until.least:
                return f'limits.until = "{self.until}" reached: the last {self.until.pages} pages brought {brought}'
        return ""

    def full(self, done: Usage, flying: int) -> bool:
        """Whether the pages under way may already use up the limit."""
        return self.pages is not None and done.pages + flying >= self.pages
