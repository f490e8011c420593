"""Choose the export by the ending of a file. A new export is a line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from lycosa.collection.catalogue.page_filter import PageFilter
from lycosa.errors import InputError

Writer = Callable[[Path, Path, PageFilter], int]
"""Writes the pages that a filter selects to a file and returns how many."""

WRITERS = {
    ".wacz": "lycosa.collection.exports.wacz:export_wacz",
    ".jsonl": "lycosa.collection.exports.corpus:export_jsonl",
    ".csv": "lycosa.collection.exports.corpus:export_csv",
    ".parquet": "lycosa.collection.exports.corpus:export_parquet",
}
"""Exports by the ending of the file, loaded when they are used."""


def writer_for(out: Path) -> Writer:
    """Return the export for a file's ending."""
    if out.suffix not in WRITERS:
        raise InputError(
            f"{out}: the ending says what to write. Name a file that ends in {', '.join(WRITERS)}."
        )
    module, _, name = WRITERS[out.suffix].partition(":")
    write: Writer = getattr(import_module(module), name)
    return write
