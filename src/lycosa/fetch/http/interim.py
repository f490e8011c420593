"""Interim responses (100 Continue, 103 Early Hints), of which a server may send any number. In: aiohttp's connector.

Out: the same, which gives up a connection on which they come without end: aiohttp reads on for as long as the time-out
allows, and a flood of them keeps the whole crawl busy.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_parser import RawResponseMessage
from aiohttp.streams import StreamReader

MAX_INTERIM = 20
"""Of one request."""
SLICE = 4096
"""Before a body has begun, no more bytes than these are looked at without counting the responses in them."""


class InterimFlood(aiohttp.ClientError):
    """More interim responses than anybody needs."""

    def __init__(self) -> None:
        super().__init__(f"more than {MAX_INTERIM} interim responses (1xx)")


class _Handler(ResponseHandler):
    interim = 0

    def data_received(self, data: bytes) -> None:
        if self._payload is not None and not self._payload.is_eof():
            super().data_received(data)
            return
        for start in range(0, len(data), SLICE):
            super().data_received(data[start : start + SLICE])
            if len(self._buffer) > MAX_INTERIM:
                self.set_exception(InterimFlood())
                if self.transport is not None:
                    self.transport.abort()
                return
            if self._payload is not None and not self._payload.is_eof():
                super().data_received(data[start + SLICE :])
                return

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        message, payload = await super().read()
        self.interim = self.interim + 1 if 100 <= message.code < 200 else 0
        if self.interim > MAX_INTERIM:
            raise InterimFlood
        return message, payload


class Connector(aiohttp.TCPConnector):
    """A TCPConnector whose connections end with a flood of interim responses."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._factory: partial[Any] = partial(_Handler, loop=asyncio.get_running_loop())
