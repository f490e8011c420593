"""What waits in a frontier on disk, without opening the frontier (a crawl may be running)."""

from __future__ import annotations

import sqlite3

import msgspec

from lycosa.frontier.entry import WAITING
from lycosa.frontier.inspection import has_frontier


class HostQueue(msgspec.Struct, frozen=True):
    """A host (scheme, name, port) with the URLs that wait for it, and when it may be asked next."""

    host: str
    waiting: int
    done: int
    may_go_at: float


def host_queues(connection: sqlite3.Connection, limit: int) -> list[HostQueue]:
    """The hosts that most URLs wait for."""
    if not has_frontier(connection):
        return []
    rows = connection.execute(
        "SELECT name, waiting, done, may_go_at FROM (SELECT authority, count(*) AS waiting FROM urls"
        f" WHERE state = {WAITING} GROUP BY authority ORDER BY 2 DESC LIMIT ?) JOIN authorities ON id = authority"
        " ORDER BY waiting DESC, name",
        (limit,),
    )
    return [HostQueue(*row) for row in rows]


def urls_waiting(connection: sqlite3.Connection) -> int:
    """How many URLs wait."""
    if not has_frontier(connection):
        return 0
    row = connection.execute(f"SELECT count(*) FROM urls WHERE state = {WAITING}").fetchone()
    return int(row[0])


def urls_known_below(
    connection: sqlite3.Connection, authority: str, folder: str, limit: int
) -> list[tuple[int, str]]:
    """(key of the page it was found on, URL) of some URLs of an authority below a folder, waiting or done."""
    if not has_frontier(connection):
        return []
    rows = connection.execute(
        "SELECT DISTINCT parent, authorities.name || path FROM urls"
        " JOIN authorities ON authorities.id = authority"
        " WHERE authorities.name = ? AND parent != 0 AND instr(path, ?) = 1 LIMIT ?",
        (authority, f"{folder.removeprefix(authority)}/", limit),
    )
    return list(rows)
