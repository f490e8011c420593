"""The HTTP client: one guarded exchange per call.

All requests use it, also those for robots.txt, so that guards, size limits and timeouts apply to all.
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
from lycosa.fetch.http.connections import PLENTY, Connector, Handler, Unasked, open_files
from lycosa.fetch.http.faults import Dropped, Fault, dns_fault, fault_of
from lycosa.fetch.http.headers import (
    NO_BODY,
    header_text,
    refuse_unsendable,
    request_head,
    response_head,
    user_agent,
)
from lycosa.fetch.http.resolver import Resolver
from lycosa.spec.sections import FetchSpec
from lycosa.values import Reason, Refusal

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_HEADER_BYTES = 32 * 1024  # of one header; security headers may exceed the usual 8 KiB
MAX_HEADERS = 200
MAX_COOKIES = 50  # of one response
MAX_COOKIE_CHARS = 4096
KEEP_ALIVE_S = 15.0
MAX_UNKEPT = 10_000
"""Maximum number of servers remembered as not keeping connections alive."""
QUIET_S = 1.0
"""Seconds of silence between two requests after which a late unrequested response is unlikely."""
SETTLE_S, SETTLED = 0.02, 8
"""Seconds to hold back a response on a connection that was reused sooner, and for how many responses of a host. An
unrequested response looks like the response to the next request; the real one then follows and reveals it."""

Look = Callable[[int, Mapping[str, str]], None]
"""Checks status and headers before the body is read. Raises Fault to stop."""
Glance = Callable[[bytes], None]
"""Checks the first bytes of a body, whenever more arrive. Raises Fault to stop."""
GLANCE_BYTES = 65_536
"""Glance is not called beyond this many bytes."""

_DOMAIN = re.compile(r";\s*domain\s*=[^;]*", re.IGNORECASE)


class Response(msgspec.Struct, frozen=True):
    """A response as received, with the data for the archive."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    request_head: bytes
    response_head: bytes
    started: float
    elapsed_s: float
    address: str
    cut: bool = False  # at `max_bytes`

    def header(self, name: str) -> str:
        """Return the first value of a header (lower-case name), or ''."""
        return next((value for key, value in self.headers if key.lower() == name), "")


class _Response(ClientResponse):
    """Remembers its connection, which a short response has left when it is returned."""

    peer = ""
    handler: Handler | None = None
    is_first = True
    """Whether it is the response to the first request of its connection."""
    idle_s = 0.0
    """Seconds of silence on its connection before the request."""

    async def start(self, connection: Connection) -> ClientResponse:
        self.handler = cast(Handler, connection.protocol)
        self.is_first = self.handler.requests == 0
        self.idle_s = asyncio.get_running_loop().time() - self.handler.last_byte_at
        if connection.transport is not None:
            self.peer = (connection.transport.get_extra_info("peername") or ("",))[0]
        if self.request_info.headers.get("Connection") == "close":
            self.handler.force_close()  # even if the server keeps it open
        return await super().start(connection)


class _HostCookieJar(aiohttp.CookieJar):
    """Sends cookies only to the host that set them. Of many cookies it keeps the first."""

    def update_cookies_from_headers(self, headers: Sequence[str], response_url: URL) -> None:
        kept = [_DOMAIN.sub("", header) for header in headers if len(header) <= MAX_COOKIE_CHARS]
        super().update_cookies_from_headers(kept[:MAX_COOKIES], response_url)


async def _no_hidden_retry(request: ClientRequest, send: Callable[[ClientRequest], Any]) -> ClientResponse:
    """Disable aiohttp's own retries: the host's delay must be between two requests."""
    try:
        return cast(ClientResponse, await send(request))
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise Dropped(str(error)) from error


class HttpClient:
    """A session with guards and limits. Use it with `async with`. Each `get` is exactly one request."""

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
        self._unkept: dict[str, None] = {}  # servers that drop reused connections or send unrequested bytes
        self._settled: dict[str, int] = {}  # responses that no other followed, by host
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        spec = self._spec
        connector = Connector(
            on_unasked=self._keep_no_more,
            resolver=self._resolver,
            use_dns_cache=False,  # the resolver has one, shared with the per-IP limits
            socket_factory=None if self._proxy else self._guard.make_socket,
            limit=0,  # the crawl loop limits requests in flight
            ssl=spec.verify_tls,
            # After the host's delay, a connection will not be reused.
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
                total=None,  # `_exchange` has its own
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
        """Send one GET. The body is read up to `max_bytes`; `Response.cut` says whether there was more."""
        try:
            target = _target(url)
            host = (target.raw_host or "").lower()
        except ValueError as error:
            raise Fault(Refusal(Reason.BAD_URL, str(error))) from error
        if not self._proxy:
            try:
                await self._resolver.addresses(host)  # not part of the connect timeout
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
        # aiohttp's total timeout does not cover what follows a response on its connection.
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
            # One connection per request.
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
        """Use one connection per request for this server from now on."""
        self._unkept[server] = None
        if len(self._unkept) > MAX_UNKEPT:
            del self._unkept[next(iter(self._unkept))]

    async def _refuse_doubtful(self, response: _Response, host: str) -> None:
        """Raise Unasked if this may be the response to an earlier request, or contain a part of one.

        The first response of a connection is certain. If a connection was reused soon, its end does not prove that
        nothing was to follow.
        """
        handler = response.handler
        if response.is_first or handler is None:
            return
        if response.idle_s < QUIET_S and not handler.unasked:
            settled = self._settled.get(host, 0)
            if settled < SETTLED and handler.is_connected():
                await asyncio.sleep(SETTLE_S)
                if handler.is_idle and handler.is_connected() and handler.has_unread():
                    await asyncio.sleep(0.001)  # let the bytes arrive
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
        if auth and url.raw_user is None:  # credentials in the URL win
            headers["Authorization"] = auth
        if self._proxy_auth and url.scheme == "http":
            headers["Proxy-Authorization"] = self._proxy_auth
        headers.update(extra or {})
        return headers


async def _read(response: ClientResponse, max_bytes: int, glance: Glance | None) -> tuple[bytes, bool]:
    """Return the body up to `max_bytes`, and whether there was more."""
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
    """Return a URL object that requests exactly this text."""
    if url.endswith("?"):  # yarl drops the question mark of an empty query
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
    """Return the proxy's URL without credentials, and the header that has them."""
    if not proxy:
        return None, ""
    url = URL(proxy)
    if url.user is None:
        return url, ""
    return url.with_user(None), _basic_auth(f"{url.user}:{url.password or ''}")
