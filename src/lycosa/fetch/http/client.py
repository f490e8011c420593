"""One guarded HTTP exchange. In: a URL. Out: a Response as received, or a Fault with its reason.

The only way to the network: robots.txt goes through it as pages do, so that guards, caps and
time-outs hold for both.
"""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, cast

import aiohttp
import msgspec
from aiohttp.client_reqrep import ClientRequest, ClientResponse
from aiohttp.connector import Connection
from multidict import CIMultiDict
from yarl import URL

from lycosa.errors import MachineError
from lycosa.fetch.guards import Attempt, Guard, attempt_under_way
from lycosa.fetch.http.connections import Connector, Handler, Unasked
from lycosa.fetch.http.faults import Dropped, Fault, dns_fault, fault_of
from lycosa.fetch.http.headers import (
    NO_BODY,
    header_text,
    refuse_unsendable,
    request_head,
    response_head,
    user_agent,
)
from lycosa.fetch.http.open_files import PLENTY, open_files
from lycosa.fetch.http.resolver import Resolver
from lycosa.spec.sections import FetchSpec
from lycosa.values import Reason, Refusal

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_HEADER_BYTES = 32 * 1024  # of one header; modern security headers outgrow the usual 8 KiB
MAX_HEADERS = 200
MAX_COOKIES = 50  # of one response
MAX_COOKIE_CHARS = 4096
KEEP_ALIVE_S = 15.0
MAX_UNKEPT = 10_000
"""How many servers are remembered that get no kept-alive connections; the longest-known are forgotten."""
QUIET_S = 1.0
"""Silence of a connection between two requests, after which a late unasked response is no longer expected."""
SETTLE_S, SETTLED = 0.02, 8
"""How long a response on a connection used again sooner is held back, and for how many responses of a host. A response
that nobody asked for is taken for the answer to the next request; that request's own answer then follows, and shows it."""

Look = Callable[[int, Mapping[str, str]], None]
"""Looks at status and headers before the body is read; raises a Fault to stop there."""
Glance = Callable[[bytes], None]
"""Looks at the first bytes of a body, as often as more have come; raises a Fault to stop there."""
GLANCE_BYTES = 65_536
"""What these first bytes do not tell is not asked again."""

_DOMAIN = re.compile(r";\s*domain\s*=[^;]*", re.IGNORECASE)


class Response(msgspec.Struct, frozen=True):
    """A response as received, with what archives need to know of it."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    request_head: bytes
    response_head: bytes
    started: float
    elapsed_s: float
    address: str
    cut: bool = False  # the body was longer than asked for

    def header(self, name: str) -> str:
        """The first value of a header (lower-case name), or ''."""
        return next((value for key, value in self.headers if key.lower() == name), "")


class _Response(ClientResponse):
    """Remembers who answered: a short response has left its connection before we see it."""

    peer = ""
    handler: Handler | None = None
    is_first = True
    """Whether it answers the first request of its connection."""
    idle_s = 0.0
    """How long its connection was silent before the request."""

    async def start(self, connection: Connection) -> ClientResponse:
        self.handler = cast(Handler, connection.protocol)
        self.is_first = self.handler.requests == 0
        self.idle_s = asyncio.get_running_loop().time() - self.handler.last_byte_at
        if connection.transport is not None:
            self.peer = (connection.transport.get_extra_info("peername") or ("",))[0]
        if self.request_info.headers.get("Connection") == "close":
            self.handler.force_close()  # also where the server would keep it open
        return await super().start(connection)


class _HostCookieJar(aiohttp.CookieJar):
    """A jar whose cookies go back only to the very host that set them; of a flood, the first few."""

    def update_cookies_from_headers(self, headers: Sequence[str], response_url: URL) -> None:
        kept = [_DOMAIN.sub("", header) for header in headers if len(header) <= MAX_COOKIE_CHARS]
        super().update_cookies_from_headers(kept[:MAX_COOKIES], response_url)


async def _no_hidden_retry(request: ClientRequest, send: Callable[[ClientRequest], Any]) -> ClientResponse:
    """Keep aiohttp from asking again by itself: the host's delay must lie between two requests."""
    try:
        return cast(ClientResponse, await send(request))
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise Dropped(str(error)) from error


