"""Read the spec text that a catalogue stores."""

from __future__ import annotations

import tomllib
from typing import Any

from lycosa.urls import Folding


def tables_of(text: str) -> dict[str, dict[str, Any]]:
    """Return the tables of a spec; none if it is not TOML.

    Keys outside of tables are in the table ''.
    """
    try:
        spec = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    tables = {name: value for name, value in spec.items() if isinstance(value, dict)}
    return {"": {name: value for name, value in spec.items() if name not in tables}, **tables}


def folding_in(text: str) -> Folding:
    """Return which URLs are one page in a collection of this spec.

    >>> folding_in("[scope]\\nfold_tracking = false").tracking, folding_in("").tracking
    (False, True)
    """
    return Folding(tracking=tables_of(text).get("scope", {}).get("fold_tracking") is not False)
