"""A collection as a corpus: one row a page, with clean text and where it comes from. Out: JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from lycosa.collection.archive.responses import capture_with_body, response_of
from lycosa.collection.archive.warc import warc_date
from lycosa.collection.catalogue.page_filter import JUDGED_SQL, PageFilter, condition_of
from lycosa.collection.collection import Collection
from lycosa.collection.exports import written, written_through
from lycosa.collection.exports.boilerplate import Boilerplate
from lycosa.errors import InputError
from lycosa.evidence.words import number_of
from lycosa.methods.registry import facets
from lycosa.page.response import document_of
from lycosa.page.signs.rights import Rights
from lycosa.page.text.markdown import markdown_of
from lycosa.page.text.prose import prose_of
from lycosa.values import Category, Data, Fact, Refusal

MAX_BYTES = 50_000_000
ROW_GROUP = 2000

_ROWS = """
    SELECT pages.id, pages.key, pages.url, pages.title, date, language, source, words, relevant, score, rules.text,
        explored, depth, pages.status, content_type, near_duplicate_of, pages.at, warcs.text, pages.offset,
        pages.length, captures.revisit, texts.body, date_source, doubtful_date
    FROM pages LEFT JOIN rules ON rules.id = rule LEFT JOIN warcs ON warcs.id = pages.warc
        LEFT JOIN captures ON captures.page = pages.id AND captures.warc = pages.warc AND captures.offset = pages.offset
        LEFT JOIN texts ON texts.rowid = pages.id
    WHERE {} ORDER BY pages.id"""


_TEXTS = (
    f"SELECT source, body FROM pages JOIN texts ON texts.rowid = pages.id WHERE {JUDGED_SQL.format('pages')}"
)


class PlaceRow(msgspec.Struct, frozen=True):
    """A place that the page names."""

    name: str
    kind: str
    lat: float | None
    lon: float | None
    country: str | None
    count: int


class EntityRow(msgspec.Struct, frozen=True):
    """A person or an organisation that the page names."""

    name: str
    kind: str
    count: int


class CorpusRow(msgspec.Struct, frozen=True):
    """One page of the corpus; what is not known is None.

    The WARC reference leads to the record that holds the body: where the page's own record only says
    that nothing had changed, or that the body is elsewhere, to that one.
    """

    url: str
    title: str | None
    text: str
    date: str | None
    date_source: str | None  # the place on the page that named the day, or the doubtful day
    doubtful_date: str | None  # a day that the page speaks of, where no other tells when it was published
    language: str | None
    source: str
    words: int
    relevant: bool
    score: float | None
    rule: str | None
    categories: dict[str, str | None]  # by evidence; a column each
    places: list[PlaceRow]
    entities: list[EntityRow]
    evidence: dict[str, float | None]
    licence: str | None  # the URL of the licence that the page names
    reserved: list[str]  # uses that its owner has reserved: noai, tdm, ai-train, …
    cluster: str  # URL of the first page of its near-duplicate cluster: its own if it is alone
    explored: bool
    depth: int
    status: int
    content_type: str | None
    fetched_at: str
    warc_file: str | None
    warc_offset: int | None
    warc_length: int | None


def export_jsonl(directory: Path, out: Path, wanted: PageFilter, *, markdown: bool = False) -> int:
    """Write one JSON object a line; how many."""
    encode, count = msgspec.json.Encoder().encode, 0
    with Collection.open(directory) as collection, written_through(out) as file:
        for row in corpus_rows(collection, wanted, markdown=markdown):
            file.write(encode(columns_of(row)) + b"\n")
            count += 1
    return count


CSV_COLUMNS = (
    "url title date date_source doubtful_date language source words relevant score categories places people organisations "
    "text"
).split()


def export_csv(directory: Path, out: Path, wanted: PageFilter, *, markdown: bool = False) -> int:
    """Write a table for spreadsheets; how many rows. No cell is taken for a formula."""
    count = 0
    with Collection.open(directory) as collection, written_through(out) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
        writer = csv.writer(text)
        columns = [name for key in CSV_COLUMNS for name in (_categories() if key == "categories" else (key,))]
        writer.writerow(columns)
        for row in corpus_rows(collection, wanted, markdown=markdown):
            named: dict[str, list[str]] = {
                "places": [place.name for place in row.places],
                "people": [one.name for one in row.entities if one.kind == "person"],
                "organisations": [one.name for one in row.entities if one.kind == "organisation"],
            }
            cells = columns_of(row) | {name: "; ".join(names) for name, names in named.items()}
            writer.writerow(_cell(cells[name]) for name in columns)
            count += 1
        text.detach()
    return count


def _cell(value: object) -> object:
    """A value as a spreadsheet reads it: text that it would take for a formula begins with an apostrophe.

    >>> _cell("=1+1"), _cell("owls"), _cell(0.5), _cell(None)
    ("'=1+1", 'owls', 0.5, '')
    """
    if isinstance(value, str):
        return "'" + value if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value.replace("\x00", " ")
    return "" if value is None else value


def parquet_library() -> tuple[Any, Any]:
    """pyarrow and its parquet module, or an InputError that says how to get them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(
            "Writing Parquet needs pyarrow. Install it: pip install 'lycosa[parquet]' (or: pip install pyarrow)"
        ) from None
    return pyarrow, parquet


