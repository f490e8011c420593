"""What a frontier on disk says of its URLs and hosts, read without opening it (a crawl may be running)."""

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
    """Until when authorities rest; those that were being asked when the crawl ended begin to rest now."""
    if not has_frontier(connection):
        return {}
    rows = connection.execute(
        "SELECT name, may_go_at, rest, id IN (SELECT authority FROM leases) FROM authorities"
    )
    # No rest lies further ahead than it is long, though the clock may have been set back.
    rests = {
        name: max(min(may_go_at, now + rest), now + max(rest, restart_rest_s) if leased else 0.0)
        for name, may_go_at, rest, leased in rows
    }
    return {name: until for name, until in rests.items() if until > now}


def has_frontier(connection: sqlite3.Connection) -> bool:
    """Whether anything was ever crawled here: a catalogue gets the frontier's tables with its first crawl."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'urls'")
    return found.fetchone() is not None


def dropped_for(
    connection: sqlite3.Connection, url: str, limits: tuple[int | None, int | None]
) -> list[Refusal]:
    """Why a URL that was offered does not wait: its full host or site, or else what anything was dropped for.

    `limits`: the most pages of a host and of a site. Which of several reasons it was for this one is not kept.
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
    """How many pages the site of a URL has given."""
    return _given_by(connection, url)[1] if has_frontier(connection) else 0


def _given_by(connection: sqlite3.Connection, url: str) -> tuple[int, int]:
    """How many pages the host of a URL has given, and how many its site."""
    host, source = urls.host_of(urls.authority_of(url)), urls.source_of(urls.authority_of(url))
    rows = connection.execute(
        "SELECT authorities.name, sources.name, pages FROM authorities JOIN sources ON sources.id = source"
    ).fetchall()
    return (
        sum(pages for name, _, pages in rows if urls.host_of(name) == host),
        sum(pages for _, site, pages in rows if site == source),
    )


def url_state_in(connection: sqlite3.Connection, key: int) -> UrlState | None:
    """Waiting, taken, done or held; None if the URL is unknown (or nothing was crawled yet)."""
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
