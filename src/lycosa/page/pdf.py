"""PDF files. In: bytes. Out: text, title, date, links and page count, or a refusal.

The reader is C++ that was written for the files of strangers, and still it may crash, hang or want all memory. So each file is read
by a process of its own (`pdf_process`) with limits on memory and time, wherever the program is.
"""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec

from lycosa.page.paper import Paper, Unread
from lycosa.values import Reason, Refusal

DEADLINE_S = 15.0
"""For one file; less than a page's own (process.deadline_s)."""
MAGIC = b"%PDF-"
MAGIC_WITHIN = 1024
"""Readers pass over this much before the magic bytes."""


_decode = msgspec.msgpack.Decoder(Paper).decode
_decode_unread = msgspec.msgpack.Decoder(Unread).decode


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
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "lycosa.page.pdf_process"],
            input=body,
            capture_output=True,
            timeout=DEADLINE_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Refusal(Reason.ANALYSIS_TIMEOUT, f"a PDF that takes over {DEADLINE_S:g} s to read")
    if done.returncode:
        return Refusal(Reason.NOT_A_PAGE, f"a PDF that broke its reader (exit code {done.returncode})")
    try:
        return _decode(done.stdout)
    except msgspec.MsgspecError:
        return Refusal(Reason.NOT_A_PAGE, _why(done.stdout))


def _why(answer: bytes) -> str:
    try:
        return _decode_unread(answer).why
    except msgspec.MsgspecError:
        return "a PDF that broke its reader"
