"""Invented posts, one of each kind, as their platforms write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

POSTS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
V1, V1_RETWEET, V1_EXTENDED = POSTS["V1"], POSTS["V1_RETWEET"], POSTS["V1_EXTENDED"]
V2, V2_PAGE = POSTS["V2"], POSTS["V2_PAGE"]
MASTODON, OUTBOX = POSTS["MASTODON"], POSTS["OUTBOX"]
RECORD, VIEW, FIREHOSE = POSTS["RECORD"], POSTS["VIEW"], POSTS["FIREHOSE"]
LONG = V1["entities"]["urls"][0]["expanded_url"]


def write_lines(path: Path, *values: Any) -> Path:
    """Values as JSON, one a line; a string as it is."""
    lines = (value if isinstance(value, str) else json.dumps(value) for value in values)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path
