"""Export a collection as a corpus: one row a page, with clean text and provenance, as JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

import msgspec
from msgspec import inspect

from lycosa.collection.archive.responses import capture_with_body, response_of
from lycosa.collection.archive.warc import Capture, warc_date
from lycosa.collection.catalogue.page_filter import JUDGED_SQL, PageFilter
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.catalogue.reader import Reader
from lycosa.collection.collection import Collection
from lycosa.collection.exports import written, written_through
from lycosa.collection.exports.boilerplate import Boilerplate
from lycosa.collection.search.phrases import as_written
from lycosa.errors import InputError
from lycosa.evidence.words import number_of
from lycosa.methods.registry import facets
from lycosa.page.response import document_of
from lycosa.page.signs.rights import Rights
from lycosa.page.text.markdown import markdown_of
from lycosa.page.text.prose import prose_of
from lycosa.values import Category, Data, Fact, Refusal, is_uncertain

MAX_BYTES = 50_000_000
ROW_GROUP = 2000

_TEXTS = (
    f"SELECT source, body FROM pages JOIN texts ON texts.rowid = pages.id WHERE {JUDGED_SQL.format('pages')}"
)


class PlaceRow(msgspec.Struct, frozen=True):
    """A place named on the page."""

    name: str
    kind: str
    lat: float | None
    lon: float | None
    country: str | None
    count: int


class EntityRow(msgspec.Struct, frozen=True):
    """A person or an organisation named on the page."""

    name: str
    kind: str
    count: int


class CorpusRow(msgspec.Struct, frozen=True):
    """One page of the corpus; unknown values are None.

    The WARC reference leads to the record with the body, also for pages whose own record is a revisit.
    """

    url: str
    title: str | None
    text: str
    date: str | None
    date_source: str | None  # what names the date, or the doubtful date
    doubtful_date: str | None  # a day that the page mentions, if nothing names the date
    language: str | None
    source: str
    words: int
    relevant: bool
    score: float | None
    rule: str | None
    uncertain: bool  # kept by a judge that cannot tell yet
    categories: dict[str, str | None]  # by evidence; a column each
    places: list[PlaceRow]
    entities: list[EntityRow]
    evidence: dict[str, float | None]
    licence: str | None  # URL of the licence named on the page
    reserved: list[str]  # uses that the owner reserves: noai, tdm, ai-train, …
    cluster: str  # URL of the first page of its near-duplicate cluster
    explored: bool
    depth: int
    status: int
    content_type: str | None
    fetched_at: str
    warc_file: str | None
    warc_offset: int | None
    warc_length: int | None


def export_jsonl(directory: Path, out: Path, wanted: PageFilter, *, markdown: bool = False) -> int:
    """Write one JSON object a line and return how many."""
    encode, count = msgspec.json.Encoder().encode, 0
    with Collection.open_checked(directory) as collection, written_through(out) as file:
        for row in corpus_rows(collection, wanted, markdown=markdown):
            file.write(encode(columns_of(row)) + b"\n")
            count += 1
    return count


CSV_COLUMNS = (
    "url title date date_source doubtful_date language source words relevant uncertain score categories places people organisations "
    "text"
).split()


def export_csv(directory: Path, out: Path, wanted: PageFilter, *, markdown: bool = False) -> int:
    """Write a table for spreadsheets, without formulas, and return the number of rows."""
    count = 0
    with Collection.open_checked(directory) as collection, written_through(out) as file:
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
    """Return a cell; text that a spreadsheet would read as a formula gets an apostrophe.

    >>> _cell("=1+1"), _cell("owls"), _cell(0.5), _cell(None)
    ("'=1+1", 'owls', 0.5, '')
    """
    if isinstance(value, str):
        text = value.replace("\x00", " ")
        return "'" + text if _is_formula(text) else text
    return "" if value is None else value


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet may read a formula: also with a wide sign, and after characters that it skips."""
    if text[:1] in ("\t", "\r"):
        return True
    shown = next((char for char in text[:100] if category(char)[0] not in "CZ"), "")
    return normalize("NFKC", shown)[:1] in ("=", "+", "-", "@", "\u2212") if shown else False


