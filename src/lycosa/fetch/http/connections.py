"""Connections: closed when a server sends unrequested bytes, and limited by the open files.

aiohttp gives bytes that arrive between two requests to the next request: a page would be archived under another
page's URL, or never end. It also reads interim responses (100, 103) without a limit.
"""

from __future__ import annotations

import asyncio
import select
import sys
from array import array
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import Connection
from aiohttp.http_parser import RawResponseMessage
from aiohttp.streams import StreamReader

if TYPE_CHECKING:
    from aiohttp.tracing import Trace


from lycosa.errors import MachineError
from lycosa.spec.sections import FetchSpec
from lycosa.values import Say

if sys.platform == "linux":
    import fcntl

    _UNACKNOWLEDGED = 0x5411  # SIOCOUTQ

MAX_INTERIM = 20
"""Maximum number of interim responses to one request."""
SLICE = 4096
"""Bytes parsed at a time before the body, so that interim responses are counted."""


class InterimFlood(aiohttp.ClientError):
    """Too many interim responses."""

    def __init__(self) -> None:
        super().__init__(f"more than {MAX_INTERIM} interim responses (1xx)")


class Unasked(aiohttp.ClientError):
    """The server sent bytes that belong to no request."""

    def __init__(self) -> None:
        super().__init__("the server sent bytes that answer no request")


class Handler(ResponseHandler):
    """One connection. It is aborted at the first byte that cannot belong to the expected response.

    Such bytes arrive before a request was sent, before the server has acknowledged all of it, or after its response.
    """

    interim = 0
    requests = 0
    unasked = False
    """Whether unrequested bytes arrived."""
    last_byte_at = 0.0

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.on_unasked: Callable[[], None] = lambda: None
        self._is_awaiting = False  # a request was sent and its response has not begun
        self._body: StreamReader | None = None  # of the last response

    @property
    def is_idle(self) -> bool:
        """Whether no response is expected or in flight."""
        return not self._is_awaiting and (self._body is None or self._body.is_eof())

    def has_unread(self) -> bool:
        """Whether the socket has unread bytes or was closed."""
        link = self.transport.get_extra_info("socket") if self.transport is not None else None
        if link is None:
            return False
        if not hasattr(select, "poll"):
            return bool(select.select([link.fileno()], [], [], 0)[0])
        poll = select.poll()
        poll.register(link.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def data_received(self, data: bytes) -> None:
        """Parse bytes of the expected response."""
        if self.unasked:
            return
        if not data:  # the parser resumes after a pause
            self._parse(data)
            return
        self.last_byte_at = self._loop.time()
        if self._is_awaiting and not self.interim and self._has_unacknowledged():
            self._refuse_unasked()
        while data and not self.unasked:
            if self.is_idle:
                self._refuse_unasked()
            elif self._body is not None and not self._is_awaiting:
                self._parse(data)
                return
            else:
                self._parse(data[:SLICE])
                data = data[SLICE:]
                if len(self._buffer) > MAX_INTERIM:
                    self.set_exception(InterimFlood())
                    self._abort()
                    return

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Take one response from the parser. A request may have one final response."""
        message, payload = data
        if not self._is_awaiting:
            self._refuse_unasked()
            return
        if message.code >= 200 or message.code == 101:
            self._is_awaiting, self._body = False, payload
        super().feed_data(data, size)

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        """Wait for the response to the last request, or for the next one after an interim response."""
        if self.is_idle and not self._buffer and not self.unasked:
            self._is_awaiting = True
            self.requests += 1
        message, payload = await super().read()
        self.interim = self.interim + 1 if 100 <= message.code < 200 else 0
        if self.interim > MAX_INTERIM:
            raise InterimFlood
        return message, payload

    def _parse(self, data: bytes) -> None:
        super().data_received(data)
        if self._body is not None and self.is_idle and not self.unasked and self._has_begun_another():
            self._refuse_unasked()

    def _has_begun_another(self) -> bool:
        """Whether the parser has the start of another response."""
        try:
            return self._parser is not None and self._parser.feed_eof() is not None
        except Exception:  # not a response, or an incomplete head
            return True

    def _has_unacknowledged(self) -> bool:
        """Whether a part of the request has not reached the server, so that no byte can be its response."""
        if self.transport is None or sys.platform != "linux":
            return False
        if self.transport.get_write_buffer_size():
            return True
        link = self.transport.get_extra_info("socket")
        count = array("i", [0])
        try:
            fcntl.ioctl(link.fileno(), _UNACKNOWLEDGED, count)
        except (OSError, AttributeError, ValueError):
            return False
        return count[0] > 0

    def _refuse_unasked(self) -> None:
        self.unasked = True
        self.on_unasked()
        if not self.is_idle:
            self.set_exception(Unasked())
        self._abort()

    def _abort(self) -> None:
        self.force_close()
        if self.transport is not None:
            self.transport.abort()


class Connector(aiohttp.TCPConnector):
    """A TCPConnector that does not reuse connections with unrequested bytes. It calls `on_unasked` with their host."""

    def __init__(self, *, on_unasked: Callable[[str], None], **arguments: Any) -> None:
        super().__init__(**arguments)
        self._factory: partial[Any] = partial(Handler, loop=asyncio.get_running_loop())
        self._on_unasked = on_unasked

    async def connect(
        self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        """Return a connection without unread bytes."""
        while True:
            connection = await super().connect(req, traces, timeout)
            handler = cast(Handler, connection.protocol)
            handler.on_unasked = partial(self._on_unasked, (req.url.raw_host or "").lower())
            # A new TLS connection may have unread session tickets.
            if handler.requests == 0 and req.connection_key.is_ssl:
                return connection
            if not handler.has_unread():
                return connection
            connection.close()
            if handler.requests == 0:
                self._on_unasked((req.url.raw_host or "").lower())
                raise Unasked


RESERVED = 48
"""Open files for everything else: catalogue, archive, workers, models, temporary files."""
PLENTY = 1024
"""With fewer, connections are not kept alive: idle ones count."""
_ASKED_FOR = 65_536


def open_files() -> int:
    """Raise the limit of open files as far as allowed, and return it."""
    if sys.platform == "win32":
        return _ASKED_FOR
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ASKED_FOR if hard == resource.RLIM_INFINITY else min(hard, _ASKED_FOR)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return _ASKED_FOR if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # some systems allow less than their hard limit
        return soft
    return wanted


def within_open_files(spec: FetchSpec, say: Say) -> FetchSpec:
    """Return the settings with a concurrency that the open files allow; `say` reports a change."""
    files = open_files()
    max_concurrency = (files - RESERVED) // 2
    if spec.concurrency <= max_concurrency:
        return spec
    needed = RESERVED + 2 * spec.concurrency
    if max_concurrency < 1:
        raise MachineError(
            f"The limit of {files} open files is too low for a crawl. Raise it: ulimit -n {needed}"
        )
    say(
        f"The limit of {files} open files allows {max_concurrency} requests in flight instead of {spec.concurrency} "
        f"(fetch.concurrency). Raise it: ulimit -n {needed}"
    )
    return spec.model_copy(update={"concurrency": max_concurrency})
