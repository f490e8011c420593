"""A collection as a corpus: one row a page, with clean text and where it comes from. Out: JSON lines or Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from lycosa.errors import InputError
from lycosa.fetch.decode import decoded_body
from lycosa.page.document import Document
from lycosa.store.collection import Collection, ReadCollection
from lycosa.store.exports import Choice, written
from lycosa.store.responses import response_of
from lycosa.store.warc import warc_date
from lycosa.values import Refusal

MAX_BYTES = 50_000_000
ROW_GROUP = 2000

_ROWS = """
    SELECT pages.id, pages.key, pages.url, pages.title, date, language, source, words, relevant, score, rules.text,
        explored, depth, status, content_type, near_duplicate_of, at, warcs.text, offset, length, texts.body
    FROM pages LEFT JOIN rules ON rules.id = rule LEFT JOIN warcs ON warcs.id = warc
        LEFT JOIN texts ON texts.rowid = pages.id
    WHERE {} ORDER BY pages.id"""


class PlaceRow(msgspec.Struct, frozen=True):
    """A place that the page names."""

    name: str
    kind: str
    lat: float | None
    lon: float | None
    country: str
    count: int


class EntityRow(msgspec.Struct, frozen=True):
    """A person or an organisation that the page names."""

    name: str
    kind: str
    count: int


class CorpusRow(msgspec.Struct, frozen=True):
    """One page of the corpus."""

    url: str
    title: str
    text: str
    date: str
    language: str
    source: str
    words: int
    relevant: bool
    score: float | None
    rule: str
    genre: str
    places: list[PlaceRow]
    entities: list[EntityRow]
    evidence: dict[str, float | None]
    cluster: str  # URL of the first page of its near-duplicate cluster: its own if it is alone
    explored: bool
    depth: int
    status: int
    content_type: str
    fetched_at: str
    warc_file: str
    warc_offset: int
    warc_length: int


def export_jsonl(directory: Path, out: Path, choice: Choice) -> int:
    """Write one JSON object a line; how many."""
    encode, count = msgspec.json.Encoder().encode, 0
    with Collection.read(directory) as collection, written(out) as draft, draft.open("wb") as file:
        for row in corpus_rows(collection, choice):
            file.write(encode(row) + b"\n")
            count += 1
    return count


def export_parquet(directory: Path, out: Path, choice: Choice) -> int:
    """Write a Parquet table; how many rows."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(
            "Writing Parquet needs pyarrow. Install it: pip install 'lycosa[parquet]' (or: pip install pyarrow)"
        ) from None
    schema, count = _schema(pyarrow), 0
    with (
        Collection.read(directory) as collection,
        written(out) as draft,
        parquet.ParquetWriter(draft, schema, compression="zstd") as writer,
    ):
        for group in _groups(corpus_rows(collection, choice)):
            rows = [_flat(row) for row in group]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def corpus_rows(collection: ReadCollection, choice: Choice) -> Iterator[CorpusRow]:
    """The pages of a choice, in the order they were fetched. Text that is not indexed comes from the archive."""
    urls = _FirstOfCluster(collection)
    for row in collection.connection.execute(_ROWS.format(choice.sql)):
        number, key, url, title, date, language, source, words, relevant, score, rule = row[:11]
        explored, depth, status, content_type, near, at, file, offset, length, text = row[11:]
        evidence = collection.reader.evidence(number)
        genre = evidence.get("genre")
        yield CorpusRow(
            url=url,
            title=title,
            text=text if text is not None else archived_text(collection, key),
            date=date,
            language=language,
            source=source,
            words=words,
            relevant=bool(relevant),
            score=score,
            rule=rule or "",
            genre=genre.label if genre else "",
            places=_places(collection, number),
            entities=_entities(collection, number),
            evidence={name: _known(fact.value) for name, fact in evidence.items()},
            cluster=urls.of(near) or url,
            explored=bool(explored),
            depth=depth,
            status=status,
            content_type=content_type,
            fetched_at=warc_date(at),
            warc_file=file or "",
            warc_offset=offset,
            warc_length=length,
        )


def archived_text(collection: ReadCollection, key: int) -> str:
    """The main text of a page, from its bytes; '' where they cannot be read."""
    page = collection.reader.page(key)
    fetched = response_of(collection, page) if page else None
    body = decoded_body(fetched, MAX_BYTES) if fetched else None
    if fetched is None or body is None or isinstance(body, Refusal):
        return ""
    try:
        return Document(body, fetched.link.url, fetched.header("content-type")).main_text
    except Exception:  # whatever a hostile page provokes must cost only its own text
        return ""


class _FirstOfCluster:
    """URLs by key, looked up as they are needed."""

    def __init__(self, collection: ReadCollection) -> None:
        self._connection = collection.connection
        self._known: dict[int, str] = {}

    def of(self, key: int) -> str:
        if not key:
            return ""
        if key not in self._known:
            row = self._connection.execute("SELECT url FROM pages WHERE key = ?", (key,)).fetchone()
            self._known[key] = row[0] if row else ""
        return self._known[key]


def _places(collection: ReadCollection, number: int) -> list[PlaceRow]:
    rows = collection.connection.execute(
        "SELECT canonical, kind, lat, lon, country, count FROM places WHERE page = ?", (number,)
    )
    return [PlaceRow(*row) for row in rows]


def _entities(collection: ReadCollection, number: int) -> list[EntityRow]:
    sql = "SELECT name, kind, count FROM entities WHERE page = ?"
    return [EntityRow(*row) for row in collection.connection.execute(sql, (number,))]


def _known(value: float) -> float | None:
    """JSON knows no 'not a number'."""
    return value if value == value else None


def _groups(rows: Iterator[CorpusRow]) -> Iterator[list[CorpusRow]]:
    group: list[CorpusRow] = []
    for row in rows:
        group.append(row)
        if len(group) == ROW_GROUP:
            yield group
            group = []
    if group:
        yield group


def _flat(row: CorpusRow) -> dict[str, Any]:
    flat = msgspec.to_builtins(row)
    flat["evidence"] = list(row.evidence.items())
    return dict(flat)


def _schema(pyarrow: Any) -> Any:
    text, number, whole = pyarrow.string(), pyarrow.float64(), pyarrow.int64()
    place = pyarrow.struct(
        [
            ("name", text),
            ("kind", text),
            ("lat", number),
            ("lon", number),
            ("country", text),
            ("count", whole),
        ]
    )
    entity = pyarrow.struct([("name", text), ("kind", text), ("count", whole)])
    kinds = {str: text, int: whole, bool: pyarrow.bool_()}
    special = {
        "score": number,
        "places": pyarrow.list_(place),
        "entities": pyarrow.list_(entity),
        "evidence": pyarrow.map_(text, number),
    }
    types = msgspec.inspect.type_info(CorpusRow)
    names = {"StrType": str, "IntType": int, "BoolType": bool}
    assert isinstance(types, msgspec.inspect.StructType)
    return pyarrow.schema(
        [
            (
                field.name,
                special[field.name] if field.name in special else kinds[names[type(field.type).__name__]],
            )
            for field in types.fields
        ]
    )
