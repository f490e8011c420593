"""The plan of a sharded crawl: the spec and prepared parts that each shard needs to start.

It serialises to MessagePack, so that a shard can start on any machine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lycosa.cluster.division import SHARDS, Division, shard_directory
from lycosa.collection import Record
from lycosa.collection.archive.responses import response_of
from lycosa.collection.collection import Collection
from lycosa.collection.labels import FILE as LABELS
from lycosa.collection.politeness import RobotsTable
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import CollectionError
from lycosa.fetch.polite.robots import StoredRobots
from lycosa.files import read_file, write_file
from lycosa.learn.judges.version import saved_versions
from lycosa.learn.refit import FIRST
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import parse_spec
from lycosa.spec.sections import Spec
from lycosa.urls import authority_of
from lycosa.values import Fetched, Kind, Link

PLAN_BYTES = 2_000_000_000
"""Maximum size of a plan, which holds the pages that the user gave."""


class Prepared(msgspec.Struct, frozen=True):
    """The input of the shards: seeds, the given pages with their robots.txt, and the models made of them."""

    seeds: tuple[Link, ...]
    responses: tuple[Fetched, ...]
    robots: dict[str, StoredRobots]
    models: dict[str, bytes]


class Plan(msgspec.Struct, frozen=True):
    """The plan that all shards of a crawl share."""

    name: str
    text: str  # of the spec, as run
    folder: str  # where its relative paths begin
    directory: str  # of the whole collection
    division: Division
    prepared: Prepared
    workers: int  # of each shard

    @property
    def shards(self) -> int:
        """Number of shards."""
        return self.division.shards

    def spec(self) -> Spec:
        """The spec of the whole crawl."""
        return parse_spec(self.text, all_settings())

    def spec_of(self, shard: int) -> Spec:
        """The spec of one shard: an equal part of what bounds a machine; what bounds the crawl is the coordinator's."""
        spec, shards = self.spec(), self.shards
        fetch = {"concurrency": max(1, spec.fetch.concurrency // shards)}
        if not self.leases_addresses:
            fetch["per_ip_concurrency"] = spec.fetch.per_ip_concurrency // shards
        return spec.model_copy(
            update={
                "name": f"{self.name}-{shard:02}",
                "fetch": spec.fetch.model_copy(update=fetch),
                "frontier": spec.frontier.model_copy(
                    update={"max_waiting": max(1, spec.frontier.max_waiting // shards)}
                ),
                "process": spec.process.model_copy(update={"workers": self.workers}),
            }
        )

    @property
    def leases_addresses(self) -> bool:
        """Whether an IP address is asked by one shard at a time: where its limit cannot be divided among all."""
        fetch = self.spec().fetch
        return bool(fetch.per_ip_delay_s) or fetch.per_ip_concurrency < self.shards

    def directory_of(self, shard: int) -> Path:
        """The collection of a shard."""
        return shard_directory(Path(self.directory), shard)


def save_plan(plan: Plan) -> Path:
    """Write a plan down where its shards are; returns the file."""
    path = Path(plan.directory) / SHARDS / "plan.msgpack"
    write_file(path, msgspec.msgpack.encode(plan))
    return path


def load_plan(path: Path) -> Plan:
    """The plan in a file."""
    try:
        return msgspec.msgpack.decode(read_file(path, PLAN_BYTES), type=Plan)
    except (OSError, msgspec.MsgspecError) as error:
        raise CollectionError(
            f"{path} cannot be read ({error}). The folder of the crawl has to be the same on all machines: put it on "
            "storage that they share."
        ) from None


def prepared_directory(directory: Path) -> Path:
    """The collection of what was fetched to prepare the crawl."""
    return directory / SHARDS / "prepared"


def prepared_in(directory: Path, seeds: Sequence[Link]) -> Prepared:
    """The prepared parts of a collection, for its shards."""
    with Collection.open(directory) as collection:
        found = (response_of(collection, page) for page in collection.reader.pages())
        robots = RobotsTable(collection.connection, collection.path)
        return Prepared(
            tuple(seeds),
            tuple(response for response in found if response is not None),
            dict(robots),
            {
                str(path.relative_to(directory / "models")): path.read_bytes()
                for path in (directory / "models").rglob("*")
                if path.is_file()
            },
        )


def hand_out_labels(plan: Plan, shard: int) -> None:
    """Give a shard people's labels on pages of the whole crawl."""
    labels = Path(plan.directory) / LABELS
    if labels.is_file():
        write_file(plan.directory_of(shard) / LABELS, read_file(labels))


def hand_out(plan: Plan, shard: int) -> None:
    """Put into the collection of a shard what it needs of what was prepared, and does not have.

    Pages that the user gave are then answered from its archive, and no host is asked twice for them.
    """
    spec, prepared = plan.spec_of(shard), plan.prepared
    with CollectionWriter.create_or_open(plan.directory_of(shard), plan.text, name=spec.name) as collection:
        for name, content in prepared.models.items():
            path = collection.directory / "models" / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, content)
        hand_out_labels(plan, shard)
        robots = collection.robots()
        with collection.commit():
            if (
                FIRST in saved_versions(collection.directory / "models")
                and not collection.reader.judge_version()
            ):
                collection.judge_anew(lambda _: {}, FIRST)
            for authority, stored in prepared.robots.items():
                if plan.division.owner_of(authority_of(authority)) == shard and authority not in robots:
                    robots[authority] = stored
            for response in prepared.responses:
                if collection.reader.page(response.link.key) is None:
                    link = msgspec.structs.replace(response.link, kind=Kind.REQUISITE)
                    collection.save(Record(time.time(), msgspec.structs.replace(response, link=link)))
