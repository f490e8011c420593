"""Links and decisions, written briefly."""

from typing import Any

from lycosa import urls
from lycosa.frontier.queued import QueuedFrontier
from lycosa.values import Decision, Link, Outcome


def url_of(name: str) -> str:
    """`a/1` is page 1 of host a."""
    host, _, page = name.partition("/")
    return f"http://{host}.example/{page}"


def key(name: str) -> int:
    return urls.key_of(url_of(name))


def link(name: str, **fields: Any) -> Link:
    return Link(url_of(name), key(name), **fields)


def offer(name: str, priority: float = 0.5, **fields: Any) -> Decision:
    return Decision(link(name, **fields), priority=priority)


def held(name: str, hold: str, *waits_for: str) -> Decision:
    return Decision(link(name), hold=hold, waits_for=tuple(map(key, waits_for)))


def take(frontier: QueuedFrontier, now: float = 0.0) -> Link:
    """Take a link that must be there."""
    taken = frontier.take(now)
    assert taken is not None
    return taken


def name_of(taken: Link) -> str:
    return taken.url.removeprefix("http://").replace(".example", "")


def drain(frontier: QueuedFrontier, now: float = 0.0, **outcome: Any) -> list[str]:
    """Take and end all that may go, one by one."""
    names = []
    while (taken := frontier.take(now)) is not None:
        frontier.done(taken, Outcome(rest_until=0.0, **outcome))
        names.append(name_of(taken))
    return names
