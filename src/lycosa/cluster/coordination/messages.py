"""Messages between shards and their coordinator. They are values, and may get lost."""

from __future__ import annotations

from math import inf

import msgspec

from lycosa.engine.watch.summary import Summary


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The report of one shard, as of an instant between two of its commits."""

    shard: int
    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    seconds: float = 0.0
    waiting: int = 0
    hosts: int = 0
    flying: int = 0  # pages under way
    granted: int | None = 0  # how many pages it may have in all; None: no limit
    best: tuple[float, ...] = ()  # priorities of the best URLs that could go now or soon, best first
    sent: dict[int, int] = {}  # by shard: the number of the last link that was sent there
    taken_in: dict[int, int] = {}  # by shard: the number of the last link that came from there
    unsent: int = 0  # links that wait to be sent or confirmed
    is_idle: bool = False  # nothing is under way, and nothing can be, unless something arrives
    refused: dict[str, int] = {}  # by reason, as users read it
    addresses: tuple[str, ...] = ()  # IP addresses that it alone may ask
    wanted: tuple[str, ...] = ()  # those that it would ask
    is_paused: bool = False
    ending: str = ""  # why it takes nothing more
    is_still: bool = False  # and nothing is under way any more
    error: str = ""  # why it has failed
    summary: Summary | None = None  # of a shard that has ended


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """Orders for one shard. Later ones (by term, then by number) replace earlier ones."""

    term: float = 0.0  # of the coordinator: one that was started again has a later one
    number: int = 0
    granted: int | None = 0
    price: float = -inf  # nothing of lower priority is fetched
    paused: bool = False
    end: str = ""  # why the crawl has ended
    all_still: bool = False  # nothing is under way in any shard
    is_judged: bool = (
        False  # the shard that fits the judge for all has ended: there will be no further version
    )
    pages: int = 0  # of all shards
    addresses: tuple[str, ...] = ()  # IP addresses that it may ask from now on
    returned: tuple[str, ...] = ()  # those that it is asked to give back


class Unreachable(Exception):
    """A shard or the coordinator does not answer: it is being restarted, or the message was lost."""
