"""HTTP headers: the crawler's User-Agent, and header blocks as they are archived."""

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
"""Maximum bytes of one archived response, unpacked. Larger records are not read."""


def user_agent(contact: str = "") -> str:
    """Return the User-Agent of the crawler, with a contact for site owners.

    >>> user_agent("me@site.example").partition(" ")[2]
    '(focused crawler; contact: me@site.example)'
    """
    # A line break in the contact would start another header.
    said = " ".join(contact.split())
    return f"Lycosa/{__version__} (focused crawler{f'; contact: {said}' if said else ''})"


def refuse_unsendable(headers: Mapping[str, str]) -> None:
    """Raise SpecError if a header cannot be sent as it is."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or not value.isprintable():
            raise SpecError(
                f"fetch.headers: {name!r} cannot be sent. Remove line breaks and control characters from its name and value."
            )


def request_head(path: str, headers: Mapping[str, str]) -> bytes:
    """Return a request as it is archived, without passwords."""
    lines = [f"GET {path} HTTP/1.1"]
    for name, value in headers.items():
        lines.append(f"{name}: {'(not archived)' if name.lower() in _SECRETS else value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def response_head(status_line: bytes, status: int, headers: RawHeaders, length: int) -> bytes:
    """Return status line and headers as received, adjusted to a body without its transfer coding.

    >>> response_head(b"HTTP/1.1 200 OK", 200, [(b"Transfer-Encoding", b"chunked")], 5).split(b"\\r\\n")
    [b'HTTP/1.1 200 OK', b'X-Archive-Orig-Transfer-Encoding: chunked', b'Content-Length: 5', b'', b'']
    """
    lines = [status_line]
    right = b"%d" % length
    # The length in a response without a body is that of the omitted body.
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
    """Decode a header as UTF-8, or else as Latin-1."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
