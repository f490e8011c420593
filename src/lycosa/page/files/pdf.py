"""Read PDF files: text, title, date, links and page count.

The PDF reader is C++ and may crash, hang or take all memory on a hostile file. A separate process with limits on
memory and time (`pdf_process`) reads each file.
"""

from __future__ import annotations

from lycosa.page.files.paper import Paper
from lycosa.page.files.reader_process import read_apart
from lycosa.values import Reason, Refusal

MAGIC = b"%PDF-"
MAGIC_WITHIN = 1024
"""Readers pass over this much before the magic bytes."""


def is_pdf(body: bytes, content_type: str) -> bool:
    """Whether it is a PDF file, whatever its server calls it.

    >>> is_pdf(b"%PDF-1.7", "text/html"), is_pdf(b"<p>", "text/html")
    (True, False)
    """
    said = content_type.partition(";")[0].strip().lower()
    return said == "application/pdf" or body.startswith(MAGIC)


def read_pdf(body: bytes) -> Paper | Refusal:
    """Read a file, in a process that may die."""
    if MAGIC not in body[:MAGIC_WITHIN]:
        return Refusal(Reason.NOT_A_PAGE, "called a PDF, but it is none")
    return read_apart("lycosa.page.files.pdf_process", body, "a PDF")
