"""The TDM Reservation Protocol (W3C): rights for text and data mining in /.well-known/tdmrep.json.

The file is fetched once a day, and only if the spec respects it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping

import msgspec

from lycosa import urls
from lycosa.fetch.decode import decoded_start
from lycosa.fetch.polite.robots import StoredRobots
from lycosa.values import Fetched, Kind, Link, NotFetched

PATH = "/.well-known/tdmrep.json"
MAX_BYTES = 200_000
RULES = 500
LOCATION_CHARS = 500

SiteRights = tuple[tuple[str, str], ...]


class _Rule(msgspec.Struct, frozen=True):
    location: str
    reservation: int | str = msgspec.field(name="tdm-reservation", default=0)
    policy: str = msgspec.field(name="tdm-policy", default="")


class TdmFiles:
    """The tdmrep.json files of a crawl. `store` keeps them by URL, with the robots.txt files."""

    def __init__(
        self,
        exchange: Callable[[Link], Awaitable[Fetched | NotFetched]],
        store: MutableMapping[str, StoredRobots],
        clock: Callable[[], float],
    ) -> None:
        self._exchange = exchange
        self._store = store
        self._clock = clock
        self._parsed: dict[str, tuple[float, list[_Rule]]] = {}

    def of(self, url: str) -> SiteRights | None:
        """Return the rights of a URL; None if the file has to be fetched first."""
        authority = urls.authority_of(url)
        stored = self._store.get(authority + PATH)
        if stored is None or not stored.is_fresh(self._clock()):
            return None
        when, rules = self._parsed.get(authority, (0.0, []))
        if when != stored.fetched_at:
            rules = rules_in(stored.text)
            self._parsed.clear()  # successive URLs are often of one host
            self._parsed[authority] = stored.fetched_at, rules
        return rights_at(url[len(authority) :], rules)

    async def read(self, authority: str) -> None:
        """Fetch the file, with one request. A failure counts as an empty file."""
        url = authority + PATH
        result = await self._exchange(Link(url, urls.key_of(url), kind=Kind.REQUISITE))
        text = ""
        if isinstance(result, Fetched) and result.status == 200:
            text = decoded_start(result.headers, result.body, MAX_BYTES).decode("utf-8", "replace")
        self._store[url] = StoredRobots(text, result.status or 404, self._clock())


def rules_in(text: str) -> list[_Rule]:
    """Return the rules of a file; none if it is invalid."""
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace"), type=list[_Rule], strict=False)[:RULES]
    except msgspec.MsgspecError:
        return []


def rights_at(path: str, rules: list[_Rule]) -> SiteRights:
    """Return the rights of a path by the most specific rule, the longest.

    >>> rights_at("/a/b.html", rules_in('[{"location": "/a/*", "tdm-reservation": 1}, {"location": "/", "tdm-reservation": 0}]'))
    (('tdm-reservation', '1'),)
    """
    fits = [rule for rule in rules if _fits(rule.location, path)]
    if not fits:
        return ()
    best = max(fits, key=lambda rule: len(rule.location))
    policy = (("tdm-policy", best.policy),) if best.policy else ()
    return (("tdm-reservation", str(best.reservation)), *policy)


def _fits(location: str, path: str) -> bool:
    """Whether a path matches a location, in which * is any text and a final $ is the end."""
    if not location.startswith("/") or len(location) > LOCATION_CHARS or location.count("*") > 5:
        return False
    first, *others = location.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    last = others.pop() if others and location.endswith("$") else ""
    at = len(first)
    for piece in others:  # leftmost matches need no backtracking
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if not location.endswith("$"):
        return True
    return path.endswith(last, at) if "*" in location else at == len(path)
