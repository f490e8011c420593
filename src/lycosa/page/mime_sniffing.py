"""Refuse bodies that cannot be a page, by their content type and first bytes."""

from __future__ import annotations

import codecs

from lycosa.spec.sections import ScopeSpec
from lycosa.values import Reason, Refusal

START = 1445
"""How many bytes are looked at, as browsers do (WHATWG, MIME Sniffing)."""
_BINARY = bytes({*range(0x20)} - {*b"\t\n\f\r\x1b"})
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def not_a_page(body: bytes, content_type: str) -> Refusal | None:
    """Why it is no text or HTML page, such as an image or a PDF; None where it may be one.

    Markup may hold stray control characters; anything else that holds one is not text.

    >>> str(not_a_page(b"%PDF-1.7", "text/html"))
    'it could not be read as a page: neither text nor HTML'
    >>> not_a_page(b"<p>Owls" + bytes(3), "text/html; charset=utf-8")
    """
    said = content_type.partition(";")[0].strip().lower()
    if said and said not in ScopeSpec().content_types:
        return Refusal(Reason.CONTENT_TYPE, said[:80])
    start = body[:START].lstrip()
    if start.startswith((*_MARKS, b"<")) or "utf-16" in content_type.lower():
        return None
    if start.startswith(b"%PDF-") or len(start.translate(None, _BINARY)) < len(start):
        return Refusal(Reason.NOT_A_PAGE, "neither text nor HTML")
    return None
