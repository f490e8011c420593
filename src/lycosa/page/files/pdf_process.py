"""The process that reads one PDF: its bytes on standard input, a Paper or Unread as MessagePack on standard output.

`python -m lycosa.page.files.pdf_process` is started by `lycosa.page.files.reading`, and limits itself before it reads.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterator
from contextlib import suppress

import msgspec
import pypdfium2
import pypdfium2.raw as pdfium

from lycosa.page.files.as_html import Section, TextLink, urls_in
from lycosa.page.files.paper import UNSEEN, Paper, Unread, day_of, limit_process

PAGES = 500
"""Of one file that are read; the rest is only counted."""
CHARS = 1_000_000
TITLE_CHARS = 300
URI_BYTES = 2_000
PAGE_LINKS = 200

# What programs write where nobody gave a title.
_NO_TITLE = re.compile(
    r"(?i)untitled|microsoft \w+ - |document\d*$|.*\.(?:docx?|odt|tex|dvi|indd|qxd|pdf|rtf|html?)$|[\W\d_]*$"
)
_HYPHENS = re.compile(r"[\x02\xad\ufffe]\r?\n?")


def read(body: bytes) -> Paper | Unread:
    """All that we want of a file."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        return Unread("a PDF that wants a password" if locked else f"a broken PDF ({error})"[:200])
    about = document.get_metadata_dict()
    pages: list[Section] = []
    room = CHARS
    for number in range(min(len(document), PAGES)):
        if room <= 0:
            break
        with suppress(pypdfium2.PdfiumError):  # one page that is broken costs itself
            page = document[number]
            text = _clean(page.get_textpage().get_text_bounded()[:room])
            room -= len(text)
            links = dict.fromkeys([*_annotated(document, page), *urls_in(text)])
            pages.append(Section(tuple(paragraphs_of(text)), tuple(links)[:PAGE_LINKS]))
            page.close()
    title = _clean(about.get("Title", ""))[:TITLE_CHARS].strip()
    if _NO_TITLE.match(title):
        title = next((part for page in pages for part in page.paragraphs), "").partition("\n")[0][
            :TITLE_CHARS
        ]
    day = day_of(about.get("CreationDate", "")) or day_of(about.get("ModDate", ""))
    return Paper(title, day, len(document), tuple(pages))


def paragraphs_of(text: str) -> Iterator[str]:
    """Lines of a page put together: a line that ends a sentence and is short ends a paragraph.

    >>> list(paragraphs_of("The owl hunts at night\\nin fields.\\nIt nests in trees"))
    ['The owl hunts at night in fields.', 'It nests in trees']
    """
    lines = [line.strip() for line in text.splitlines()]
    width = max(map(len, lines), default=0)
    waiting: list[str] = []
    for line in lines:
        if line:
            waiting.append(line)
        if waiting and (
            not line or (len(line) < 0.8 * width and line.endswith((".", "!", "?", ":", "”", '"')))
        ):
            yield " ".join(waiting)
            waiting = []
    if waiting:
        yield " ".join(waiting)


def _clean(text: str) -> str:
    """Text that can be stored, with words that a line end divided put together again."""
    return UNSEEN.sub("", _HYPHENS.sub("", text))


def _annotated(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[TextLink]:
    """The links that stand on a page, with the words below them."""
    at, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    words = page.get_textpage()
    for _ in range(PAGE_LINKS):
        if not pdfium.FPDFLink_Enumerate(page.raw, ctypes.byref(at), ctypes.byref(link)):
            return
        action = pdfium.FPDFLink_GetAction(link)
        buffer = ctypes.create_string_buffer(URI_BYTES)
        if action and 0 < pdfium.FPDFAction_GetURIPath(document.raw, action, buffer, URI_BYTES) <= URI_BYTES:
            box = pdfium.FS_RECTF()
            pdfium.FPDFLink_GetAnnotRect(link, ctypes.byref(box))
            text = words.get_text_bounded(box.left, box.bottom, box.right, box.top)
            yield TextLink(buffer.value.decode("utf-8", "replace"), " ".join(_clean(text)[:500].split()))


if __name__ == "__main__":
    limit_process()
    sys.stdout.buffer.write(msgspec.msgpack.encode(read(sys.stdin.buffer.read())))
