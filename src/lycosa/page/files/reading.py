"""Read PDF and office files: text, title, date, links and page count.

Their readers may crash, hang or take all memory on a hostile file. A separate process with limits on memory and time
(`pdf_process`, `office_process`) reads each file.
"""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec

from lycosa.page.files.paper import OFFICE_TYPES, Paper, Unread
from lycosa.values import Reason, Refusal

DEADLINE_S = 15.0
"""For one file; less than a page's own (process.deadline_s)."""

_decode = msgspec.msgpack.Decoder(Paper).decode
_decode_unread = msgspec.msgpack.Decoder(Unread).decode


def read_apart(module: str, body: bytes, what: str) -> Paper | Refusal:
    """What the program `python -m MODULE` makes of a file; `what` names the file in a refusal, such as "a PDF"."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, "-m", module],
            input=body,
            capture_output=True,
            timeout=DEADLINE_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Refusal(Reason.ANALYSIS_TIMEOUT, f"{what} that takes over {DEADLINE_S:g} s to read")
    if done.returncode:
        return Refusal(Reason.NOT_A_PAGE, f"{what} that broke its reader (exit code {done.returncode})")
    try:
        return _decode(done.stdout)
    except msgspec.MsgspecError:
        return Refusal(Reason.NOT_A_PAGE, _why(done.stdout, what))


def _why(answer: bytes, what: str) -> str:
    try:
        return _decode_unread(answer).why
    except msgspec.MsgspecError:
        return f"{what} that broke its reader"


PDF_MAGIC = b"%PDF-"
MAGIC_WITHIN = 1024
"""Readers pass over this much before the magic bytes."""


def is_pdf(body: bytes, content_type: str) -> bool:
    """Whether it is a PDF file, whatever its server calls it.

    >>> is_pdf(b"%PDF-1.7", "text/html"), is_pdf(b"<p>", "text/html")
    (True, False)
    """
    said = content_type.partition(";")[0].strip().lower()
    return said == "application/pdf" or body.startswith(PDF_MAGIC)


def read_pdf(body: bytes) -> Paper | Refusal:
    """Read a file, in a process that may die."""
    if PDF_MAGIC not in body[:MAGIC_WITHIN]:
        return Refusal(Reason.NOT_A_PAGE, "called a PDF, but it is none")
    return read_apart("lycosa.page.files.pdf_process", body, "a PDF")


ZIP_MAGIC = b"PK\x03\x04"
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
    if not body.startswith(ZIP_MAGIC):
        return Refusal(Reason.NOT_A_PAGE, "called an office file, but it is none")
    return read_apart("lycosa.page.files.office_process", body, "an office file")
