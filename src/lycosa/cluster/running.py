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

from lycosa.cluster.coordination.coordinator import Usage
from lycosa.cluster.division.division import (
    Division,
    directories_in,
    division_in,
    note_division,
    shard_directory,
)
from lycosa.cluster.division.replica import Replica, place_at
from lycosa.cluster.division.resizing import BUSY_S
from lycosa.cluster.division.slots import Slots
from lycosa.cluster.lessons import OthersLessons
from lycosa.cluster.plan import Plan, hand_out, prepared_directory, prepared_in
from lycosa.cluster.shard import Deliver, Shard
from lycosa.cluster.versions import PublishedVersions
from lycosa.collection.catalogue.schema import open_for_reading
from lycosa.collection.collection import Collection
from lycosa.collection.log import close_log, open_log, tell
from lycosa.engine.catch_up.relearn import judge_by
from lycosa.engine.loop import Crawl
from lycosa.engine.session import prepare_shards, run_share
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.summary import Summary
from lycosa.errors import CollectionBusy, CollectionError, LycosaError
from lycosa.frontier.inspection import rests_in
from lycosa.values import Say

COPY_S, COPY_SHARE = 30.0, 0.05
"""Interval between updates of a shard's copy, and the maximum share of time they take."""


async def plan_of(request: CrawlRequest, shards: int, say: Say) -> Plan:
    """Prepare a crawl once for all its shards: the pages that the user gave are fetched, the models made."""
    spec, directory = request.spec, request.directory
    division = division_in(directory) or Division(Slots.among(shards).owners)
    slots, prepared = division.slots, prepared_directory(directory)
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
        slots=slots,
        prepared=prepared_in(prepared, seeds),
        workers=spec.process.workers
        if spec.process.workers is not None
        else max(1, (os.cpu_count() or 1) // slots.shards),
        retired=tuple(range(slots.shards, division.shards)),
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

    def watch(crawl: Crawl) -> None:
        shard.begin(crawl)

    address = spec.cluster.replicate
    replica = Replica(place_at(address, Path(plan.folder)), shard.number) if address else None
    copying = asyncio.ensure_future(_copy_again_and_again(replica, shard, directory)) if replica else None
    try:
        while True:
            try:
                hand_out(plan, shard.number)
                request = CrawlRequest(spec, plan.text, Path(plan.folder), directory)
                shard.summary = await run_share(request, shard, say=say, watch=watch)
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
        if copying and replica:
            copying.cancel()
            await asyncio.gather(copying, return_exceptions=True)
            await _copy(replica, shard, directory)


async def _copy_again_and_again(replica: Replica, shard: Shard, directory: Path) -> None:
    while True:
        begun = time.monotonic()
        await _copy(replica, shard, directory)
        taken_s = time.monotonic() - begun
        await asyncio.sleep(max(COPY_S, taken_s / COPY_SHARE))


async def _copy(replica: Replica, shard: Shard, directory: Path) -> None:
    """Bring the copy of a shard up to date; until that succeeds, others keep what they have sent."""
    shard.replicated = shard.replicated or {}
    if not (directory / "catalogue.db").is_file():
        return
    try:
        shard.replicated = await asyncio.to_thread(replica.copy, directory)
    except (OSError, CollectionError) as error:
        _log(directory, "not copied", reason=str(error))


def _log(directory: Path, message: str, **fields: Any) -> None:
    log = open_log(directory / "crawl.log")
    tell(log, message, **fields)
    close_log(log)


def shard_of(plan: Plan, number: int, deliver: Deliver) -> Shard:
    """A shard of a plan."""
    rest_s = plan.spec().fetch.per_ip_delay_s if plan.leases_addresses else None
    others = [folder for other, folder in plan.directories.items() if other != number]

    def note(version: int, pages: int) -> None:
        _log(plan.directory_of(number), "learned from other shards", version=version, pages=pages)

    return Shard(
        number,
        plan.slots,
        plan.prepared.seeds,
        deliver,
        others=others,
        versions=PublishedVersions(Path(plan.directory)),
        lessons=OthersLessons(others, note),
        address_rest_s=rest_s,
    )


def usage_of_retired(plan: Plan) -> Usage:
    """The usage of shards that no longer run; it counts for the limits of the crawl."""
    usage = Usage()
    for shard in plan.retired:
        directory = plan.directory_of(shard)
        if (directory / "catalogue.db").is_file():
            with Collection.open(directory) as collection:
                counts = collection.reader.counts()
                usage.pages += counts.judged
                usage.relevant += counts.relevant
                usage.bytes += counts.bytes
                usage.seconds = max(usage.seconds, collection.reader.seconds())
    return usage


def judge_retired(plan: Plan) -> None:
    """Judge the pages of shards that do not run any more by the last version, as all others are."""
    fit = PublishedVersions(Path(plan.directory)).newest()
    for shard in plan.retired if fit else ():
        directory = plan.directory_of(shard)
        if fit and (directory / "catalogue.db").is_file():
            hand_out(plan, shard)
            judge_by(directory, plan.text, plan.spec_of(shard).name, fit)


def summary_of(directory: Path, parts: Sequence[Summary], ended: str, retired: Usage) -> Summary:
    """The summary of the whole crawl, from its shards and from shards that no longer run."""
    refused: Counter[str] = Counter()
    for part in parts:
        refused.update(part.refused)
    waiting = sum(part.waiting for part in parts)
    judged = max(
        parts, key=lambda part: (part.harvest is not None, part.pages)
    )  # its judge has seen all pages
    return Summary(
        collection=str(directory),
        pages=retired.pages + sum(part.pages for part in parts),
        relevant=retired.relevant + sum(part.relevant for part in parts),
        **judged.figures.as_json(),
        judge_version=judged.judge_version,
        bytes=retired.bytes + sum(part.bytes for part in parts),
        seconds=max(retired.seconds, *(part.seconds for part in parts)),
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
