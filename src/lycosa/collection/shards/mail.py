"""Outbox and inbox of a shard, in its catalogue.

Links for other shards are added in the commit of their page, and leave as numbered parcels. The transport
may lose, double and reorder parcels: the receiver accepts only what follows the last number from that sender, and
stores that number in the same transaction; the sender deletes what the receiver has stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from lycosa.collection.surrogates import all_encodable
from lycosa.values import Link

_TABLES = (
    "CREATE TABLE IF NOT EXISTS outbox (shard INTEGER NOT NULL, number INTEGER NOT NULL, link BLOB NOT NULL,"
    " PRIMARY KEY (shard, number)) WITHOUT ROWID",
    # `sent`: the last number of a link to that shard; `taken_in`: the last number received from it.
    "CREATE TABLE IF NOT EXISTS correspondents (shard INTEGER PRIMARY KEY, sent INTEGER NOT NULL DEFAULT 0,"
    " taken_in INTEGER NOT NULL DEFAULT 0)",
)
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Link).decode


class Parcel(msgspec.Struct, frozen=True, array_like=True):
    """Links from one shard to another, numbered from `first` on.

    `forgotten`: the receiver has confirmed all up to this number, and the sender has deleted them.
    """

    sender: int
    receiver: int
    first: int
    links: tuple[bytes, ...]
    forgotten: int = 0

    @property
    def last(self) -> int:
        """The number of the last link."""
        return self.first + len(self.links) - 1


class Mail:
    """Outbox and inbox of one shard. Methods that write are called inside the collection's commit."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        for statement in _TABLES:
            connection.execute(statement)
        rows = connection.execute("SELECT shard, sent, taken_in FROM correspondents").fetchall()
        self.sent = {shard: sent for shard, sent, _ in rows}
        self.taken_in = {shard: taken_in for shard, _, taken_in in rows}

    def send(self, shard: int, links: Sequence[Link]) -> None:
        """Put links into the outbox; they leave after the commit."""
        last = self.sent.get(shard, 0)
        rows = [(shard, number, _packed(link)) for number, link in enumerate(links, start=last + 1)]
        self._connection.executemany("INSERT INTO outbox VALUES (?, ?, ?)", rows)
        self._note(shard, sent=last + len(links))

    def parcel(self, sender: int, receiver: int, limit: int, after: int = 0) -> Parcel | None:
        """Return up to `limit` links for a shard after a number; None if there are none."""
        rows = self._connection.execute(
            "SELECT number, link FROM outbox WHERE shard = ? AND number > ? ORDER BY number LIMIT ?",
            (receiver, after, limit),
        ).fetchall()
        if not rows:
            return None
        sql = "SELECT min(number) - 1 FROM outbox WHERE shard = ?"
        (forgotten,) = self._connection.execute(sql, (receiver,)).fetchone()
        return Parcel(sender, receiver, rows[0][0], tuple(link for _, link in rows), forgotten)

    def confirmed(self, shard: int, number: int) -> None:
        """Delete the links to a shard up to this number: they are in its database."""
        self._connection.execute("DELETE FROM outbox WHERE shard = ? AND number <= ?", (shard, number))

    def take_in(self, parcel: Parcel) -> list[Link]:
        """Receive a parcel and return its new links.

        If links before it are missing, nothing is received, and the sender sends them again. Links that this shard has
        confirmed but lost (it was restored from an older copy) come no more.
        """
        known = self.taken_in.get(parcel.sender, 0)
        if parcel.forgotten > known:
            known = parcel.forgotten
            self._note(parcel.sender, taken_in=known)
        if parcel.first > known + 1 or parcel.last <= known:
            return []
        self._note(parcel.sender, taken_in=parcel.last)
        return [_unpack(link) for link in parcel.links[known + 1 - parcel.first :]]

    def nothing_more(self, sender: int, receiver: int) -> Parcel:
        """Return a parcel without links, which says that the receiver has confirmed all links."""
        sent = self.sent[receiver]
        return Parcel(sender, receiver, sent + 1, (), sent)

    def _note(self, shard: int, *, sent: int | None = None, taken_in: int | None = None) -> None:
        self.sent[shard] = self.sent.get(shard, 0) if sent is None else sent
        self.taken_in[shard] = self.taken_in.get(shard, 0) if taken_in is None else taken_in
        self._connection.execute(
            "INSERT OR REPLACE INTO correspondents VALUES (?, ?, ?)",
            (shard, self.sent[shard], self.taken_in[shard]),
        )


def correspondence(connection: sqlite3.Connection) -> Iterable[tuple[int, int, int]]:
    """Return (shard, last number sent, last number received) of a catalogue; nothing if it is not a shard's."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'correspondents'")
    if found.fetchone() is None:
        return ()
    return connection.execute("SELECT shard, sent, taken_in FROM correspondents").fetchall()


def outgoing(connection: sqlite3.Connection, shard: str) -> Iterator[Link]:
    """Return the links in the outbox of an attached database; some may have arrived."""
    if connection.execute(f"SELECT 1 FROM {shard}.sqlite_master WHERE name = 'outbox'").fetchone():
        for (link,) in connection.execute(f"SELECT link FROM {shard}.outbox ORDER BY shard, number"):
            yield _unpack(link)


def _packed(link: Link) -> bytes:
    try:
        return _pack(link)
    except UnicodeEncodeError:
        return _pack(all_encodable(link))