class HttpClient:
    """A session with guards and caps built in. Use it with `async with`.

    Each `get` is one request: nothing is asked for again behind the back of whoever keeps the delays.
    """

    def __init__(
        self, spec: FetchSpec, resolver: Resolver, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.max_url_length = spec.max_url_length
        self._spec = spec
        self._clock = clock
        self._guard = Guard(spec.allow_private)
        self._resolver = resolver
        self._headers = _base_headers(spec)
        self._auth = {host.lower(): _basic_auth(secret) for host, secret in spec.auth.items()}
        self._proxy, self._proxy_auth = _proxy_of(spec.proxy)
        self._unkept: dict[
            str, None
        ] = {}  # servers that drop kept connections, or send what nobody asked for
        self._settled: dict[str, int] = {}  # responses that nothing followed, by host
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        spec = self._spec
        connector = Connector(
            on_unasked=self._keep_no_more,
            resolver=self._resolver,
            use_dns_cache=False,  # the resolver has one that the per-IP limits share
            socket_factory=None if self._proxy else self._guard.make_socket,
            limit=0,  # the crawl loop limits how much is under way
            ssl=spec.verify_tls,
            # Waiting longer than the host's delay keeps sockets open that nobody will use.
            **(
                {"force_close": True}
                if open_files() < PLENTY
                else {"keepalive_timeout": min(spec.per_host_delay_s + 3.0, KEEP_ALIVE_S)}
            ),
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=_HostCookieJar(unsafe=True) if spec.cookies else aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None,  # `_exchange` counts it by itself
                connect=spec.connect_timeout_s,
                sock_read=spec.read_timeout_s,
            ),
            auto_decompress=False,
            response_class=_Response,
            max_line_size=MAX_HEADER_BYTES,
            max_field_size=MAX_HEADER_BYTES,
            max_headers=MAX_HEADERS,
            middlewares=(_no_hidden_retry,),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(
        self,
        url: str,
        *,
        max_bytes: int,
        extra: Mapping[str, str] | None = None,
        look: Look | None = None,
        glance: Glance | None = None,
    ) -> Response:
        """Send one GET. The body is read up to `max_bytes`; Response.cut says that there was more."""
        try:
            target = _target(url)
            host = (target.raw_host or "").lower()
        except ValueError as error:
            raise Fault(Refusal(Reason.BAD_URL, str(error))) from error
        if not self._proxy:
            try:
                await self._resolver.addresses(host)  # the time for connecting begins after it
            except OSError as error:
                raise dns_fault(error) from error
        elif refusal := self._guard.literal_refusal(host):
            raise Fault(refusal)
        attempt = Attempt(host)
        attempt_under_way.set(attempt)
        try:
            return await self._exchange(target, host, extra, max_bytes, look, glance)
        except (Fault, MachineError):
            raise
        except Exception as error:
            raise fault_of(error, attempt) from error

    async def _exchange(
        self,
        url: URL,
        host: str,
        extra: Mapping[str, str] | None,
        max_bytes: int,
        look: Look | None,
        glance: Glance | None,
    ) -> Response:
        started, begun = self._clock(), time.perf_counter()
        # Not aiohttp's own total timeout: that of one response does not bound what follows on its connection.
        deadline = asyncio.get_running_loop().time() + self._spec.total_timeout_s
        async with asyncio.timeout_at(deadline):
            response = await self._send(url, host, self._headers_for(url, host, extra))
        try:
            if look is not None:
                look(response.status, response.headers)
            async with asyncio.timeout_at(deadline):
                body, cut = await _read(response, max_bytes, glance)
                if not cut:
                    await self._refuse_doubtful(cast(_Response, response), host)
        except Exception as error:
            response.close()
            fault = error if isinstance(error, Fault) else fault_of(error)
            fault.status, fault.retry_after = response.status, response.headers.get("Retry-After", "")
            raise fault from error
        except BaseException:
            response.close()
            raise
        peer = "" if self._proxy else cast(_Response, response).peer
        self._resolver.prefer(host, peer)
        raw = response.raw_headers
        return Response(
            status=response.status,
            headers=tuple((header_text(name), header_text(value)) for name, value in raw),
            body=body,
            request_head=request_head(url.raw_path_qs, response.request_info.headers),
            response_head=response_head(_status_line(response), response.status, raw, len(body)),
            started=started,
            elapsed_s=time.perf_counter() - begun,
            address=peer,
            cut=cut,
        )

    async def _send(self, url: URL, host: str, headers: CIMultiDict[str]) -> ClientResponse:
        assert self._session is not None, "use the client with 'async with'"
        server = "the proxy" if self._proxy else host
        if server in self._unkept or host in self._unkept:
            # Each request gets a connection of its own.
            headers = headers.copy()
            headers["Connection"] = "close"
        tunnel = {"Proxy-Authorization": self._proxy_auth} if self._proxy_auth else None
        try:
            return await self._session.get(
                url, headers=headers, allow_redirects=False, proxy=self._proxy, proxy_headers=tunnel
            )
        except Dropped:
            self._keep_no_more(server)
            raise

    def _keep_no_more(self, server: str) -> None:
        """Give each further request to a server a connection of its own."""
        self._unkept[server] = None
        if len(self._unkept) > MAX_UNKEPT:
            del self._unkept[next(iter(self._unkept))]

    async def _refuse_doubtful(self, response: _Response, host: str) -> None:
        """Raise Unasked if this may be the response to an earlier request, or have a part of one in it.

        What answers the first request of a connection is not in doubt. On one that is used again soon, the end of the
        connection is no proof that nothing was to follow.
        """
        handler = response.handler
        if response.is_first or handler is None:
            return
        if response.idle_s < QUIET_S and not handler.unasked:
            settled = self._settled.get(host, 0)
            if settled < SETTLED and handler.is_connected():
                await asyncio.sleep(SETTLE_S)
                if handler.is_idle and handler.is_connected() and handler.has_unread():
                    await asyncio.sleep(0.001)  # let it arrive
                self._settled[host] = settled + 1
                if len(self._settled) > MAX_UNKEPT:
                    del self._settled[next(iter(self._settled))]
            if not handler.is_connected():
                self._keep_no_more(host)
                raise Unasked
        if handler.unasked:
            raise Unasked

    def _headers_for(self, url: URL, host: str, extra: Mapping[str, str] | None) -> CIMultiDict[str]:
        auth = self._auth.get(host) if self._auth else None
        if not (auth or extra or self._proxy_auth):
            return self._headers
        headers = self._headers.copy()
        if auth and url.raw_user is None:  # a URL that brings its own name and password keeps them
            headers["Authorization"] = auth
        if self._proxy_auth and url.scheme == "http":
            headers["Proxy-Authorization"] = self._proxy_auth
        headers.update(extra or {})
        return headers


async def _read(response: ClientResponse, max_bytes: int, glance: Glance | None) -> tuple[bytes, bool]:
    """The body, up to a number of bytes, and whether there was more."""
    said = response.headers.get("Content-Length", "")
    if not max_bytes and said.isdecimal() and int(said) and response.status not in NO_BODY:
        response.close()
        return b"", True
    chunks: list[bytes] = []
    size = 0
    while chunk := await response.content.readany():
        chunks.append(chunk)
        if glance is not None and response.status == 200 and size < GLANCE_BYTES:
            glance(b"".join(chunks))
        size += len(chunk)
        if size > max_bytes:
            response.close()
            return b"".join(chunks)[:max_bytes], True
    return (chunks[0] if len(chunks) == 1 else b"".join(chunks)), False


def _status_line(response: ClientResponse) -> bytes:
    version = response.version or aiohttp.HttpVersion11
    reason = (response.reason or "").encode("utf-8", "surrogateescape")
    return b"HTTP/%d.%d %d %s" % (version.major, version.minor, response.status, reason)


def _target(url: str) -> URL:
    """The URL object that is requested exactly as the text says."""
    if url.endswith("?"):  # an empty query counts: yarl would drop its question mark
        path_at = url.index("/", 8)
        scheme, _, authority = url[:path_at].partition("://")
        return URL.build(scheme=scheme, authority=authority, path=url[path_at:], encoded=True)
    return URL(url, encoded=True)


def _base_headers(spec: FetchSpec) -> CIMultiDict[str]:
    headers: CIMultiDict[str] = CIMultiDict(
        {
            "User-Agent": spec.user_agent or user_agent(spec.contact),
            "Accept": ACCEPT,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
    )
    headers.update(spec.headers)
    refuse_unsendable(headers)
    return headers


def _basic_auth(secret: str) -> str:
    return "Basic " + base64.b64encode(secret.encode()).decode("ascii")


def _proxy_of(proxy: str) -> tuple[URL | None, str]:
    """The proxy's URL without its password, and the header that carries it."""
    if not proxy:
        return None, ""
    url = URL(proxy)
    if url.user is None:
        return url, ""
    return url.with_user(None), _basic_auth(f"{url.user}:{url.password or ''}")
