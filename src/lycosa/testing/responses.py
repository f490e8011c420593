"""Pages of a local web: HTML strings, `CannedResponse`s, `Raw` conversations, or functions of the request."""

from __future__ import annotations

import gzip
import http
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeAlias, Union
from urllib.parse import parse_qsl

Headers: TypeAlias = tuple[tuple[str, str], ...]
HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
GZIP_FROM_BYTES = 200  # smaller bodies do not shrink


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came in: `time` in seconds since the epoch, `target` is path and query."""

    time: float
    method: str
    host: str  # without port, lower case
    target: str
    head: bytes  # request line and headers as received

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters; of repeated ones the last."""
        return dict(parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    @property
    def url(self) -> str:
        """The URL that was asked for, as if the server listened on port 80."""
        return f"http://{self.host}{self.target}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers, names in lower case."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines)
        return {name.strip().lower(): value.strip() for name, _, value in pairs}


@dataclass(frozen=True)
class CannedResponse:
    """A whole response, as a test or the demo has it ready. It is sent with its true length, and gzipped where that is accepted."""

    body: bytes = b""
    status: int = 200
    headers: Headers = HTML

    def header(self, name: str) -> str:
        """The first value of a header, or ''."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    def prepared(self) -> CannedResponse:
        """This response, with its bytes for the wire made now and not at the first request."""
        _ = self.plain, self.gzipped
        return self

    @cached_property
    def plain(self) -> bytes:
        """Head and body as sent to clients that accept no gzip."""
        return self.head(len(self.body)) + self.body

    @cached_property
    def gzipped(self) -> bytes:
        """Head and body as sent to clients that accept gzip; not gzipped where it cannot help."""
        textual = self.header("Content-Type").startswith(("text/", "application/", "image/svg"))
        if not textual or len(self.body) < GZIP_FROM_BYTES or self.header("Content-Encoding"):
            return self.plain
        body = gzip.compress(self.body, 6, mtime=0)
        more = (("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
        return replace(self, headers=self.headers + more).head(len(body)) + body

    def head(self, length: int | None) -> bytes:
        """Status line and headers with this Content-Length (None: without one)."""
        lines = [status_line(self.status), *(f"{name}: {value}" for name, value in self.headers)]
        if length is not None:
            lines.append(f"Content-Length: {length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


class Wire(Protocol):
    """The server's end of a connection, for answers that are not proper HTTP."""

    async def send(self, data: bytes) -> None:
        """Send, waiting while the client does not read."""
        ...

    def close(self) -> None:
        """Close after what was sent."""
        ...

    def abort(self) -> None:
        """Reset the connection at once."""
        ...


@dataclass(frozen=True, slots=True)
class Raw:
    """A conversation byte by byte. When `talk` returns, the connection waits for a next request."""

    talk: Callable[[Request, Wire], Awaitable[None]]


Page: TypeAlias = Union[str, CannedResponse, Raw, "Callable[[Request], Page]"]


def status_line(status: int) -> str:
    """The first line of a response.

    >>> status_line(404)
    'HTTP/1.1 404 Not Found'
    """
    known = status in set(http.HTTPStatus)
    return f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase if known else 'Unknown'}"


def response_to(page: Page, request: Request) -> CannedResponse | Raw:
    """The response of a page to a request."""
    while not isinstance(page, CannedResponse | Raw):
        page = html(page) if isinstance(page, str) else page(request)
    return page


def html(text: str, *, charset: str = "utf-8", status: int = 200, **headers: str) -> CannedResponse:
    """An HTML page. More headers by keyword: `x_robots_tag="noindex"`.

    >>> html("<p>Hello", etag='"1"').headers
    (('Content-Type', 'text/html; charset=utf-8'), ('etag', '"1"'))
    """
    own = (("Content-Type", f"text/html; charset={charset}"),)
    more = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return CannedResponse(text.encode(charset, "xmlcharrefreplace"), status, own + more)


def text(content: str, content_type: str = "text/plain; charset=utf-8") -> CannedResponse:
    """Plain text: a robots.txt, a feed, a sitemap."""
    return CannedResponse(content.encode(), 200, (("Content-Type", content_type),))


def data(body: bytes, content_type: str) -> CannedResponse:
    """Any bytes under any content type."""
    return CannedResponse(body, 200, (("Content-Type", content_type),))


def links(*targets: str, title: str = "Links") -> CannedResponse:
    """An HTML page with a link to each target."""
    items = "".join(f'<li><a href="{target}">{target}</a></li>' for target in targets)
    return html(f"<html><head><title>{title}</title></head><body><ul>{items}</ul></body></html>")


def status(code: int, **headers: str) -> CannedResponse:
    """A short page under any status."""
    return html(f"<title>{code}</title><p>This is a {code}.", status=code, **headers)


def redirect(target: str, code: int = 302) -> CannedResponse:
    """A redirect."""
    return status(code, Location=target)


def with_etag(page: str, etag: str = '"1"') -> Page:
    """A page that answers 304 to whoever has it already."""

    def answer(request: Request) -> Page:
        known = request.headers.get("if-none-match") == etag
        return CannedResponse(status=304, headers=(("ETag", etag),)) if known else html(page, etag=etag)

    return answer
