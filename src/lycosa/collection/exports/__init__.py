"""Export a collection to WACZ, JSON lines, CSV or Parquet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lycosa.errors import InputError

STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"))


def check_place(out: Path, *, stream: bool = False) -> None:
    """Refuse a target that cannot be written to. `stream`: it may be a stream."""
    if _is_stream(out):
        if not stream:
            raise InputError(
                f"{out} is not a file: this format has to be written back and forth. Name a file, or use --jsonl."
            )
    elif not os.access(out.resolve().parent, os.W_OK):
        raise InputError(
            f"{out} cannot be written (its folder is missing or read-only). Choose another place."
        )


@contextmanager
def written(out: Path) -> Iterator[Path]:
    """Yield a draft beside `out` that replaces it when it is complete."""
    check_place(out)
    place = out.resolve()  # replace the target of a link, not the link
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    with _plain_trouble(out):
        try:
            yield draft
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def written_through(out: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write sequentially: `-` is standard output; a pipe or device is written directly."""
    if out in STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif _is_stream(out):
        with _plain_trouble(out), out.open("wb") as stream:
            yield stream
    else:
        with written(out) as draft, draft.open("wb") as file:
            yield file


def _is_stream(out: Path) -> bool:
    """Return whether a target is a stream, which cannot be replaced by a file."""
    named = {*STANDARD_OUTPUT, Path("/dev/stderr")}
    opened = {Path("/dev/fd"), Path("/proc")} & {*out.absolute().parents}
    return out in named or bool(opened) or (out.exists() and not (out.is_file() or out.is_dir()))


@contextmanager
def _plain_trouble(out: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has closed the pipe: the command line ends quietly
    except OSError as error:
        raise InputError(
            f"{out} cannot be written ({error.strerror or error}). Choose another place."
        ) from None
