"""The summary of a crawl that has ended, for the log and the caller."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.collection.catalogue.progress import LAST_PAGES, PAUSED
from lycosa.collection.log import tell
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.loop import NOTHING_LEFT, TOO_LONG, Crawl
from lycosa.learn.judges.calibration import Harvest
from lycosa.page.signs.needs_browser import NEEDS_BROWSER, RENDERED
from lycosa.values import ANALYSIS_FAILED, Link, Refusal

MAX_SEEDS_TOLD = 1000
"""Maximum number of seeds checked for failures in a summary."""


class Summary(msgspec.Struct, frozen=True):
    """The summary of a crawl over all its runs."""

    collection: str
    pages: int
    relevant: int  # pages that were kept
    harvest: float | None  # the share of the pages found that is relevant, estimated; None: nobody knows
    bytes: int
    seconds: float
    waiting: int
    ended: str
    stopped_early: bool  # before its end: the same command goes on
    resumable: (
        bool  # something waits: the same command goes on, or does when the limit that ended it is raised
    )
    refused: dict[str, int]
    failed_seeds: dict[str, str] = {}  # of the first seeds, with the reason
    harvest_low: float | None = None  # it lies between these in 80 of 100 crawls
    harvest_high: float | None = None
    judge_version: int = 0  # that all pages were judged by; 0: of a judge that does not learn
    rendered: int = 0  # pages that a browser rendered
    unrendered: int = 0  # pages of which one would probably have seen more
    known: int = 0  # URLs that were left to other collections (archive.known)
    last_pages: int = 0  # the last ones, LAST_PAGES or all
    last_relevant: int = 0  # of these, how many were kept: whether it is worth going on
    fetched_now: int = 0  # answers for pages that this run got; the rest counts all runs
    when_starved: str = ""  # what the user can set, where a strategy that refuses links has none left

    @property
    def harvest_told(self) -> str:
        """The harvest for people, with its interval; nothing where nobody knows."""
        if self.harvest is None or self.harvest_low is None or self.harvest_high is None:
            return ""
        return str(Harvest(self.harvest, self.harvest_low, self.harvest_high))


def summarise(crawl: Crawl, collection: CollectionWriter, directory: Path, seeds: list[Link]) -> Summary:
    """Note in the collection that a run has ended, and say how the crawl went."""
    tally, waiting = crawl.tally, crawl.frontier.counts().waiting
    version, harvest = crawl.refits.version if crawl.refits else None, crawl.harvest
    with collection.commit():
        collection.catalogue.end_run(crawl.clock.now(), crawl.ended)
        if crawl.rested_s:
            paused_s = float(collection.catalogue.fact(PAUSED) or 0) + crawl.rested_s
            collection.catalogue.set_fact(PAUSED, str(paused_s).encode())
    failed = ((link.url, seed_failure(link, collection)) for link in seeds[:MAX_SEEDS_TOLD])
    summary = Summary(
        collection=str(directory),
        pages=tally.pages,
        relevant=tally.relevant,
        harvest=round(harvest.value, 4) if harvest else None,
        bytes=tally.bytes,
        seconds=round(tally.seconds, 1),
        waiting=waiting,
        ended=crawl.ended,
        stopped_early=crawl.ended in ("interrupted", TOO_LONG),
        resumable=crawl.ended in ("interrupted", TOO_LONG) or waiting > 0,
        refused={reason.name.lower(): count for reason, count in tally.refused.most_common()},
        failed_seeds={url: str(refusal) for url, refusal in failed if refusal},
        harvest_low=round(harvest.low, 4) if harvest else None,
        harvest_high=round(harvest.high, 4) if harvest else None,
        judge_version=version.number if version else 0,
        rendered=crawl.conclusions.renderings.rendered if crawl.conclusions.renderings else 0,
        unrendered=collection.reader.count_noted(NEEDS_BROWSER, RENDERED),
        known=collection.statistics.left_to_others() if crawl.conclusions.known else 0,
        fetched_now=collection.reader.runs()[-1].pages,
        last_pages=min(LAST_PAGES, len(tally.latest)),
        last_relevant=tally.brought(LAST_PAGES),
        when_starved=crawl.conclusions.strategy.when_starved if crawl.ended == NOTHING_LEFT else "",
    )
    tell(collection.log, "run ended", **msgspec.to_builtins(summary))
    return summary


def seed_failure(seed: Link, collection: CollectionWriter) -> Refusal | None:
    """Why a seed of an earlier run (or of this one) brought nothing; such seeds are tried again."""
    if (page := collection.reader.page(seed.key)) is not None:
        refusal = page.refusal
        in_vain = refusal and refusal.reason in ANALYSIS_FAILED
        return refusal if page.status >= 400 or in_vain else None
    outcome = collection.reader.outcome(seed.key)
    return None if outcome is None or outcome.again else outcome.refusal