def parquet_library() -> tuple[Any, Any]:
    """Return pyarrow and its parquet module; an InputError says how to install them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(
            "Writing Parquet needs pyarrow. Install it: pip install 'lycosa[parquet]' (or: pip install pyarrow)"
        ) from None
    return pyarrow, parquet


def export_parquet(directory: Path, out: Path, wanted: PageFilter, *, markdown: bool = False) -> int:
    """Write a Parquet table and return the number of rows."""
    pyarrow, parquet = parquet_library()
    schema, count = _schema(pyarrow), 0
    with (
        Collection.open_checked(directory) as collection,
        written(out) as draft,
        parquet.ParquetWriter(draft, schema, compression="zstd") as writer,
    ):
        rows_left = corpus_rows(collection, wanted, markdown=markdown)
        while group := list(islice(rows_left, ROW_GROUP)):
            rows = [{**columns_of(row), "evidence": list(row.evidence.items())} for row in group]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def corpus_rows(collection: Collection, wanted: PageFilter, *, markdown: bool = False) -> Iterator[CorpusRow]:
    """Return the pages that the filter selects, with their text from the index; from the archive for `markdown`."""
    reader, boilerplate, categories = collection.reader, Boilerplate(), _categories()
    for source, text in collection.connection.execute(_TEXTS):
        boilerplate.add(source, as_written(text))
    for page in reader.selected(wanted):
        text, evidence = "" if markdown else reader.text(page.id), reader.evidence(page.id)
        judgement, rights, capture = page.judgement, Rights.of(evidence), _capture_with_body(reader, page)
        first = reader.page(page.near_duplicate_of) if page.near_duplicate_of else None
        yield CorpusRow(
            url=page.link.url,
            title=page.title or None,
            text=boilerplate.without(page.source, text or archived_text(collection, page, markdown=markdown)),
            date=page.date or None,
            date_source=page.date_source or None,
            doubtful_date=page.doubtful_date or None,
            language=page.language or None,
            source=page.source,
            words=page.words,
            relevant=bool(judgement and judgement.relevant),
            score=_known(judgement.score) if judgement else None,
            rule=judgement.rule or None if judgement else None,
            uncertain=judgement is not None and is_uncertain(judgement),
            categories={name: _label(evidence.get(name)) for name in categories},
            places=_places(collection, page.id),
            entities=_entities(collection, page.id),
            evidence={
                name: _known(number_of(fact)) for name, fact in evidence.items() if not isinstance(fact, Data)
            },
            licence=rights.licence or None,
            reserved=list(rights.reserved),
            cluster=first.link.url if first else page.link.url,
            explored=page.explored,
            depth=page.link.depth,
            status=page.status,
            content_type=page.content_type or None,
            fetched_at=warc_date(page.at),
            warc_file=capture.file if capture else None,
            warc_offset=capture.offset if capture else None,
            warc_length=capture.length if capture else None,
        )


def _label(fact: Fact | None) -> str | None:
    return (fact.label or None) if isinstance(fact, Category) else None


def _capture_with_body(reader: Reader, page: StoredPage) -> Capture | None:
    """Return the page's own capture, or the one with its body if its own is a revisit."""
    own, captures = page.capture, (one.capture for one in reader.captures(page.id))
    is_revisit = any((one.file, one.offset) == (own.file, own.offset) and one.revisit for one in captures)
    return capture_with_body(reader, page) if is_revisit else own


def archived_text(collection: Collection, page: StoredPage, *, markdown: bool = False) -> str:
    """Return the main text of a page from the archive, plain or as Markdown; '' if it cannot be read."""
    fetched = response_of(collection, page)
    if fetched is None:
        return ""
    try:
        document = document_of(fetched, max_decoded_bytes=MAX_BYTES)
        if isinstance(document, Refusal):
            return ""
        return markdown_of(document) if markdown else prose_of(document, lists=True)
    except Exception:  # a hostile page costs only its own text
        return ""


def _places(collection: Collection, number: int) -> list[PlaceRow]:
    rows = collection.connection.execute(
        "SELECT canonical, kind, lat, lon, nullif(country, ''), count FROM places WHERE page = ?", (number,)
    )
    return [PlaceRow(*row) for row in rows]


def _entities(collection: Collection, number: int) -> list[EntityRow]:
    sql = "SELECT name, kind, count FROM entities WHERE page = ?"
    return [EntityRow(*row) for row in collection.connection.execute(sql, (number,))]


def _known(value: float | None) -> float | None:
    """Return None for 'not a number', which JSON lacks."""
    return value if value == value else None


def _categories() -> list[str]:
    """Return the columns of categories."""
    return [facet.name for facet in facets()]


def columns_of(row: CorpusRow) -> dict[str, Any]:
    """Return a row as plain data, by column."""
    columns: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(row).items():
        columns |= value if name == "categories" else {name: value}
    return columns


def _schema(pyarrow: Any) -> Any:
    row = inspect.type_info(CorpusRow)
    assert isinstance(row, inspect.StructType)
    columns: list[tuple[str, Any]] = []
    for field in row.fields:
        names = _categories() if field.name == "categories" else [field.name]
        kind = pyarrow.string() if field.name == "categories" else _arrow_type(pyarrow, field.type)
        columns += [(name, kind) for name in names]
    return pyarrow.schema(columns)


def _arrow_type(pyarrow: Any, kind: inspect.Type) -> Any:
    """Return the type of a column for the type of a field."""
    match kind:
        case inspect.UnionType(types=types):  # with None
            return _arrow_type(pyarrow, next(one for one in types if not isinstance(one, inspect.NoneType)))
        case inspect.StructType(fields=fields):
            return pyarrow.struct([(one.name, _arrow_type(pyarrow, one.type)) for one in fields])
        case inspect.ListType(item_type=item):
            return pyarrow.list_(_arrow_type(pyarrow, item))
        case inspect.DictType(key_type=key, value_type=value):
            return pyarrow.map_(_arrow_type(pyarrow, key), _arrow_type(pyarrow, value))
    plain = {
        inspect.IntType: pyarrow.int64,
        inspect.FloatType: pyarrow.float64,
        inspect.BoolType: pyarrow.bool_,
    }
    return plain.get(type(kind), pyarrow.string)()
