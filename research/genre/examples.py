"""Train the shipped genre models from labelled pages.

The repository has only URL and genre of each page (`genre-labels.csv`); the pages are in the shared folder. `random`
draws are uniform and test the model in folds. Pages `chosen` for a rare genre, pages with generated markup (the webs
news and media) and made-up pages only train. Pages drawn `later` never train: they test the shipped model once. Course
and faculty pages have WebKB's labels (webs/webkb/labels.csv) and train the extended model only.

Command line: python -m research.genre.examples ../shared src/lycosa/methods/genre
Expected time: not measured.
"""

from __future__ import annotations

import asyncio
import csv
import json
import lzma
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from lycosa import __version__
from lycosa.engine.processes.analysis import Recipe
from lycosa.errors import InputError
from lycosa.methods.genre.evidence import EXTENDED, GENRES
from lycosa.methods.genre.forest import GenreModel
from lycosa.methods.genre.signs import genre_features
from lycosa.methods.genre.training import GenreExample, GenreFigures, GenreSettings, figures_of, train_genre
from lycosa.page.document import Document
from lycosa.urls import authority_of, key_of, source_of
from lycosa.values import Fetched, Link
from lycosa_lab.webs.web import VirtualWeb
from research.genre.labelled_pages import made_pages

REAL = ("dates", "webkb", "wikischools")
"""Webs with the publishers' own markup."""
MADE_PER_GENRE = 40
TYPED_PER_GENRE = 200
"""Course pages, faculty pages and others of universities, drawn from the types of WebKB."""
UNIVERSITY = ("course_words", "faculty_words", "says_course", "says_faculty")
"""Features of the extended model only."""
_PAGES = "data/dates/dates-htmldate-default.tar.xz"


class GenreLabel(NamedTuple):
    """A row of genre-labels.csv; `source` is the page's registrable domain."""

    url: str
    genre: str
    extended: str
    web: str
    draw: str

    @property
    def source(self) -> str:
        """The registrable domain; for a page at web.archive.org that of the original."""
        url = self.url
        if "://web.archive.org/web/" in url:
            url = url.split("/", 5)[5]
            url = url if "://" in url else f"http://{url}"
        return source_of(authority_of(url))

    @property
    def tested(self) -> bool:
        """Whether it may be in a test fold: a real page, drawn at random."""
        return self.draw == "random" and self.web in REAL


Pages = list[tuple[GenreLabel, dict[str, float]]]


def labels() -> list[GenreLabel]:
    """All labelled pages."""
    text = Path(__file__).with_name("genre-labels.csv").read_text(encoding="utf-8")
    return [GenreLabel(**row) for row in csv.DictReader(text.splitlines())]


def labelled_documents(shared: Path) -> Iterator[tuple[GenreLabel, Document]]:
    """Every labelled page with its document."""
    wanted = labels()
    dated = {label.url: label for label in wanted if label.web == "dates"}
    yield from ((dated[page.url], page) for page in dated_pages(shared) if page.url in dated)
    for name in sorted({label.web for label in wanted} - {"dates"}):
        web = VirtualWeb.open(shared / "webs" / name)
        recipe = Recipe(folding=web.folding)
        for label in wanted:
            if label.web == name:
                link = Link(label.url, key_of(label.url, web.folding))
                fetched = asyncio.run(web.archive.fetch(link))
                document = recipe.document_of(fetched) if isinstance(fetched, Fetched) else None
                if isinstance(document, Document):
                    yield label, document


def university_types(shared: Path) -> dict[str, str]:
    """Pages that WebKB labels course or faculty, by URL."""
    with (shared / "webs" / "webkb" / "labels.csv").open(encoding="utf-8", newline="") as file:
        return {row["url"]: row["topic"] for row in csv.DictReader(file) if int(row["grade"])}


