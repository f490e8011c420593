"""Open the collection of a crawl, and bring back the state of earlier runs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lycosa.collection import Counts
from lycosa.collection.writer import CollectionWriter, Hook
from lycosa.engine.conclude import AN_IMAGE, NO_PAGE, Conclusions
from lycosa.engine.rules.walls import AT_THE_HOST, REMEMBERED_S
from lycosa.engine.start.request import CrawlRequest
from lycosa.errors import CodeError, InputError, ModelError, SpecError, StrategyError
from lycosa.fetch.http.headers import user_agent
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.page.signs.needs_browser import NEEDS_BROWSER
from lycosa.spec.sections import Spec
from lycosa.values import ANALYSIS_FAILED, Decision

REFUSALS = (SpecError, InputError, ModelError, StrategyError, CodeError)
"""Errors that the user has to correct before a crawl can begin."""


@contextmanager
def opened(request: CrawlRequest, spec: Spec, pause_points: Hook) -> Iterator[CollectionWriter]:
    """Open the collection of a crawl. A new one is removed again if the crawl is refused before anything is fetched."""
    directory = request.directory
    before = {*directory.iterdir()} if directory.is_dir() else None
    is_new, is_refused = request.is_new, False
    try:
        with CollectionWriter.create_or_open(
            directory,
            request.text,
            name=spec.name,
            warc_bytes=spec.archive.warc_bytes,
            info=_archive_info(spec),
            pause_points=pause_points,
        ) as collection:
            try:
                yield collection
            except REFUSALS:
                is_refused = is_new and collection.counts() == Counts()
                raise
    finally:
        if is_refused and before is None:
            shutil.rmtree(directory)
        elif is_refused and before is not None:
            for path in {*directory.iterdir()} - before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _archive_info(spec: Spec) -> dict[str, str]:
    """Fields of the warcinfo records."""
    info = {
        "robots": "classic",
        "http-header-user-agent": spec.fetch.user_agent or user_agent(spec.fetch.contact),
    }
    if spec.fetch.web:
        return {"description": f"crawled from archives: {', '.join(spec.fetch.web)}"}
    return {**info, "operator": spec.fetch.contact} if spec.fetch.contact else info


_TAUGHT = "judge_taught"
MAX_ANALYSED_AGAIN = 1000
"""Per run, so that pages which break their analysis each time do not keep a crawl from going on."""


def resume(conclusions: Conclusions, collection: CollectionWriter, frontier: SqliteFrontier) -> None:
    """Bring everything back that earlier runs counted and learned; inside `commit`."""
    _recall(conclusions, collection)
    if collection.catalogue.fact(_TAUGHT):
        collection.catalogue.set_fact(_TAUGHT, b"")
        conclusions.rescore()
    # Pages whose analysis failed, perhaps by our own fault, wait again; no host is asked for them.
    failed = [page.link for page in collection.reader.refused_for(ANALYSIS_FAILED, MAX_ANALYSED_AGAIN)]
    frontier.forget([link.key for link in failed])
    conclusions.add([Decision(link, link.priority, rule="analysed again") for link in failed])


def _recall(conclusions: Conclusions, collection: CollectionWriter) -> None:
    words, frames = collection.reader.words_of_noted(NEEDS_BROWSER), set()
    for link, judgement, evidence in collection.reader.lessons():
        is_unseen = link.key in words and conclusions.is_unseen_frame(evidence, words[link.key])
        conclusions.learn(link, judgement, evidence, is_unseen=is_unseen)
        if is_unseen:
            frames.add(link.key)
    for link in collection.reader.led_nowhere(NO_PAGE):
        conclusions.strategy.led_nowhere(link)
    for link, evidence in collection.reader.images():
        conclusions.strategy.learn(link, AN_IMAGE, evidence)
    for key, simhash, sketch in collection.reader.fingerprints():
        conclusions.near.add(key, simhash, sketch)
    for key, url, sketch, near, reason in collection.reader.likenesses():
        if key not in frames:
            conclusions.patterns.learn(key, url, sketch, near, reason)
    conclusions.walls.recall(collection.reader.walls_in_a_row(AT_THE_HOST, time.time() - REMEMBERED_S))
    counts, tally = collection.counts(), conclusions.tally
    tally.relevant = counts.relevant
    tally.bytes = counts.bytes
    tally.seconds = collection.reader.seconds()


def note_taught(collection: CollectionWriter) -> None:
    """Note that pages were judged anew while no crawl ran: the next run scores again what waits. Inside `commit`."""
    collection.catalogue.set_fact(_TAUGHT, b"1")


def prefer_sources(
    conclusions: Conclusions, collection: CollectionWriter, priors: Mapping[str, tuple[float, float]]
) -> None:
    """Initialise sources with the yield of an earlier crawl."""
    with collection.commit():
        for source, (good, bad) in priors.items():
            conclusions.tally.sources[source] = [good, bad]
            conclusions.frontier.reweigh(source, good, bad)
