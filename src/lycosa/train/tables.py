"""Tables that users write to train from: CSV files with a line of column names. In: a path. Out: its rows."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from lycosa.errors import InputError
from lycosa.files import read_file

Row = dict[str, str]

RELEVANT = {**dict.fromkeys(("1", "yes", "true"), True), **dict.fromkeys(("0", "no", "false"), False)}
"""What the column `relevant` may say."""


def read_rows(path: Path, needed: tuple[str, ...], columns: str) -> list[Row]:
    """The rows of a CSV file that has the needed columns; `columns` is how to begin one. Missing cells are ''."""
    try:
        text = read_file(path).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline=""), restval=""))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}. Give a CSV file: {columns}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}. Give a CSV file in UTF-8.") from None
    if not rows or not set(needed) <= rows[0].keys():
        raise InputError(
            f"{path} has no columns {' and '.join(needed)}, or no rows. Begin it with: {columns}"
        )
    return rows


def relevance_of(path: Path, number: int, row: Row) -> bool:
    """What a row says in its column `relevant`; `number` is its line."""
    mark = row["relevant"].strip().lower()
    if mark not in RELEVANT:
        raise InputError(f"{path}, line {number}: relevant is neither 1 nor 0. Mend that line.")
    return RELEVANT[mark]