def university_pages(
    shared: Path, per_genre: int = TYPED_PER_GENRE, random_seed: int = 0
) -> Iterator[tuple[GenreLabel, Document]]:
    """University pages by WebKB's types: course, faculty and twice as many others."""
    web, types = VirtualWeb.open(shared / "webs" / "webkb"), university_types(shared)
    typed = {key_of(url, web.folding): kind for url, kind in types.items()}
    by_type: dict[str, list[str]] = {}
    for url in sorted(web.archive.urls()):
        by_type.setdefault(typed.get(key_of(url, web.folding), "other"), []).append(url)
    chance = Random(random_seed)
    recipe = Recipe(folding=web.folding)
    for kind, urls in sorted(by_type.items()):
        for url in chance.sample(urls, min(len(urls), per_genre * (1 + (kind == "other")))):
            fetched = asyncio.run(web.archive.fetch(Link(url, key_of(url, web.folding))))
            document = recipe.document_of(fetched) if isinstance(fetched, Fetched) else None
            if isinstance(document, Document):
                yield GenreLabel(url, "other", kind, "webkb", "typed"), document


def dated_pages(shared: Path) -> Iterator[Document]:
    """All pages of data/dates."""
    path = shared / _PAGES
    if not path.exists():
        raise InputError(f"{path} is not there. Name the folder that has data/ and webs/.")
    with lzma.open(path) as packed, tarfile.open(fileobj=packed) as archive:
        bodies = {
            Path(member.name).name: file.read()
            for member in archive
            if member.isfile() and (file := archive.extractfile(member)) is not None
        }
    for line in bodies["labels.jsonl"].splitlines():
        row = json.loads(line)
        yield Document(bodies[row["file"]], row["url"], "text/html")


def made_examples(extended: bool) -> list[GenreExample]:
    """Our generated pages as examples that only train."""
    known = EXTENDED if extended else GENRES
    return [
        GenreExample(
            genre_features(Document(page.html.encode(), page.url, "text/html")),
            page.genre if page.genre in known else "other",
            source_of(authority_of(page.url)),
            tested=False,
        )
        for page in made_pages(MADE_PER_GENRE)
    ]


def genre_examples(pages: Pages, extended: bool, *, made: bool = True) -> list[GenreExample]:
    """Labelled pages with their features, and the made-up ones, as examples."""
    real = [
        GenreExample(features, label.extended if extended else label.genre, label.source, tested=label.tested)
        for label, features in pages
        if label.draw != "later"
    ]
    return [*real, *(made_examples(extended) if made else [])]


def with_types(pages: Pages, shared: Path) -> Pages:
    """University pages with their WebKB type."""
    types = university_types(shared)
    return [(label._replace(extended=types.get(label.url, label.extended)), of) for label, of in pages]


def drawn_later(model: GenreModel, pages: Pages, extended: bool) -> GenreFigures:
    """Accuracy of a model on the pages drawn later."""
    later = [(label, features) for label, features in pages if label.draw == "later"]
    true = [label.extended if extended else label.genre for label, _ in later]
    return figures_of(true, [model.guess(features)[0] for _, features in later], folds=1)


def fit_built_in(shared: Path, directory: Path) -> list[GenreModel]:
    """Train both shipped models and write them."""
    pages = [(label, genre_features(document)) for label, document in labelled_documents(shared)]
    typed = [(label, genre_features(document)) for label, document in university_pages(shared)]
    models = []
    for extended in (False, True):
        examples = genre_examples([*with_types(pages, shared), *typed] if extended else pages, extended)
        model = train_genre(
            examples,
            GenreSettings(left_out=() if extended else UNIVERSITY),
            provenance={
                "version": __version__,
                "labelled by hand": sum(label.draw != "later" for label, _ in pages),
                "of these drawn at random and real (tested)": sum(e.tested for e in examples),
                "made up (only train)": len(made_examples(extended)),
                "pages": "htmldate evaluation pages, WebKB 1997, Schools Wikipedia 2007; "
                "markup of news and media is generated (only train)",
                **({"of universities, by WebKB's types (only train)": len(typed)} if extended else {}),
            },
        )
        model.save(directory / ("built-in-extended.model" if extended else "built-in.model"))
        models.append(model)
    return models


if __name__ == "__main__":
    for fitted in fit_built_in(Path(sys.argv[1]), Path(sys.argv[2])):
        print(f"{len(fitted.genres)} genres: by folds {fitted.metadata['cross_validation']}")
    print("All figures: python -m research.genre.accuracy ../shared")
