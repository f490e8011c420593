"""Plan a crawl of several shards, and run one of them."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lycosa.cluster.division import Division, directories_in, division_in, note_division, shard_directory
from lycosa.cluster.plan import Plan, hand_out, prepared_directory, prepared_in
from lycosa.cluster.shard import Deliver, Shard
from lycosa.cluster.shared_learning import OthersLessons, PublishedVersions
from lycosa.collection.catalogue.schema import open_for_reading
from lycosa.collection.log import close_log, open_log, tell
from lycosa.engine.session import prepare_shards, run_share
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.summary import Summary
from lycosa.errors import CollectionBusy, LycosaError
from lycosa.frontier.rows import rests_in
from lycosa.values import Say

BUSY_S = 120.0
"""Timeout for the collection of a shard, which a dying shard may still lock."""


async def plan_of(request: CrawlRequest, shards: int, say: Say) -> Plan:
    """Prepare a crawl once for all its shards: the pages that the user gave are fetched, the models made."""
    spec, directory = request.spec, request.directory
    division = division_in(directory) or Division(shards)
    prepared = prepared_directory(directory)
    resting = _resting(directory, spec.fetch.per_host_delay_s)
    seeds = await prepare_shards(replace(request, directory=prepared), resting, say)
    # A folder that is missing afterwards was there before, with all that it held.
    for shard in range(division.shards):
        shard_directory(directory, shard).mkdir(parents=True, exist_ok=True)
    note_division(directory, division)
    PublishedVersions(directory).forget()
    return Plan(
        name=spec.name,
        text=request.text,
        folder=str(request.folder.resolve()),
        directory=str(directory.resolve()),
        division=division,
        prepared=prepared_in(prepared, seeds),
        workers=spec.process.workers
        if spec.process.workers is not None
        else max(1, (os.cpu_count() or 1) // division.shards),
    )


def _resting(directory: Path, delay_s: float) -> dict[str, float]:
    """Until when hosts rest that the shards of an earlier run have asked."""
    resting: dict[str, float] = {}
    for folder in directories_in(directory):
        path = folder / "catalogue.db"
        if path.exists():
            connection = open_for_reading(path)
            try:
                resting.update(rests_in(connection, time.time(), delay_s))
            finally:
                connection.close()
    return resting


async def run_shard(plan: Plan, shard: Shard, say: Say = lambda _: None) -> None:
    """Crawl one shard's share to the end of the whole crawl. What goes wrong is the shard's `error`."""
    begun = time.monotonic()
    spec, directory = plan.spec_of(shard.number), plan.directory_of(shard.number)

    try:
        while True:
            try:
                hand_out(plan, shard.number)
                request = CrawlRequest(spec, plan.text, Path(plan.folder), directory)
                shard.summary = await run_share(request, shard, say=say, watch=shard.begin)
                sent = {"sent": shard.messages, "links": shard.links_sent, "bytes": shard.bytes_sent}
                _log(directory, "messages", **sent)
                return
            except CollectionBusy:
                if time.monotonic() > begun + BUSY_S:
                    raise
                await asyncio.sleep(0.5)
    except LycosaError as error:
        shard.error = str(error)
    finally:
        await shard.end()


def _log(directory: Path, message: str, **fields: Any) -> None:
    log = open_log(directory / "crawl.log")
    tell(log, message, **fields)
    close_log(log)


def shard_of(plan: Plan, number: int, deliver: Deliver) -> Shard:
    """A shard of a plan."""
    rest_s = plan.spec().fetch.per_ip_delay_s if plan.leases_addresses else None
    others = [plan.directory_of(other) for other in range(plan.shards) if other != number]

    def note(version: int, pages: int) -> None:
        _log(plan.directory_of(number), "learned from other shards", version=version, pages=pages)

    return Shard(
        number,
        plan.division,
        plan.prepared.seeds,
        deliver,
        others=others,
        versions=PublishedVersions(Path(plan.directory)),
        lessons=OthersLessons(others, note),
        address_rest_s=rest_s,
    )


def summary_of(directory: Path, parts: Sequence[Summary], ended: str) -> Summary:
    """The summary of the whole crawl, from its shards."""
    refused: Counter[str] = Counter()
    for part in parts:
        refused.update(part.refused)
    waiting = sum(part.waiting for part in parts)
    judged = max(
        parts, key=lambda part: (part.harvest is not None, part.pages)
    )  # its judge has seen all pages
    return Summary(
        collection=str(directory),
        pages=sum(part.pages for part in parts),
        relevant=sum(part.relevant for part in parts),
        **judged.figures.as_json(),
        judge_version=judged.judge_version,
        bytes=sum(part.bytes for part in parts),
        seconds=max(part.seconds for part in parts),
        waiting=waiting,
        ended=ended,
        stopped_early=any(part.stopped_early for part in parts),
        resumable=any(part.resumable for part in parts),
        refused=dict(refused.most_common()),
        failed_seeds={url: why for part in parts for url, why in part.failed_seeds.items()},
        fetched_now=sum(part.fetched_now for part in parts),
        last_pages=sum(part.last_pages for part in parts),
        last_relevant=sum(part.last_relevant for part in parts),
    )
