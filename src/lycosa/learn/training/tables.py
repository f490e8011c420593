"""Reads CSV files that a user has written."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from lycosa.errors import InputError
from lycosa.files import size_of

Row = dict[str, str]


def read_rows(path: Path, needed: Sequence[str], begin: str) -> list[Row]:
    """All rows; `needed` columns must be there, and `begin` is how the first line should read. A cell that lacks is "".

    Spreadsheets put a mark before the first column's name; it is no part of it.
    """
    try:
        size_of(path)  # it is a file
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines, restval="")
            header, rows = reader.fieldnames or (), list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read: {why}. Give a CSV file in UTF-8.") from None
    if missing := [column for column in needed if column not in header]:
        raise InputError(f"{path} has no column {missing[0]}. Begin it with the line: {begin}")
    if not rows:
        raise InputError(f"{path} has no lines below the first. Add one for each example: {begin}")
    return rows
