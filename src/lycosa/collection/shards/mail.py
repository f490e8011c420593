"""Links between the shards of a crawl, in the catalogue of each: what it has to send, and what it has taken in.

In: links for other shards, inside the commit of the page that they were found on. Out: numbered parcels. Whoever carries
them may lose, double and reorder them: the receiver takes in what follows on what it has taken in from that sender, and
notes the last number in the same transaction; the sender forgets what the receiver has noted.
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
    # `sent`: the last number that a link to that shard was given; `taken_in`: the last one that came from it.
    "CREATE TABLE IF NOT EXISTS correspondents (shard INTEGER PRIMARY KEY, sent INTEGER NOT NULL DEFAULT 0,"
    " taken_in INTEGER NOT NULL DEFAULT 0)",
)
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Link).decode


class Parcel(msgspec.Struct, frozen=True, array_like=True):
    """Links from one shard to another: `first` is the number of the first, the others follow it.

    `forgotten`: up to this number the receiver has confirmed all, and the sender has nothing any more.
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


class Receipt(msgspec.Struct, frozen=True, array_like=True):
    """What a receiver says of a sender's links: up to which number it has all, and up to which it will always have them."""

    taken_in: int
    kept: int


class Mail:
    """Both boxes of one shard. What writes is called inside the collection's commit."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        for statement in _TABLES:
            connection.execute(statement)
        self.forget()

    def forget(self) -> None:
        """Go back to what the database says, after a rollback."""
        rows = self._connection.execute("SELECT shard, sent, taken_in FROM correspondents").fetchall()
        self.lost = 0
        self.sent = {shard: sent for shard, sent, _ in rows}
        self.taken_in = {shard: taken_in for shard, _, taken_in in rows}

    def send(self, shard: int, links: Sequence[Link]) -> None:
        """Put links into the outbox; they go when the commit is done."""
        last = self.sent.get(shard, 0)
        rows = [(shard, number, _packed(link)) for number, link in enumerate(links, start=last + 1)]
        self._connection.executemany("INSERT INTO outbox VALUES (?, ?, ?)", rows)
        self._note(shard, sent=last + len(links))

    def parcel(self, sender: int, receiver: int, limit: int, after: int = 0) -> Parcel | None:
        """The first links behind a number that wait for a shard, at most `limit`; None if none does."""
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
        """Forget the links to a shard up to this number: they are part of its database."""
        self._connection.execute("DELETE FROM outbox WHERE shard = ? AND number <= ?", (shard, number))

    def take_in(self, parcel: Parcel) -> list[Link]:
        """The links of a parcel that are new here, which count as taken in from now on.

        None where something before them is missing: its sender sends it again, and all that follows. What this shard has
        confirmed and does not know (it was put back from an older copy) comes no more, and is counted in `lost`.
        """
        known = self.taken_in.get(parcel.sender, 0)
        if parcel.forgotten > known:
            self.lost += parcel.forgotten - known
            known = parcel.forgotten
            self._note(parcel.sender, taken_in=known)
        if parcel.first > known + 1 or parcel.last <= known:
            return []
        self._note(parcel.sender, taken_in=parcel.last)
        return [_unpack(link) for link in parcel.links[known + 1 - parcel.first :]]

    def nothing_more(self, sender: int, receiver: int) -> Parcel:
        """A parcel without links, which says that the receiver has confirmed all that was sent to it."""
        sent = self.sent[receiver]
        return Parcel(sender, receiver, sent + 1, (), sent)

    def number_on(self, shard: int, number: int) -> None:
        """Number links to a shard on from what it has."""
        self._note(shard, sent=max(number, self.sent.get(shard, 0)))

    def unconfirmed(self, shard: int, taken_in: int) -> Iterator[Link]:
        """The links in the outbox that a shard does not have, which has all up to `taken_in`."""
        rows = self._connection.execute(
            "SELECT link FROM outbox WHERE shard = ? AND number > ? ORDER BY number", (shard, taken_in)
        )
        return (_unpack(link) for (link,) in rows)

    def begin_anew(self) -> None:
        """Forget all that was sent and taken in: it has gone another way, and numbers begin with 1 again."""
        for table in ("outbox", "correspondents"):
            self._connection.execute(f"DELETE FROM {table}")
        self.forget()

    def waiting(self) -> int:
        """How many links wait to be sent or confirmed."""
        return int(self._connection.execute("SELECT count(*) FROM outbox").fetchone()[0])

    def _note(self, shard: int, *, sent: int | None = None, taken_in: int | None = None) -> None:
        self.sent[shard] = self.sent.get(shard, 0) if sent is None else sent
        self.taken_in[shard] = self.taken_in.get(shard, 0) if taken_in is None else taken_in
        self._connection.execute(
            "INSERT OR REPLACE INTO correspondents VALUES (?, ?, ?)",
            (shard, self.sent[shard], self.taken_in[shard]),
        )


def correspondence(connection: sqlite3.Connection) -> Iterable[tuple[int, int, int]]:
    """(shard, last number sent to it, last number taken in from it) of a catalogue that may be of no shard."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'correspondents'")
    if found.fetchone() is None:
        return ()
    return connection.execute("SELECT shard, sent, taken_in FROM correspondents").fetchall()


def outgoing(connection: sqlite3.Connection, shard: str) -> Iterator[Link]:
    """The links in the outbox of an attached database: some of them may have arrived."""
    if connection.execute(f"SELECT 1 FROM {shard}.sqlite_master WHERE name = 'outbox'").fetchone():
        for (link,) in connection.execute(f"SELECT link FROM {shard}.outbox ORDER BY shard, number"):
            yield _unpack(link)


def _packed(link: Link) -> bytes:
    try:
        return _pack(link)
    except UnicodeEncodeError:
        return _pack(all_encodable(link))
