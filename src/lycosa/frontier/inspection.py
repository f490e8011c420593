"""Read-only queries on a stored frontier, also while a crawl is running."""

from __future__ import annotations

import sqlite3

import msgspec

from lycosa import urls
from lycosa.frontier import UrlState
from lycosa.frontier.entry import DONE, WAITING
from lycosa.frontier.rows import FIND, link_of, read_link
from lycosa.values import Reason, Refusal

HELD = "SELECT name, link FROM held JOIN holds ON holds.id = hold WHERE hash = ?"


def rests_in(connection: sqlite3.Connection, now: float, restart_rest_s: float) -> dict[str, float]:
    """Return until when authorities rest. Those with a lease start their rest now."""
    if not has_frontier(connection):
        return {}
    rows = connection.execute(
        "SELECT name, may_go_at, rest, id IN (SELECT authority FROM leases) FROM authorities"
    )
    # A rest must not end later than its length from now: the clock may have been set back.
    rests = {
        name: max(min(may_go_at, now + rest), now + max(rest, restart_rest_s) if leased else 0.0)
        for name, may_go_at, rest, leased in rows
    }
    return {name: until for name, until in rests.items() if until > now}


def has_frontier(connection: sqlite3.Connection) -> bool:
    """Whether a catalogue has a frontier. It gets one with its first crawl."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'urls'")
    return found.fetchone() is not None


def dropped_for(
    connection: sqlite3.Connection, url: str, limits: tuple[int | None, int | None]
) -> list[Refusal]:
    """Return why an offered URL may have been dropped: its full host or site, or else all reasons of dropped URLs.

    `limits` are the page limits of a host and of a site. The reason for a single URL is not stored.
    """
    if not has_frontier(connection):
        return []
    for limit, pages, name in zip(limits, _given_by(connection, url), ("host", "site"), strict=True):
        if limit is not None and pages >= limit:
            return [Refusal(Reason.HOST_FULL, f"limits.pages_per_{name} = {limit}")]
    reasons = [
        Reason[name] for (name,) in connection.execute("SELECT reason FROM dropped ORDER BY count DESC")
    ]
    return [Refusal(reason) for reason in reasons if reason is not Reason.HOST_FULL]


def pages_of_site(connection: sqlite3.Connection, url: str) -> int:
    """Return the number of pages fetched from the site of a URL."""
    return _given_by(connection, url)[1] if has_frontier(connection) else 0


def _given_by(connection: sqlite3.Connection, url: str) -> tuple[int, int]:
    """Return the numbers of pages fetched from the host and from the site of a URL."""
    host, source = urls.host_of(urls.authority_of(url)), urls.source_of(urls.authority_of(url))
    rows = connection.execute(
        "SELECT authorities.name, sources.name, pages FROM authorities JOIN sources ON sources.id = source"
    ).fetchall()
    return (
        sum(pages for name, _, pages in rows if urls.host_of(name) == host),
        sum(pages for _, site, pages in rows if site == source),
    )


def url_state_in(connection: sqlite3.Connection, key: int) -> UrlState | None:
    """Return the state of a URL; None if it is unknown."""
    if not has_frontier(connection):
        return None
    row = connection.execute(FIND, (key,)).fetchone()
    if row is None:
        held = connection.execute(HELD, (key,)).fetchone()
        return UrlState("held", read_link(held[1]), hold=held[0]) if held else None
    number, _, authority, state = row[:4]
    name, may_go_at = connection.execute(
        "SELECT name, may_go_at FROM authorities WHERE id = ?", (authority,)
    ).fetchone()
    leased = connection.execute("SELECT 1 FROM leases WHERE id = ?", (number,)).fetchone()
    word = "taken" if leased else "done" if state == DONE else "waiting"
    return UrlState(word, link_of(row, name), may_go_at)


class HostQueue(msgspec.Struct, frozen=True):
    """An authority, its numbers of URLs, and when its next request may go."""

    host: str
    waiting: int
    done: int
    may_go_at: float


def host_queues(connection: sqlite3.Connection, limit: int) -> list[HostQueue]:
    """Return the authorities with most waiting URLs."""
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
    """Return the number of waiting URLs."""
    if not has_frontier(connection):
        return 0
    row = connection.execute(f"SELECT count(*) FROM urls WHERE state = {WAITING}").fetchone()
    return int(row[0])


def urls_known_below(
    connection: sqlite3.Connection, authority: str, folder: str, limit: int
) -> list[tuple[int, str]]:
    """Return (key of the parent page, URL) of known URLs of an authority below a folder."""
    if not has_frontier(connection):
        return []
    rows = connection.execute(
        "SELECT DISTINCT parent, authorities.name || path FROM urls"
        " JOIN authorities ON authorities.id = authority"
        " WHERE authorities.name = ? AND parent != 0 AND instr(path, ?) = 1 LIMIT ?",
        (authority, f"{folder.removeprefix(authority)}/", limit),
    )
    return list(rows)
