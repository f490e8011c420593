"""Read office files (docx, xlsx, pptx, odt, ods, odp): text, title, date and links.

They are zip files of XML. A separate process reads each (`office_process`), as for PDF files.
"""

from __future__ import annotations

from lycosa.page.files.paper import OFFICE_TYPES, Paper
from lycosa.page.files.reader_process import read_apart
from lycosa.values import Reason, Refusal

MAGIC = b"PK\x03\x04"
OLD_MAGIC = b"\xd0\xcf\x11\xe0"
"""Of files of the time before, and of new ones that are encrypted."""


def is_office(content_type: str) -> bool:
    """Whether a server calls it an office file: by its bytes it may be any zip file.

    >>> is_office("application/vnd.oasis.opendocument.text; charset=x"), is_office("application/zip")
    (True, False)
    """
    return content_type.partition(";")[0].strip().lower() in OFFICE_TYPES


def read_office(body: bytes) -> Paper | Refusal:
    """Read a file, in a process that may die."""
    if body.startswith(OLD_MAGIC):
        return Refusal(Reason.NOT_A_PAGE, "an office file that wants a password, or of an old format")
    if not body.startswith(MAGIC):
        return Refusal(Reason.NOT_A_PAGE, "called an office file, but it is none")
    return read_apart("lycosa.page.files.office_process", body, "an office file")
