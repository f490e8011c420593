"""Limit the requests of each client of a public library, and share its time among them."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import time
from collections import Counter, deque

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CLIENTS = 10_000
"""Clients remembered; beyond this number all are forgotten."""


AT_ONCE = min(8, max(2, os.cpu_count() or 1))
"""Requests answered at once. More would share the same cores, and all would wait."""
WAITING = 200
"""Requests that may wait; beyond it, those of the client who used most time are refused."""
HALVED_S = 30.0
"""Seconds after which the time that clients used counts half."""
FORGOTTEN_S = 0.01
"""Less than this is forgotten."""


def client_of(scope: Scope) -> str:
    """Return the address of a client; of IPv6 its network, because a client has all of its addresses.

    >>> client_of({"client": ("2001:db8:1:2:3:4:5:6", 1)}), client_of({"client": ("192.0.2.1", 1)}), client_of({})
    ('2001:db8:1:2::', '192.0.2.1', '')
    """
    who = (scope.get("client") or ("",))[0]
    if ":" not in who:
        return str(who)
    return str(ipaddress.ip_network((who.partition("%")[0], 64), strict=False).network_address)


class TurnedAwayError(Exception):
    """Too many requests wait, and those of others are before this one."""


class _Waiting:
    def __init__(self, who: str, turn: asyncio.Future[None]) -> None:
        self.who = who
        self.turn = turn


class Turns:
    """A few requests at a time. Next is the client who used least time lately, and asks for least."""

    def __init__(self) -> None:
        self._running = 0
        self._waiting: list[_Waiting] = []
        self._asked: Counter[str] = Counter()  # waiting, by client
        self._used_s: dict[str, float] = {}
        self._halve_at = 0.0
        self._mean_s = 0.1  # of the last requests

    async def wait(self, who: str) -> None:
        """Wait for a turn; give it back with `end`. Raise TurnedAwayError if too many wait."""
        if self._running < AT_ONCE:
            self._running += 1
            return
        self._asked[who] += 1
        mine = _Waiting(who, asyncio.get_running_loop().create_future())
        self._waiting.append(mine)
        if len(self._waiting) > WAITING:
            last = max(self._waiting, key=self._rank)
            self._leave(last)
            last.turn.set_exception(TurnedAwayError())
        try:
            await mine.turn
        except asyncio.CancelledError:
            if mine in self._waiting:
                self._leave(mine)
            elif mine.turn.done() and not mine.turn.cancelled():
                self.end(who, 0.0)  # it came together with the cancel
            raise

    def end(self, who: str, used_s: float) -> None:
        """End a turn, and begin the next one."""
        now = time.monotonic()
        if now > self._halve_at:
            self._used_s = {one: used / 2 for one, used in self._used_s.items() if used > FORGOTTEN_S}
            self._halve_at = now + HALVED_S
        self._mean_s += 0.1 * (used_s - self._mean_s)
        self._used_s[who] = self._used_s.get(who, 0.0) + used_s
        if self._waiting:
            following = min(self._waiting, key=self._rank)
            self._leave(following)
            following.turn.set_result(None)
        else:
            self._running -= 1

    def _leave(self, one: _Waiting) -> None:
        self._waiting.remove(one)
        self._asked[one.who] -= 1
        if not self._asked[one.who]:
            del self._asked[one.who]

    def _rank(self, one: _Waiting) -> float:
        return self._used_s.get(one.who, 0.0) + self._mean_s * self._asked[one.who]


class InTurn:
    """An application that computes a few responses at once. Sending one takes no turn: a slow reader keeps nobody waiting."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._turns = app, Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request in its turn."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        who = client_of(scope)
        try:
            await self._turns.wait(who)
        except TurnedAwayError:
            busy = PlainTextResponse(
                "The library is busy. Try again in a minute.\n", 503, {"Retry-After": "60"}
            )
            await busy(scope, receive, send)
            return
        began, has_ended = time.monotonic(), False

        def end() -> None:
            nonlocal has_ended
            if not has_ended:
                has_ended = True
                self._turns.end(who, time.monotonic() - began)

        async def sending(message: Message) -> None:
            end()
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            end()


class RateLimit:
    """Requests of each client within the last minute."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._asked: dict[str, deque[float]] = {}

    def refusal(self, scope: Scope) -> Response | None:
        """Count a request, and return a refusal if the limit is reached."""
        who, now = client_of(scope), time.monotonic()
        if len(self._asked) > CLIENTS:
            self._asked.clear()
        recent = self._asked.setdefault(who, deque(maxlen=self.per_minute))
        if len(recent) == self.per_minute and now - recent[0] < 60:
            return PlainTextResponse("Too many requests. Wait a minute.\n", 429, {"Retry-After": "60"})
        recent.append(now)
        return None


class Limited:
    """An application with a rate limit."""

    def __init__(self, app: ASGIApp, limit: RateLimit) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = self._limit.refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)
