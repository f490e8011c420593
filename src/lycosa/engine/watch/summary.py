"""The summary of a crawl that has ended, for the log and the caller."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.collection.catalogue.progress import LAST_PAGES, PAUSED
from lycosa.collection.log import tell
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.loop import NOTHING_LEFT, TOO_LONG, Crawl
from lycosa.learn.figures import Figures
from lycosa.learn.history import jump_told
from lycosa.page.signs.needs_browser import NEEDS_BROWSER, RENDERED
from lycosa.values import ANALYSIS_FAILED, Link, Refusal

MAX_SEEDS_TOLD = 1000
"""Maximum number of seeds checked for failures in a summary."""


class Summary(msgspec.Struct, frozen=True):
    """The summary of a crawl over all its runs."""

    collection: str
    pages: int
    relevant: int  # pages that were kept
    harvest: float | None  # relevant pages among the pages judged, estimated; None: nobody knows
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
    precision: float | None = None  # relevant pages among the pages kept, estimated
    precision_low: float | None = None
    precision_high: float | None = None
    recall: float | None = None  # relevant pages kept among all that can be reached, estimated
    recall_low: float | None = None
    recall_high: float | None = None
    missed: float | None = None  # relevant pages that can be reached and are not kept, estimated
    missed_low: float | None = None
    missed_high: float | None = None
    changed: str = (
        ""  # what a version of the judge changed, or would change, of the kept pages, if that is much
    )
    unsure: str = ""  # why the judge cannot tell yet which pages are relevant; empty if it can
    when_starved: str = ""  # what the user can set, where a strategy that refuses links has none left

    @property
    def figures(self) -> Figures:
        """Harvest, precision, recall and pages missed as the judge estimates them."""
        return Figures.within(msgspec.structs.asdict(self))


def summarise(crawl: Crawl, collection: CollectionWriter, directory: Path, seeds: list[Link]) -> Summary:
    """Note in the collection that a run has ended, and say how the crawl went."""
    tally, waiting = crawl.tally, crawl.frontier.counts().waiting
    version, figures = crawl.refits.version if crawl.refits else None, crawl.figures
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
        **figures.as_json(),
        changed=jump_told(collection),
        bytes=tally.bytes,
        seconds=round(tally.seconds, 1),
        waiting=waiting,
        ended=crawl.ended,
        stopped_early=crawl.ended in ("interrupted", TOO_LONG),
        resumable=crawl.ended in ("interrupted", TOO_LONG) or waiting > 0,
        refused={reason.name.lower(): count for reason, count in tally.refused.most_common()},
        failed_seeds={url: str(refusal) for url, refusal in failed if refusal},
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
