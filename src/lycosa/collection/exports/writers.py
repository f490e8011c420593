"""Which export writes a file. In: the file's name. Out: the function that writes it. A further export is a line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from lycosa.collection.catalogue.page_filter import PageFilter
from lycosa.errors import InputError

Writer = Callable[[Path, Path, PageFilter], int]
"""Writes the pages of a collection that a filter lets through to a file; how many."""

WRITERS = {
    ".wacz": "lycosa.collection.exports.wacz:export_wacz",
    ".jsonl": "lycosa.collection.exports.corpus:export_jsonl",
    ".csv": "lycosa.collection.exports.corpus:export_csv",
    ".parquet": "lycosa.collection.exports.corpus:export_parquet",
}
"""The exports by the ending of the file. Each is loaded only when it is used."""


def writer_for(out: Path) -> Writer:
    """The export that a file's ending names."""
    if out.suffix not in WRITERS:
        raise InputError(
            f"{out}: the ending says what to write. Name a file that ends in {', '.join(WRITERS)}."
        )
    module, _, name = WRITERS[out.suffix].partition(":")
    write: Writer = getattr(import_module(module), name)
    return write