def export_parquet(directory: Path, out: Path, wanted: PageFilter, *, markdown: bool = False) -> int:
    """Write a Parquet table; how many rows."""
    pyarrow, parquet = parquet_library()
    schema, count = _schema(pyarrow), 0
    with (
        Collection.open(directory) as collection,
        written(out) as draft,
        parquet.ParquetWriter(draft, schema, compression="zstd") as writer,
    ):
        for group in _groups(corpus_rows(collection, wanted, markdown=markdown)):
            rows = [{**columns_of(row), "evidence": list(row.evidence.items())} for row in group]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def corpus_rows(collection: Collection, wanted: PageFilter, *, markdown: bool = False) -> Iterator[CorpusRow]:
    """The pages that the filter lets through, as they were fetched. Text that is not indexed comes from the archive, and so does
    all of it with `markdown`: headings, lists, tables and code are only there.
    """
    urls, boilerplate, categories = _FirstOfCluster(collection), Boilerplate(), _categories()
    chosen = condition_of(wanted)
    for source, text in collection.connection.execute(_TEXTS):
        boilerplate.add(source, text)
    for row in collection.connection.execute(_ROWS.format(chosen.sql), chosen.values):
        number, key, url, title, date, language, source, words, relevant, score, rule = row[:11]
        explored, depth, status, content_type, near, at, file, offset, length, revisit, text = row[11:22]
        date_source, doubtful_date = row[22:]
        place = (file, offset, length) if file and not revisit else _place_of_body(collection, key)
        evidence = collection.reader.evidence(number)
        rights = Rights.of(evidence)
        yield CorpusRow(
            url=url,
            title=title or None,
            text=boilerplate.without(
                source,
                archived_text(collection, key, markdown=markdown) if markdown or text is None else text,
            ),
            date=date or None,
            date_source=date_source or None,
            doubtful_date=doubtful_date or None,
            language=language or None,
            source=source,
            words=words,
            relevant=bool(relevant),
            score=score,
            rule=rule or None,
            categories={name: _label(evidence.get(name)) for name in categories},
            places=_places(collection, number),
            entities=_entities(collection, number),
            evidence={
                name: _known(number_of(fact)) for name, fact in evidence.items() if not isinstance(fact, Data)
            },
            licence=rights.licence or None,
            reserved=list(rights.reserved),
            cluster=urls.of(near) or url,
            explored=bool(explored),
            depth=depth,
            status=status,
            content_type=content_type or None,
            fetched_at=warc_date(at),
            warc_file=place[0],
            warc_offset=place[1],
            warc_length=place[2],
        )


def _label(fact: Fact | None) -> str | None:
    return (fact.label or None) if isinstance(fact, Category) else None


def _place_of_body(collection: Collection, key: int) -> tuple[str | None, int | None, int | None]:
    page = collection.reader.page(key)
    capture = capture_with_body(collection.reader, page) if page else None
    return (capture.file, capture.offset, capture.length) if capture else (None, None, None)


def archived_text(collection: Collection, key: int, *, markdown: bool = False) -> str:
    """The main text of a page, plain or as Markdown, from its bytes; '' where they cannot be read."""
    page = collection.reader.page(key)
    fetched = response_of(collection, page) if page else None
    if fetched is None:
        return ""
    try:
        document = document_of(fetched, max_decoded_bytes=MAX_BYTES)
        if isinstance(document, Refusal):
            return ""
        return markdown_of(document) if markdown else prose_of(document, lists=True)
    except Exception:  # whatever a hostile page provokes must cost only its own text
        return ""


class _FirstOfCluster:
    """URLs by key, looked up as they are needed."""

    def __init__(self, collection: Collection) -> None:
        self._connection = collection.connection
        self._known: dict[int, str] = {}

    def of(self, key: int) -> str:
        if not key:
            return ""
        if key not in self._known:
            row = self._connection.execute("SELECT url FROM pages WHERE key = ?", (key,)).fetchone()
            self._known[key] = row[0] if row else ""
        return self._known[key]


def _places(collection: Collection, number: int) -> list[PlaceRow]:
    rows = collection.connection.execute(
        "SELECT canonical, kind, lat, lon, nullif(country, ''), count FROM places WHERE page = ?", (number,)
    )
    return [PlaceRow(*row) for row in rows]


def _entities(collection: Collection, number: int) -> list[EntityRow]:
    sql = "SELECT name, kind, count FROM entities WHERE page = ?"
    return [EntityRow(*row) for row in collection.connection.execute(sql, (number,))]


def _known(value: float | None) -> float | None:
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


def _categories() -> list[str]:
    """The columns of categories."""
    return [facet.name for facet in facets()]


def columns_of(row: CorpusRow) -> dict[str, Any]:
    """A row as plain data, by column."""
    columns: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(row).items():
        columns |= value if name == "categories" else {name: value}
    return columns


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
    plain = {
        inspect.StrType: text,
        inspect.IntType: whole,
        inspect.FloatType: number,
        inspect.BoolType: pyarrow.bool_(),
    }
    special = {
        "places": pyarrow.list_(place),
        "entities": pyarrow.list_(entity),
        "evidence": pyarrow.map_(text, number),
        "reserved": pyarrow.list_(text),
    }

    def kind(field: inspect.Field) -> Any:
        said = field.type.types if isinstance(field.type, inspect.UnionType) else (field.type,)
        return special.get(field.name) or next(plain[type(one)] for one in said if type(one) in plain)

    row = inspect.type_info(CorpusRow)
    assert isinstance(row, inspect.StructType)
    columns: list[tuple[str, Any]] = []
    for field in row.fields:
        is_many = field.name == "categories"
        columns += [(name, text) for name in _categories()] if is_many else [(field.name, kind(field))]
    return pyarrow.schema(columns)
