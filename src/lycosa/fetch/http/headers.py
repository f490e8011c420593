"""Header blocks of HTTP. In: what was sent and received. Out: the bytes that archives keep of it.

Also how the crawler names itself: site owners must be able to tell who asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lycosa import __version__
from lycosa.errors import SpecError

RawHeaders = Iterable[tuple[bytes, bytes]]

_SECRETS = frozenset(("authorization", "proxy-authorization"))
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
NO_BODY = frozenset((204, 304))
RECORD_BYTES = 1 << 28
"""Of one archived response, unpacked: archives come from strangers too, and what is larger is no page."""


def user_agent(contact: str = "") -> str:
    """How the crawler names itself, with whom to write to.

    >>> user_agent("me@site.example").partition(" ")[2]
    '(focused crawler; contact: me@site.example)'
    """
    # A line break in the contact would start a header of its own.
    said = " ".join(contact.split())
    return f"Lycosa/{__version__} (focused crawler{f'; contact: {said}' if said else ''})"


def refuse_unsendable(headers: Mapping[str, str]) -> None:
    """A SpecError where a header cannot be sent as it is: a line break would start another one."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or not value.isprintable():
            raise SpecError(
                f"fetch.headers: {name!r} cannot be sent. Take line breaks and odd letters out of its name and value."
            )


def request_head(path: str, headers: Mapping[str, str]) -> bytes:
    """The request as an archive keeps it: passwords stay out, what else was sent is in."""
    lines = [f"GET {path} HTTP/1.1"]
    for name, value in headers.items():
        lines.append(f"{name}: {'(not archived)' if name.lower() in _SECRETS else value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def response_head(status_line: bytes, status: int, headers: RawHeaders, length: int) -> bytes:
    """Status line and headers as received, made to fit a body whose transfer coding is undone.

    >>> response_head(b"HTTP/1.1 200 OK", 200, [(b"Transfer-Encoding", b"chunked")], 5).split(b"\\r\\n")
    [b'HTTP/1.1 200 OK', b'X-Archive-Orig-Transfer-Encoding: chunked', b'Content-Length: 5', b'', b'']
    """
    lines = [status_line]
    right = b"%d" % length
    # The length of a response without body is that of the body it might have had.
    fits = status in NO_BODY
    for name, value in headers:
        kind = name.lower()
        if kind == b"content-length" and (fits or value == right):
            fits = True
        elif kind in (b"content-length", b"transfer-encoding"):
            name = b"X-Archive-Orig-" + name
        lines.append(name + b": " + value)
    if not fits:
        lines.append(b"Content-Length: " + right)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def header_text(raw: bytes) -> str:
    """A header as text that can be stored anywhere: UTF-8 if it is, else one letter a byte."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
