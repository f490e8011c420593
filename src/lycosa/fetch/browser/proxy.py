"""The loopback proxy of a browser. It answers from our own fetcher and records the exchanges."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import ssl
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from lycosa import urls
from lycosa.fetch.browser.reuse import Reuse
from lycosa.fetch.decode import decoded_body
from lycosa.fetch.http.headers import NO_BODY
from lycosa.urls import key_of
from lycosa.values import Fetched, Kind, Link, NotFetched, Refusal

VALID = timedelta(days=30)


class Certificate(NamedTuple):
    """A certificate for every host; `fingerprint` is the hash of its key, as Chromium expects it."""

    tls: ssl.SSLContext
    fingerprint: str


def throw_away_certificate() -> Certificate:
    """Make a key and a certificate. The key is on disk only while it is loaded."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Lycosa's recording proxy")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - VALID)
        .not_valid_after(now + VALID)
        .sign(key, hashes.SHA256())
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="lycosa-") as folder:  # readable only by its owner
        path = Path(folder) / "proxy.pem"
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
        tls.load_cert_chain(path)
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return Certificate(tls, base64.b64encode(hashlib.sha256(public).digest()).decode())


MAX_REQUESTS = 150
"""Maximum number of requests of one page."""
MAX_BYTES = 50_000_000
"""Maximum bytes of all responses to one page. Further requests are refused."""
MAX_HEAD_BYTES = 64 * 1024
HEAD_TIMEOUT_S = 30.0

# Headers of one connection, of the server's TLS or other protocols, or of state beyond the page.
_NOT_PASSED = frozenset(
    (
        *("connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer", "upgrade"),
        *("content-length", "alt-svc", "strict-transport-security", "expect-ct", "public-key-pins"),
        *("set-cookie", "set-cookie2", "clear-site-data", "report-to", "nel", "reporting-endpoints"),
        *(
            "www-authenticate",
            "proxy-authenticate",
            "service-worker-allowed",
            "x-archive-orig-transfer-encoding",
        ),
    )
)

Ask = Callable[[Link], Awaitable[Fetched | NotFetched]]
"""Fetches a requisite of a page, politely."""


class Asked(NamedTuple):
    """A request of the browser."""

    method: str
    url: str
    headers: Mapping[str, str]  # by lower-case name


class RecordingProxy:
    """Answers the requests of one page while the `async with` block lasts.

    The request for the page itself is answered with `page`. `exchanges` has all others, in the order of their
    responses; `pending` is the number of requests in flight.
    """

    def __init__(
        self, page: Fetched, ask: Ask, tls: ssl.SSLContext, reuse: Reuse, *, max_decoded_bytes: int
    ) -> None:
        self.exchanges: list[Fetched | NotFetched] = []
        self.pending = 0
        self.requests = 0
        self._page, self._own = page, urls.parse(page.link.url)
        self._ask = ask
        self._tls = tls
        self._reuse = reuse
        self._max_decoded_bytes = max_decoded_bytes
        self._room = MAX_BYTES
        self._talks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    @property
    def url(self) -> str:
        """The address of the proxy."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(self._talk(reader, writer))
        self._talks.add(talk)
        # Not inside the task: a task cancelled before its first step runs no code.
        talk.add_done_callback(lambda _: writer.close())
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request. Connections are not kept alive."""
        with contextlib.suppress(
            OSError, EOFError, ValueError, ssl.SSLError, TimeoutError, asyncio.LimitOverrunError
        ):
            asked = await self._asked(reader, writer)
            self.pending += 1
            try:
                writer.write(await self._answer(asked))
                await writer.drain()
            finally:
                self.pending -= 1

    async def _asked(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked:
        async with asyncio.timeout(HEAD_TIMEOUT_S):
            method, target, headers = _parsed(await reader.readuntil(b"\r\n\r\n"))
            if method != "CONNECT":
                return Asked(method, target, headers)
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await writer.drain()
            # Other protocols (a WebSocket, for example) fail here.
            await writer.start_tls(self._tls)
            method, path, headers = _parsed(await reader.readuntil(b"\r\n\r\n"))
            return Asked(method, f"https://{target.removesuffix(':443')}{path}", headers)

    async def _answer(self, asked: Asked) -> bytes:
        if refusal := _refusal(asked):
            return _head(refusal, ())
        url = urls.parse(asked.url)
        if url is None:
            return _head(400, ())
        if url == self._own:
            return self._passed_on(self._page)
        if (known := self._reuse.get(url)) is not None:
            return self._passed_on(known)
        if self.requests >= MAX_REQUESTS or self._room <= 0:
            return _head(429, ())
        self.requests += 1
        page = self._page.link
        link = Link(
            url, key_of(url), kind=Kind.REQUISITE, depth=page.depth, parent=page.key, priority=page.priority
        )
        result = await self._ask(link)
        self.exchanges.append(result)
        if isinstance(result, NotFetched):
            return _head(502, ())
        self._room -= len(result.body)
        self._reuse.keep(url, result)
        return self._passed_on(result)

    def _passed_on(self, fetched: Fetched) -> bytes:
        """Return a response for the browser: the bytes as received, unless they unpack to too many."""
        if isinstance(decoded_body(fetched, self._max_decoded_bytes), Refusal):
            return _head(502, ())
        headers = tuple(
            (name, value)
            for name, value in fetched.headers
            if name.lower() not in _NOT_PASSED and value.isprintable()
        )
        body = b"" if fetched.status in NO_BODY else fetched.body
        return _head(fetched.status, headers, len(body)) + body


def _refusal(asked: Asked) -> int:
    """Return the status that refuses a request; 0 if it is allowed.

    Only GET is allowed, because a crawler must not change anything on servers. Pictures and films have no text; those
    that a replay needs are fetched as requisites.
    """
    if asked.method != "GET":
        return 405
    if "upgrade" in asked.headers:
        return 501
    if asked.headers.get("accept", "").startswith(("image/", "video/", "audio/")) or "range" in asked.headers:
        return 403
    return 0 if asked.url.startswith(("http://", "https://")) else 400


def _parsed(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Return method, target and headers of a request's head. Raise ValueError if it is invalid."""
    lines = head.decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split(" ", 2)
    pairs = (line.partition(":") for line in lines[1:] if line)
    return method, target, {name.strip().lower(): value.strip() for name, _, value in pairs}


def _head(status: int, headers: tuple[tuple[str, str], ...], length: int = 0) -> bytes:
    said = (*headers, ("Content-Length", str(length)), ("Connection", "close"))
    lines = [f"HTTP/1.1 {status} ", *(f"{name}: {value}" for name, value in said), "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")
