"""One SQL statement over many keys. In: a statement and keys. Out: the rows of all of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any

MAX_PARAMETERS = 512  # far below SQLite's limit on parameters
STEP = 16  # few lengths, so that the connection's cache of prepared statements serves them


def over_keys(connection: sqlite3.Connection, statement: str, keys: Collection[int]) -> list[Any]:
    """Run a statement whose `{}` stands for the keys, as many at a time as SQLite allows."""
    rows: list[Any] = []
    distinct = list(dict.fromkeys(keys))
    for start in range(0, len(distinct), MAX_PARAMETERS):
        part = distinct[start : start + MAX_PARAMETERS]
        part += part[-1:] * (-len(part) % STEP)
        rows += connection.execute(statement.format(",".join("?" * len(part))), part).fetchall()
    return rows
