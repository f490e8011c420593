"""Connections on which nobody asks for anything. In: uvicorn's protocol. Out: the same, which gives them up.

The server takes a number of connections at once; without this, as many idle ones would keep everybody else out.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 15.0
"""How long a request may take to come, whole: the first from the connection on, others from their first byte on."""
SILENT = 100
"""This many may be silent at once; beyond, the oldest makes room."""


class ImpatientProtocol(H11Protocol):
    """HTTP on one connection, which is closed if the request that is waited for does not come."""

    since = 0.0
    patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_watching()

    def handle_events(self) -> None:
        """Bytes have come, or may be looked at because an answer is complete."""
        super().handle_events()
        self._watch()

    def is_silent(self) -> bool:
        """Whether a request is waited for: none has come, or not all of it. Between two requests uvicorn waits itself."""
        unfinished = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        return unfinished and self.timeout_keep_alive_task is None and not self.transport.is_closing()

    def close_if_silent(self) -> None:
        """Close it, unless the request has come."""
        self._stop_watching()
        if self.is_silent():
            self.transport.abort()

    def _watch(self) -> None:
        """Begin to wait, where a request has begun; single bytes of it gain no time."""
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
