"""Limit the requests of each client of a public library, and close idle connections.

Idle connections would use up the server's limit. uvicorn has a timeout between requests, but none for a request that never arrives.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque

import h11
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

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


REQUEST_S = 15.0
"""Timeout for receiving a whole request: the first from the connection on, others from their first byte on."""
SILENT = 100
"""Maximum number of silent connections; beyond it, the oldest is closed."""


class ImpatientProtocol(H11Protocol):
    """HTTP on one connection, which is closed if no request arrives."""

    since = 0.0
    patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_watching()

    def handle_events(self) -> None:
        """Handle received bytes."""
        super().handle_events()
        self._watch()

    def is_silent(self) -> bool:
        """Return whether a request has not arrived completely. Between two requests uvicorn has its own timeout."""
        unfinished = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        return unfinished and self.timeout_keep_alive_task is None and not self.transport.is_closing()

    def close_if_silent(self) -> None:
        """Close the connection unless the request has arrived."""
        self._stop_watching()
        if self.is_silent():
            self.transport.abort()

    def _watch(self) -> None:
        """Start the timeout of a request; further bytes do not extend it."""
        if not self.is_silent():
            self._stop_watching()
        elif self.patience is None:
            self.since = self.loop.time()
            self.patience = self.loop.call_later(REQUEST_S, self.close_if_silent)
            silent = [
                one for one in self.connections if isinstance(one, ImpatientProtocol) and one.is_silent()
            ]
            if len(silent) > SILENT:
                min(silent, key=lambda one: one.since).close_if_silent()

    def _stop_watching(self) -> None:
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None
