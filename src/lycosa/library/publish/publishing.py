"""Publish a collection as a folder of files: pages, a search in the browser, map, timeline and report.

With the files of ReplayWeb.page, which the user installs, the archived pages are replayed too.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup

from lycosa import __version__
from lycosa.collection.catalogue.page_filter import COLLECTED, PageFilter
from lycosa.collection.collection import Collection
from lycosa.collection.exports.wacz import export_wacz
from lycosa.collection.search.facets import Facets
from lycosa.collection.search.phrases import snippet_of
from lycosa.collection.search.search import Order
from lycosa.errors import InputError
from lycosa.learn.history import figures_of
from lycosa.library.publish.browser_index import BrowserIndex
from lycosa.library.templating import templates
from lycosa.report import design
from lycosa.report.charts.column_chart import column_chart
from lycosa.report.charts.periods import periods
from lycosa.report.charts.world_map import world_map
from lycosa.report.description import described
from lycosa.report.html import write_report
from lycosa.report.summary import gist_of
from lycosa.values import Say
from lycosa.wording import counted

REPLAY_FILES = ("ui.js", "sw.js")
"""Of the npm package `replaywebpage`."""
EXCERPT_CHARS = 600
PAGES_PER_LIST = 200
NAMES = 12
_to_json = msgspec.json.Encoder().encode


class Published(msgspec.Struct, frozen=True):
    """Number of published pages, and the size of the site in bytes."""

    pages: int
    bytes: int

    def __str__(self) -> str:
        return f"{counted(self.pages, 'page')}, {self.bytes / 1e6:.1f} MB."


def publish(
    directory: Path, out: Path, *, replay: Path | None = None, excerpts: bool = False, say: Say
) -> Published:
    """Write the relevant pages of a collection as a web site into a new or empty folder."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is there already. Name a new folder with --out, or remove it first.")
    if replay and (missing := [name for name in REPLAY_FILES if not (replay / name).is_file()]):
        raise InputError(
            f"{replay} has no {missing[0]}. Name the folder of the npm package: npm install replaywebpage, then "
            "--replay node_modules/replaywebpage."
        )
    if replay and excerpts:
        raise InputError("--excerpts leaves the whole pages out, and --replay needs them. Choose one.")
    with Collection.open_checked(directory) as collection:
        return _Site(collection, out, replay, excerpts, say).write()


class _Site:
    def __init__(
        self, collection: Collection, out: Path, replay: Path | None, excerpts: bool, say: Say
    ) -> None:
        self._collection, self._out, self._say = collection, out, say
        self._replay, self._excerpts = replay, excerpts
        self._about = described(collection)
        self._templates = templates()

    def write(self) -> Published:
        """Write all files."""
        facets = Facets(self._collection.connection, self._collection.path)
        ids = [int(number) for number in facets.ordered(COLLECTED, Order.SCORE, 0.5)]
        if not ids:
            raise InputError("No page is relevant, so there is nothing to publish. Crawl on, or label pages.")
        rows, index = [], BrowserIndex()
        for page in self._pages(ids):
            self._file(f"pages/{page['id']}.html", "site/page.html", up="../", page=page)
            index.add(page["title"], page["text"])
            opening = snippet_of(page["text"], (), page["title"])
            rows.append([page["id"], page["title"], page["source"], page["date"], opening])
            if len(rows) % 1000 == 0:
                self._say(f"{len(rows):,} of {len(ids):,} pages")
        self._lists(rows)
        for part, script in index.parts():
            self._bytes(f"index/{part}.js", script)
        known = _to_json({"rows": rows, "common": index.common()})
        self._bytes("index/pages.js", b'lycosa("pages",' + known + b")")
        self._front(len(rows), rows)
        self._style()
        write_report(self._collection.directory, self._out / "report.html")
        if self._replay:
            self._say("The archive is packed.")
            self._archive(self._replay)
        files = (file for file in self._out.rglob("*") if file.is_file())
        return Published(len(rows), sum(file.stat().st_size for file in files))

    def _pages(self, ids: list[int]) -> Iterator[dict[str, Any]]:
        reader, counted = self._collection.reader, self._collection.statistics
        for number in ids:
            stored = reader.page_by_id(number)
            if stored is None:
                continue
            this = PageFilter(page=number)
            text = reader.text(number)
            yield {
                "id": number,
                "url": stored.link.url,
                "title": stored.title or stored.link.url,
                "source": stored.source,
                "date": stored.date,
                "language": stored.language,
                "words": stored.words,
                "score": stored.judgement.score if stored.judgement else None,
                "text": text[:EXCERPT_CHARS] + ("…" if len(text) > EXCERPT_CHARS else "")
                if self._excerpts
                else text,
                "is_excerpt": self._excerpts and len(text) > EXCERPT_CHARS,
                "places": [place.name for place in counted.places(this, NAMES)],
                "people": [name for name, _ in counted.values("person", this, NAMES)],
                "organisations": [name for name, _ in counted.values("organisation", this, NAMES)],
            }

    def _lists(self, rows: list[list[Any]]) -> None:
        """Write lists of all pages by title, which need no script."""
        ordered = sorted(rows, key=lambda row: row[1].casefold())
        lists = [ordered[at : at + PAGES_PER_LIST] for at in range(0, len(ordered), PAGES_PER_LIST)]
        for number, some in enumerate(lists, start=1):
            self._file(f"list-{number}.html", "site/list.html", rows=some, number=number, lists=len(lists))

    def _front(self, pages: int, rows: list[list[Any]]) -> None:
        collection = self._collection
        unit, course = periods(collection.statistics.days())
        places = collection.statistics.places(limit=200, mapped=True)
        self._file(
            "index.html",
            "site/index.html",
            pages=pages,
            best=rows[:8],
            figures=figures_of(collection),
            gist=gist_of(collection),
            sources=collection.statistics.values("source", limit=NAMES),
            unit=unit,
            course=column_chart(course, "Pages by the day they were published", height=150),
            places=places,
            map=world_map(places) if places else Markup(""),
        )

    def _style(self) -> None:
        static = Path(__file__).parents[1] / "static"
        style = design.font_faces("fonts") + design.variables() + design.drawings()
        self._bytes("design.css", style.encode())
        # The style names files by their path in the library.
        self._bytes("style.css", (static / "style.css").read_bytes().replace(b"/static/", b""))
        self._bytes("site.js", (static / "site.js").read_bytes())
        self._bytes("logo.svg", design.logo().encode())
        for name in design.FONTS:
            if (file := design.font_file(name)) is not None:
                self._bytes(f"fonts/{name}", file.read_bytes())
                licence = file.parent / "LICENSE.txt"
                if licence.is_file():
                    self._bytes(f"fonts/LICENSE-{design.FONTS[name][0]}.txt", licence.read_bytes())

    def _archive(self, replay: Path) -> None:
        self._file("replay/index.html", "site/replay.html", up="../")
        export_wacz(self._collection.directory, self._out / "replay" / "archive.wacz", COLLECTED)
        player = self._out / "replay" / "player"
        player.mkdir()
        for name in (*REPLAY_FILES, "LICENSE"):
            if (replay / name).is_file():
                shutil.copyfile(replay / name, player / name)

    def _file(self, path: str, template: str, *, up: str = "", **values: Any) -> None:
        text = self._templates.get_template(template).render(
            version=__version__, up=up, about=self._about, has_replay=bool(self._replay), **values
        )
        self._bytes(path, text.encode())

    def _bytes(self, path: str, content: bytes) -> None:
        file = self._out / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        except OSError as error:
            raise InputError(f"{file} cannot be written ({error.strerror}). Choose another --out.") from None
