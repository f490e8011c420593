"""Limit the requests of each client of a public library."""

from __future__ import annotations

import time
from collections import deque

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

CLIENTS = 10_000
"""Clients remembered; beyond this number all are forgotten."""


class RateLimit:
    """Requests of each client within the last minute."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._asked: dict[str, deque[float]] = {}

    def refusal(self, scope: Scope) -> Response | None:
        """Count a request, and return a refusal if the limit is reached."""
        who, now = (scope.get("client") or ("",))[0], time.monotonic()
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
