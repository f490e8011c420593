"""Read genre examples from a CSV file that names pages."""

from __future__ import annotations

from pathlib import Path

from lycosa import urls
from lycosa.errors import InputError
from lycosa.files import size_of
from lycosa.learn.training.tables import Row, read_rows
from lycosa.methods.genre.signs import Words, genre_features
from lycosa.methods.genre.training import GenreExample
from lycosa.page.document import Document

COLUMNS = ("file", "url", "genre")
MAX_BYTES = 50_000_000


def read_examples(path: Path, words: Words | None = None) -> list[GenreExample]:
    """The pages of a CSV file with file (relative to it), url and genre; each page once."""
    known: dict[int, int] = {}
    rows = read_rows(path, COLUMNS, ",".join(COLUMNS))
    return [_example(path, number, row, words, known) for number, row in enumerate(rows, start=2)]


def _example(path: Path, number: int, row: Row, words: Words | None, known: dict[int, int]) -> GenreExample:
    if not all(row.get(column) for column in COLUMNS):
        raise InputError(f"{path}, line {number}: it needs {', '.join(COLUMNS)}. Fill them in.")
    url = urls.parse(row["url"])
    if url is None:
        raise InputError(f"{path}, line {number}: {row['url']!r} is not a URL. Give the page's address.")
    if (first := known.setdefault(urls.key_of(url), number)) != number:
        raise InputError(f"{path}, line {number}: {url} is in line {first} already. Keep one of them.")
    page = path.parent / row["file"]
    try:
        size_of(page)  # it is a file
        with page.open("rb") as file:
            document = Document(file.read(MAX_BYTES), url, "text/html")
    except OSError as error:
        raise InputError(
            f"{path}, line {number}: {page} cannot be read ({error.strerror}). "
            "Files are named relative to the CSV file."
        ) from None
    source = urls.source_of(urls.authority_of(url))
    return GenreExample(genre_features(document, words), row["genre"].strip().lower(), source)
