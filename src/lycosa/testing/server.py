"""A local web over HTTP/1.1 on 127.0.0.1, in a background thread or a separate process.

It answers for every host name, so that many sites can be crawled on one port, and logs every request.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TypeAlias, cast
from urllib.parse import urlsplit

from lycosa.testing.responses import CannedResponse, Page, Raw, Request, response_to, status

Pages: TypeAlias = Mapping[str | tuple[str, str], Page]
"""Pages by path or (host, path). A path may hold a query; a final * stands for anything."""
Web: TypeAlias = Pages | Callable[[Request], Page]

HOSTS = "*.test"
"""The host names that a crawl should connect here for; `.test` is reserved (RFC 2606)."""
MAX_HEAD_BYTES = 65_536
NOT_FOUND = status(404)


def find(pages: Pages, host: str, target: str) -> Page:
    """The page for a target: exact before without query before the longest prefix; else a 404."""
    path = target.partition("?")[0]
    for key in ((host, target), target, (host, path), path):
        if key in pages:
            return pages[key]
    prefixes = [(key if isinstance(key, tuple) else ("", key), key) for key in pages]
    fitting = [
        (len(prefix), bool(of_host), key)
        for (of_host, prefix), key in prefixes
        if prefix.endswith("*") and of_host in ("", host) and target.startswith(prefix[:-1])
    ]
    return pages[max(fitting, key=lambda fit: fit[:2])[2]] if fitting else NOT_FOUND


class _Reachable:
    """The settings with which a crawl finds a local web."""

    port: int

    @property
    def connect_to(self) -> dict[str, str]:
        """The setting `fetch.connect_to` with which `http://a.test/` is found here."""
        return {HOSTS: f"127.0.0.1:{self.port}"}

    @property
    def allow_private(self) -> tuple[str, ...]:
        """The setting `fetch.allow_private` for it."""
        return (HOSTS,)


class Site(_Reachable):
    """A local web while the `with` block lasts; `pages` and `log` may be used meanwhile."""

    def __init__(self, web: Web | None = None, port: int = 0) -> None:
        self.pages: dict[str | tuple[str, str], Page] = dict(web) if isinstance(web, Mapping) else {}
        self.log: list[Request] = []
        self.port = port
        self._answer = (
            web if callable(web) else lambda request: find(self.pages, request.host, request.target)
        )
        self._connections: set[_Connection] = set()
        self._loop = _new_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lycosa-testing", daemon=True)

    def __enter__(self) -> Site:
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except OSError:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result()
        self._stop()

    @property
    def base(self) -> str:
        """The web's own address, for clients that do not map host names."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def fetch(self) -> dict[str, object]:
        """The section `fetch` for a crawl of this web: found here, and without rests, since it is our own."""
        return {
            "connect_to": self.connect_to,
            "allow_private": self.allow_private,
            "per_host_delay_s": 0,
            "per_ip_concurrency": 32,
        }

    def hits(self, url: str) -> int:
        """How often a URL was asked for."""
        parts = urlsplit(url)
        target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        return sum(seen.host == parts.hostname and seen.target == target for seen in self.log[:])

    def times(self, host: str) -> list[float]:
        """When a host was asked, in order (seconds since the epoch)."""
        return [seen.time for seen in self.log[:] if seen.host == host]

    def urls(self) -> list[str]:
        """Every URL asked for, in order."""
        return [seen.url for seen in self.log[:]]

    def respond(self, request: Request) -> CannedResponse | Raw:
        """What this web answers; a page that fails becomes a 500 that says how."""
        self.log.append(request)
        try:
            return response_to(self._answer(request), request)
        except Exception:  # the page is a test's own function: its fault must be seen, not lost
            return CannedResponse(traceback.format_exc().encode(), 500, (("Content-Type", "text/plain"),))

    async def _listen(self) -> None:
        self._server = await self._loop.create_server(
            lambda: _Connection(self, self._connections), "127.0.0.1", self.port, backlog=1024
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _hang_up(self) -> None:
        self._server.close()
        talks = [connection.talk for connection in self._connections if connection.talk]
        for connection in list(self._connections):
            connection.abort()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await self._server.wait_closed()
        await asyncio.sleep(0)  # lets the transports run their last callbacks

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Connection(asyncio.Protocol):
    """One client: requests are answered one after the other, and the connection is kept."""

    def __init__(self, site: Site, connections: set[_Connection]) -> None:
        self.site = site
        self.connections = connections
        self.buffer = b""
        self.talk: asyncio.Task[None] | None = None
        self.may_write = asyncio.Event()
        self.may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's own is no subclass of it
        self.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.connections.discard(self)
        self.may_write.set()
        if self.talk:
            self.talk.cancel()

    def pause_writing(self) -> None:
        self.may_write.clear()

    def resume_writing(self) -> None:
        self.may_write.set()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while not self.talk and (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head, self.buffer = self.buffer[:end], self.buffer[end + 4 :]
            self._answer(head)
        if len(self.buffer) > MAX_HEAD_BYTES:
            self.abort()

    def _answer(self, head: bytes) -> None:
        lower = head.lower()
        method, _, rest = head.partition(b"\r\n")[0].decode("latin-1").partition(" ")
        target, _, version = rest.partition(" ")
        if target.startswith(
            "http://"
        ):  # as proxies are asked; every server has to take it (RFC 9112, 3.2.2)
            target = f"/{target[len('http://') :].partition('/')[2]}"
        host = _header(lower, b"host").rpartition(":")[0] or _header(lower, b"host")
        request = Request(time.time(), method, host, target, head)
        answer = self.site.respond(request)
        if isinstance(answer, Raw):
            self.talk = asyncio.get_running_loop().create_task(self._converse(answer, request))
            return
        wire = answer.gzipped if "gzip" in _header(lower, b"accept-encoding") else answer.plain
        self.transport.write(wire if method != "HEAD" else wire[: wire.index(b"\r\n\r\n") + 4])
        if version == "HTTP/1.0" or _header(lower, b"connection") == "close":
            self.transport.close()

    async def _converse(self, raw: Raw, request: Request) -> None:
        try:
            await raw.talk(request, self)
        except ConnectionError:
            self.abort()
        finally:
            self.talk = None
        self.data_received(b"")  # what the client has sent meanwhile

    async def send(self, data: bytes) -> None:
        if self.transport.is_closing():
            raise ConnectionResetError("the client has gone")
        self.transport.write(data)
        await self.may_write.wait()

    def close(self) -> None:
        self.transport.close()

    def abort(self) -> None:
        self.transport.abort()


def _header(lower_head: bytes, name: bytes) -> str:
    at = lower_head.find(b"\r\n" + name + b":")
    if at < 0:
        return ""
    return lower_head[at + len(name) + 3 :].partition(b"\r\n")[0].strip().decode("latin-1")


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # not on Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def serve(web: Web, port: int = 0) -> None:
    """Serve until standard input ends; the first line of output is the port."""
    with Site(web, port) as site:
        print(site.port, flush=True)
        sys.stdin.read()


class SiteProcess(_Reachable):
    """A local web in a process of its own, which ends with this one.

    `maker` is "module:function"; the function is called with `arguments` (plain JSON data) over
    there and returns the web. So a benchmark does not pay for the server, and a web does not
    have to be sent between processes.
    """

    def __init__(self, maker: str, **arguments: object) -> None:
        self.command = [sys.executable, "-m", "lycosa.testing", maker, json.dumps(arguments)]
        self.port = 0

    def __enter__(self) -> SiteProcess:
        # In a group of its own: Ctrl-C is for the program that uses it, which ends it.
        self._process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line.strip().isdigit():
            self.__exit__(None, None, None)
            raise RuntimeError(f"the local web did not start. Run it to see why: {' '.join(self.command)}")
        self.port = int(line)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()  # closes its standard input, and it ends
