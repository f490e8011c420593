"""Read a file in a separate process, which may crash or hang without harm to the crawl."""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec

from lycosa.page.files.paper import Paper, Unread
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
