"""Move sources between shards while none of them runs.

A move has two halves. First every shard *takes over* its new sources from each of the others, and notes that it
has; nothing is deleted before all have done so. Then every shard *hands over*: it deletes what others have. Each
step is one idempotent transaction on one catalogue, so an interrupted move is
repeated from its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.queries import fact_in
from lycosa.collection.catalogue.schema import open_for_writing, plain_errors, transaction
from lycosa.collection.rests import FACT as RESTS
from lycosa.collection.shards.mail import Mail
from lycosa.frontier.merging import hand_over, held_in, release_all, take_over
from lycosa.frontier.rows import make_tables
from lycosa.urls import authority_of, source_of
from lycosa.values import Link


class Move(msgspec.Struct, frozen=True):
    """One change of owners. `is_retired`: whether a shard has no sources any more."""

    number: int
    owner_of: Callable[[str], int]  # the shard that a source belongs to from now on
    is_retired: Callable[[int], bool]


class ShardCatalogue:
    """The catalogue of one shard that is not running."""

    def __init__(self, directory: Path, shard: int) -> None:
        self.path = directory / "catalogue.db"
        self.shard = shard
        self._connection = open_for_writing(self.path)
        self._connection.execute("PRAGMA synchronous = FULL")
        with self.transaction():
            make_tables(self._connection)
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS moves (number INTEGER, sender INTEGER, PRIMARY KEY (number, sender)) WITHOUT ROWID"
            )
            self.mail = Mail(self._connection)

    def close(self) -> None:
        """Close the catalogue."""
        with plain_errors(self.path):
            self._connection.close()

    def undelivered(self, move: Move, others: Mapping[int, ShardCatalogue]) -> dict[int, list[Link]]:
        """Return the links that this shard has not delivered, by their new owners.

        A retired shard's held links are included. `others` are all shards.
        """
        found: dict[int, list[Link]] = {}
        for link in self._undelivered(move, others):
            found.setdefault(move.owner_of(_source_of(link.url)), []).append(link)
        return found

    def take_over(self, sender: ShardCatalogue, move: Move, undelivered: Sequence[Link]) -> None:
        """Add the sources that this shard now owns from the sender, and undelivered links; once, however often it is called."""
        done = "SELECT 1 FROM moves WHERE number = ? AND sender = ?"
        if self._connection.execute(done, (move.number, sender.shard)).fetchone():
            return
        if sender is not self:
            self._connection.execute("ATTACH ? AS sender", (str(sender.path.absolute()),))
        try:
            with self.transaction():
                if sender is not self:
                    take_over(self._connection, "sender", lambda source: move.owner_of(source) == self.shard)
                    self._take_over_politeness(sender, move)
                if undelivered:
                    self.mail.send(self.shard, undelivered)
                self._connection.execute("INSERT INTO moves VALUES (?, ?)", (move.number, sender.shard))
        except BaseException:
            self.mail.forget()
            raise
        finally:
            if sender is not self:
                self._connection.execute("DETACH sender")

    def hand_over(self, move: Move) -> None:
        """Delete what other shards have taken over. Call it when all have."""
        with self.transaction():
            hand_over(self._connection, lambda source: move.owner_of(source) != self.shard)
            if move.is_retired(self.shard):
                release_all(self._connection)
            own = [link for link in self._to_itself() if move.owner_of(_source_of(link.url)) == self.shard]
            self.mail.begin_anew()
            if own:
                self.mail.send(self.shard, own)

    def _undelivered(self, move: Move, others: Mapping[int, ShardCatalogue]) -> Iterator[Link]:
        for receiver, other in others.items():
            if receiver != self.shard:
                yield from self.mail.unconfirmed(receiver, other.mail.taken_in.get(self.shard, 0))
        # Links to this shard itself, left by an earlier move, stay unless their owner has changed.
        yield from (link for link in self._to_itself() if move.owner_of(_source_of(link.url)) != self.shard)
        if move.is_retired(self.shard):
            yield from held_in(self._connection)

    def _to_itself(self) -> Iterator[Link]:
        return self.mail.unconfirmed(self.shard, self.mail.taken_in.get(self.shard, 0))

    def _take_over_politeness(self, sender: ShardCatalogue, move: Move) -> None:
        """Add robots.txt files and rests of the hosts that this shard now owns."""

        def is_ours(authority: str) -> bool:
            return move.owner_of(_source_of(authority)) == self.shard

        self._connection.create_function("is_ours", 1, is_ours, deterministic=True)
        self._connection.execute(
            "INSERT OR REPLACE INTO main.robots SELECT * FROM sender.robots AS theirs WHERE is_ours(authority) AND NOT EXISTS"
            " (SELECT 1 FROM main.robots AS ours WHERE ours.authority = theirs.authority AND ours.fetched_at >= theirs.fetched_at)"
        )
        rests = self._rests()
        for authority, until in sender._rests().items():
            if is_ours(authority):
                rests[authority] = max(until, rests.get(authority, 0.0))
        if rests:
            row = (RESTS, msgspec.msgpack.encode(rests))
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", row)

    def _rests(self) -> dict[str, float]:
        packed = fact_in(self._connection, RESTS)
        return msgspec.msgpack.decode(packed, type=dict[str, float]) if packed else {}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit on exit, roll back on an error."""
        with plain_errors(self.path), transaction(self._connection):
            yield


def rename_collection(directory: Path, name: str) -> None:
    """Rename the crawl of an unused collection, and leave its catalogue in one file, to be moved."""
    path = directory / "catalogue.db"
    with plain_errors(path), closing(open_for_writing(path)) as connection:
        connection.execute(
            "INSERT OR REPLACE INTO facts VALUES ('name', ?)", (name.encode("utf-8", "replace"),)
        )
        connection.execute("PRAGMA journal_mode = DELETE")


def _source_of(url: str) -> str:
    return source_of(authority_of(url))
