"""The detail pages of a collection as rows: URL, title, tags, uploader and rank."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.collection.collection import Collection
from lycosa.methods.profile.site.reading import UPLOADER, Person, people_of, texts_of, type_of


class Item(msgspec.Struct, frozen=True):
    """A detail page. `rank` is its uploader's as last known; None if the profile was not read."""

    url: str
    title: str
    tags: list[str]
    uploader: str
    rank: float | None
    relevant: bool
    rule: str


def stored_items(directory: Path) -> list[Item]:
    """The detail pages of a collection, in the order they came."""
    items: list[tuple[int, Item]] = []
    profiles: set[int] = set()
    ranks: dict[int, float] = {}  # many items come before the profile does: the last one knows best
    with Collection.open(directory) as collection:
        for page in collection.reader.pages():
            evidence = collection.reader.evidence(page.id)
            kind = type_of(evidence)
            if kind == "profile":
                profiles.add(page.link.key)
            if page.judgement is None or kind != "detail":
                continue
            uploader = next(iter(people_of(evidence, UPLOADER)), Person("", 0))
            ranks[uploader.profile] = page.judgement.score
            tags, judgement = list(texts_of(evidence, "tags")), page.judgement
            row = Item(
                page.link.url, page.title, tags, uploader.name, None, judgement.relevant, judgement.rule
            )
            items.append((uploader.profile, row))
    return [
        msgspec.structs.replace(row, rank=ranks[user]) if user in profiles else row for user, row in items
    ]


def write_items(directory: Path, out: Path) -> int:
    """Write all rows as JSON lines. Return how many."""
    rows = stored_items(directory)
    out.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return len(rows)
