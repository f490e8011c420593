"""Going on with a crawl: counts, learned state and duplicates come back from the catalogue."""

from __future__ import annotations

import time
from collections.abc import Mapping

from lycosa.collection.writer import CollectionWriter
from lycosa.engine.conclude import AN_IMAGE, NO_PAGE, Conclusions
from lycosa.engine.rules.walls import AT_THE_HOST, REMEMBERED_S
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.page.signs.needs_browser import NEEDS_BROWSER
from lycosa.values import ANALYSIS_FAILED, Decision

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
