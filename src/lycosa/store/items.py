"""Detail pages of a sharing site as rows. In: a collection. Out: URL, title, tags, uploader and rank, JSONL or Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from lycosa.errors import InputError
from lycosa.evidence.profile.reading import TYPE, UPLOADER, people_of, texts_of
from lycosa.store.collection import Collection


class Item(msgspec.Struct, frozen=True):
    """A detail page: `rank` is its uploader's when it was judged."""

    url: str
    title: str
    tags: list[str]
    uploader: str
    rank: float
    relevant: bool
    rule: str


def stored_items(directory: Path) -> Iterator[Item]:
    """The detail pages of a collection, in the order they came."""
    with Collection.read(directory) as collection:
        for page in collection.reader.pages():
            evidence = collection.reader.evidence(page.id)
            if page.judgement is None or TYPE not in evidence or evidence[TYPE].label != "detail":
                continue
            uploader = people_of(evidence, UPLOADER)
            yield Item(
                page.link.url,
                page.title,
                texts_of(evidence, "tags"),
                uploader[0][0] if uploader else "",
                page.judgement.score,
                page.judgement.relevant,
                page.judgement.rule,
            )


def write_items(directory: Path, out: Path) -> int:
    """Write all rows; the suffix decides how. Returns how many."""
    rows = list(stored_items(directory))
    if out.suffix == ".parquet":
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise InputError(
                "Parquet needs pyarrow: pip install 'lycosa[parquet]', or write .jsonl."
            ) from None
        pq.write_table(pa.Table.from_pylist([msgspec.structs.asdict(row) for row in rows]), out)
    elif out.suffix == ".jsonl":
        out.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    else:
        raise InputError(f"{out} is neither .jsonl nor .parquet. Choose one of these endings.")
    return len(rows)
