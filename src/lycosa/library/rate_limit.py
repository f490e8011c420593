"""How often one address may ask a library that is open to everybody. In: addresses, as they ask. Out: a refusal, or none."""

from __future__ import annotations

import time
from collections import deque

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

CLIENTS = 10_000
"""Addresses that are remembered; beyond, all are forgotten at once."""


class RateLimit:
    """Requests of each address within the last minute."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._asked: dict[str, deque[float]] = {}

    def refusal(self, scope: Scope) -> Response | None:
        """Count a request; what it is answered with if its address has asked too often."""
        who, now = (scope.get("client") or ("",))[0], time.monotonic()
        if len(self._asked) > CLIENTS:
            self._asked.clear()
        recent = self._asked.setdefault(who, deque(maxlen=self.per_minute))
        if len(recent) == self.per_minute and now - recent[0] < 60:
            return PlainTextResponse("Too many requests. Wait a minute.\n", 429, {"Retry-After": "60"})
        recent.append(now)
        return None


class Limited:
    """An application that an address can ask only so often."""

    def __init__(self, app: ASGIApp, limit: RateLimit) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or tell it to wait."""
        refusal = self._limit.refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)
