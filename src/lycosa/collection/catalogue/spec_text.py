"""The spec that a collection was crawled by, as its catalogue keeps it. In: its text. Out: its tables, and what they mean for keys."""

from __future__ import annotations

import tomllib
from typing import Any

from lycosa.urls import Folding


def tables_of(text: str) -> dict[str, dict[str, Any]]:
    """The tables of a spec: whoever wrote it, a table is a table. Empty where it cannot be read.

    What is outside of any is in the table ''.
    """
    try:
        spec = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    tables = {name: value for name, value in spec.items() if isinstance(value, dict)}
    return {"": {name: value for name, value in spec.items() if name not in tables}, **tables}


def folding_in(text: str) -> Folding:
    """Which URLs are one page in a collection of this spec.

    >>> folding_in("[scope]\\nfold_tracking = false").tracking, folding_in("").tracking
    (False, True)
    """
    return Folding(tracking=tables_of(text).get("scope", {}).get("fold_tracking") is not False)
