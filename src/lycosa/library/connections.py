"""Connections on which nobody asks for anything. In: uvicorn's protocol. Out: the same, which gives them up.

The server takes a number of connections at once; without this, as many idle ones would keep everybody else out.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

FIRST_REQUEST_S = 15.0
"""How long a new connection may be silent."""
SILENT = 100
"""This many may be silent at once; beyond, the oldest makes room."""


class ImpatientProtocol(H11Protocol):
    """HTTP on one connection, which is closed if its first request does not come."""

    since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.since = self.loop.time()
        self.loop.call_later(FIRST_REQUEST_S, self.close_if_silent)
        silent = [one for one in self.connections if isinstance(one, ImpatientProtocol) and one.cycle is None]
        if len(silent) > SILENT:
            min(silent, key=lambda one: one.since).close_if_silent()

    def close_if_silent(self) -> None:
        """Close it, unless a request has come."""
        if self.cycle is None and not self.transport.is_closing():
            self.transport.abort()
