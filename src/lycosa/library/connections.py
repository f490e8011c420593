"""Close idle connections: they would use up the server's limit.

uvicorn has a timeout between requests, but none for a request that never arrives.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 15.0
"""Timeout for receiving a whole request: the first from the connection on, others from their first byte on."""
READ_S = 30.0
"""Timeout for a client that reads nothing while a response waits for it."""
SILENT = 100
"""Maximum number of silent connections; beyond it, the oldest is closed."""


class ImpatientProtocol(H11Protocol):
    """HTTP on one connection, which is closed if no request arrives."""

    since = 0.0
    patience: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_waiting()
        self._stop_watching()

    def handle_events(self) -> None:
        """Handle received bytes."""
        super().handle_events()
        self._watch()

    def pause_writing(self) -> None:
        """Wait for a client that does not read."""
        super().pause_writing()
        self._reading = self.loop.call_later(READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        super().resume_writing()
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

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
