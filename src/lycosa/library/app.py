"""The application: addresses and the pages behind them. In: requests that came through the doors. Out: HTML."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from lycosa import __version__
from lycosa.control import ask
from lycosa.errors import InputError, LycosaError
from lycosa.library import api, views
from lycosa.library.doors import Doors, Keys, Origins, local_path
from lycosa.library.filters import Filters, filters_of
from lycosa.library.find import PER_PAGE, condition, find
from lycosa.library.labelling import label_page
from lycosa.library.shelf import Shelf
from lycosa.report.columns import column_chart
from lycosa.report.overview import Spot, days, periods, spots
from lycosa.report.svg import line_chart
from lycosa.report.why import explain
from lycosa.report.world import world_map
from lycosa.store.collection import ReadCollection
from lycosa.store.labels import labels_in

CONTROLS = ("pause", "resume", "stop")
TEXT_CHARS = 60_000


def application(shelf: Shelf, keys: Keys, origins: Origins) -> ASGIApp:
    """The library as an ASGI application, doors included."""
    library = Library(shelf, keys, origins)
    app = Starlette(
        routes=library.routes(),
        exception_handlers={HTTPException: library.trouble, LycosaError: library.trouble},
    )
    library.doors = Doors(app, keys, origins)
    return library.doors


class Library:
    """The pages. Each handler opens its own connection, in its own thread."""

    doors: Doors

    def __init__(self, shelf: Shelf, keys: Keys, origins: Origins) -> None:
        self.shelf = shelf
        self.keys = keys
        self.origins = origins
        self._templates = Environment(
            loader=PackageLoader("lycosa.library"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["number"] = lambda value: f"{value:,}"
        self._templates.filters["web_url"] = web_url

    def routes(self) -> list[Any]:
        """All addresses."""
        pages: list[tuple[str, Callable[[Request, ReadCollection], Response]]] = [
            ("/", self.overview),
            ("/search", self.search),
            ("/browse/{field}", self.browse),
            ("/map", self.map),
            ("/timeline", self.timeline),
            ("/page/{id:int}", self.page),
            ("/why", self.why),
            ("/monitor", self.monitor),
            ("/labels", self.labels),
        ]
        changes = [("/label", self.label), ("/control", self.control), ("/retrain", self.retrain)]
        return [
            Route("/", self.home),
            Route("/search", self.search_all),
            Route("/login", self.login, methods=["GET", "POST"]),
            *(Route("/c/{name}" + path, self._opened(page)) for path, page in pages),
            Route("/c/{name}/browse", lambda request: RedirectResponse(request.url.path + "/sources", 303)),
            *(Route("/c/{name}" + path, handler, methods=["POST"]) for path, handler in changes),
            Mount("/api", routes=api.routes(self.shelf)),
            Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        ]

    def _opened(self, page: Callable[[Request, ReadCollection], Response]) -> Callable[[Request], Response]:
        def handler(request: Request) -> Response:
            with self._collection(request) as collection:
                return page(request, collection)

        return handler

    def _collection(self, request: Request) -> ReadCollection:
        name = request.path_params["name"]
        if name not in self.shelf.directories:
            raise HTTPException(404, f"There is no collection called “{name}” here.")
        return self.shelf.open(name)

    def _show(self, request: Request, template: str, code: int = 200, **values: Any) -> HTMLResponse:
        name = request.path_params.get("name", "")
        name = name if name in self.shelf.directories else ""
        text = self._templates.get_template(template).render(
            version=__version__,
            here=template.partition(".")[0],
            collections=list(self.shelf.directories),
            name=name,
            root=f"/c/{quote(name)}" if name else "",
            form_key=self.keys.form_key(),
            path=request.url.path,
            **{"filters": Filters(), **values},
        )
        return HTMLResponse(text, code)

    async def trouble(self, request: Request, error: Exception) -> Response:
        """Any error, said in plain words."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        said = error.detail if isinstance(error, HTTPException) else str(error)
        if request.url.path.startswith("/api/"):
            return api.answer({"error": said}, status)
        return self._show(request, "trouble.html", status, status=status, said=said)

    # Over all collections.

    def home(self, request: Request) -> Response:
        """The shelf; where there is only one collection, that collection."""
        if len(self.shelf.directories) == 1:
            return RedirectResponse(f"/c/{quote(next(iter(self.shelf.directories)))}/", 303)
        cards = []
        for name in self.shelf.directories:
            with self.shelf.open(name) as collection:
                cards.append({"name": name, **views.about(collection)})
        return self._show(request, "shelf.html", cards=cards)

    def search_all(self, request: Request) -> Response:
        """The best hits of every collection."""
        filters = filters_of(request.query_params)
        found = []
        for name in self.shelf.directories:
            with self.shelf.open(name) as collection:
                found.append((name, views.about(collection)["title"], find(collection, filters)))
        return self._show(request, "everywhere.html", filters=filters, found=found)

    async def login(self, request: Request) -> Response:
        """The password, where one was set."""
        if not self.keys.password:
            raise HTTPException(
                404, "This library opens by its token: use the address that `lycosa serve` printed."
            )
        if request.method == "GET":
            return self._show(
                request, "login.html", said="", next=local_path(request.query_params.get("next", "/"))
            )
        form = await request.form()
        right = self.doors.right_password(str(form.get("password", "")))
        following = local_path(str(form.get("next", "/")))
        if not right:
            said = "That was not the password." if right is False else "Too many tries. Wait a minute."
            return self._show(request, "login.html", 403, said=said, next=following)
        answer = RedirectResponse(following, 303)
        self.doors.admit(answer)
        return answer

    # Of one collection.

    def overview(self, request: Request, collection: ReadCollection) -> Response:
        """Summary, figures and where to go on."""
        curve = collection.reader.harvest_curve(200)
        known = self.shelf.remembered(collection, "summary", lambda: views.summary(collection))
        unit, course = periods([(day, count) for day, count in known["days"]], 60)
        return self._show(
            request,
            "overview.html",
            about=views.about(collection),
            summary=known,
            unit=unit,
            course=column_chart(
                course, "Pages by the day they were published", self._of_period(request), height=150
            ),
            curve=line_chart(
                {"relevant": [(0.0, 0.0), *((float(n), float(good)) for n, good in curve)]},
                "pages fetched",
                "relevant pages",
            ),
        )

    def search(self, request: Request, collection: ReadCollection) -> Response:
        """Words and filters, hits and snippets."""
        filters = filters_of(request.query_params)
        started = time.perf_counter()
        results = find(collection, filters)
        return self._show(
            request,
            "search.html",
            filters=filters,
            results=results,
            choices=self.shelf.remembered(collection, "choices", lambda: views.choices(collection)),
            first=(results.page - 1) * PER_PAGE + 1,
            milliseconds=round((time.perf_counter() - started) * 1000),
            has_text=self._has_text(collection),
        )

    def browse(self, request: Request, collection: ReadCollection) -> Response:
        """The values of one field, with the pages of each."""
        field = request.path_params["field"]
        if field not in views.FIELDS:
            raise HTTPException(
                404, f"Pages cannot be browsed by “{field}”. Known are: {', '.join(views.FIELDS)}."
            )
        filters = filters_of(request.query_params)
        key = f"browse {field} {filters.query()}"
        rows = self.shelf.remembered(collection, key, lambda: views.browse(collection, field, filters))
        return self._show(
            request,
            "browse.html",
            fields=list(views.FIELDS),
            field=field,
            filters=filters,
            rows=[(value, count, _narrow(filters, field, value)) for value, count in rows],
            most=max((count for _, count in rows), default=1),
        )

    def map(self, request: Request, collection: ReadCollection) -> Response:
        """Where the pages are about."""
        filters, near = filters_of(request.query_params), request.query_params.get("view") == "near"
        chosen = condition(collection, filters)
        found = self.shelf.remembered(
            collection,
            f"map {filters.query()}",
            lambda: spots(collection.connection, chosen, 400, mapped=True),
        )
        return self._show(
            request,
            "map.html",
            filters=filters,
            near=near,
            spots=found,
            drawing=world_map(found, lambda spot: self._of_place(request, filters, spot), near=near),
        )

    def timeline(self, request: Request, collection: ReadCollection) -> Response:
        """When the pages were published."""
        filters = filters_of(request.query_params)
        chosen = condition(collection, filters)
        by_day = self.shelf.remembered(
            collection, f"days {filters.query()}", lambda: days(collection.connection, chosen)
        )
        unit, course = periods(by_day)
        return self._show(
            request,
            "timeline.html",
            filters=filters,
            unit=unit,
            dated=sum(count for _, count in by_day),
            undated=views.undated(collection, filters),
            drawing=column_chart(course, "Pages by the day they were published", self._of_period(request)),
            entries=views.entries(collection, filters),
        )

    def page(self, request: Request, collection: ReadCollection) -> Response:
        """One page: its text, the archived page, and the reasons."""
        shown = views.page(collection, request.path_params["id"])
        if shown is None:
            raise HTTPException(404, "There is no such page in this collection.")
        replay = self.origins.replay_origin(request.headers.get("host", ""))
        address = quote(shown["url"], safe="/:?&=+,;@!$'()*~%[]")
        view = request.query_params.get("view", "text")
        return self._show(
            request,
            "page.html",
            page=shown,
            text=shown["text"][:TEXT_CHARS],
            view=view if view in ("text", "archived", "reasons") else "text",
            replay=f"{replay}/{self.keys.replay_key()}/{request.path_params['name']}/{address}",
        )

    def why(self, request: Request, collection: ReadCollection) -> Response:
        """Any URL, explained: also one that was never fetched."""
        url = request.query_params.get("url", "")[:4000].strip()
        explanation, said, number = None, "", None
        if url:
            try:
                explanation = explain(collection.directory, url)
            except InputError as error:
                said = str(error)
            else:
                sql = "SELECT id FROM pages WHERE url = ?"
                row = collection.connection.execute(sql, (explanation.url,)).fetchone()
                number = row[0] if row else None
        return self._show(request, "why.html", url=url, why=explanation, said=said, number=number)

    def monitor(self, request: Request, collection: ReadCollection) -> Response:
        """The crawl as it runs; `?part=live` is only what changes."""
        curve = collection.reader.harvest_curve(120)
        speed = views.speed_curve(collection)
        hosts = views.queue(collection)
        return self._show(
            request,
            "live.html" if request.query_params.get("part") == "live" else "monitor.html",
            status=views.status(collection),
            curve=line_chart(
                {"harvest": [(float(n), good / n) for n, good in curve]}, "pages", "harvest", y_max=1.0
            ),
            speed=line_chart({"speed": speed}, "seconds of the last run", "pages per second"),
            hosts=hosts,
            most=max((row["waiting"] for row in hosts), default=1),
            troubles=views.troubles(collection),
            now=time.time(),
        )

    def labels(self, request: Request, collection: ReadCollection) -> Response:
        """What people said of pages, and what to do with it."""
        rows = []
        for label in labels_in(collection.directory).values():
            stored = collection.reader.page(label.key)
            if stored is not None:
                rows.append({"label": label, "page": stored})
        said = request.query_params.get("said", "")
        return self._show(
            request,
            "labels.html",
            rows=rows,
            said=SAID.get(said, ""),
            running=views.status(collection)["running"],
        )

    def _has_text(self, collection: ReadCollection) -> bool:
        return collection.connection.execute("SELECT 1 FROM texts_docsize LIMIT 1").fetchone() is not None

    def _of_place(self, request: Request, filters: Filters, spot: Spot) -> str:
        return f"/c/{quote(request.path_params['name'])}/search?{filters.query(place=spot.name)}"

    def _of_period(self, request: Request) -> Callable[[str], str]:
        filters, name = filters_of(request.query_params), quote(request.path_params["name"])
        return lambda period: f"/c/{name}/search?{filters.query(since=period, until=period)}"

    # What changes something. Never the catalogue: labels beside it, commands to the running crawl.

    async def label(self, request: Request) -> Response:
        """Mark a page relevant or not, or take the mark back."""
        form = await self._form(request)
        said, number = str(form.get("relevant", "")), str(form.get("id", ""))
        if said not in ("yes", "no", "clear") or not number.isdecimal() or len(number) > 18:
            raise HTTPException(400, "A label is a page's id and yes, no or clear.")
        await run_in_threadpool(self._label, request, int(number), said)
        return RedirectResponse(local_path(str(form.get("next", "/"))), 303)

    def _label(self, request: Request, number: int, said: str) -> None:
        with self._collection(request) as collection:
            label_page(collection, number, said)

    async def control(self, request: Request) -> Response:
        """Pause, resume or stop the running crawl."""
        do = str((await self._form(request)).get("do", ""))
        if do not in CONTROLS:
            raise HTTPException(400, f"A crawl can be told to: {', '.join(CONTROLS)}.")
        with self._collection(request) as collection:
            await run_in_threadpool(ask, collection.directory, do)
        return RedirectResponse(f"/c/{quote(request.path_params['name'])}/monitor", 303)

    async def retrain(self, request: Request) -> Response:
        """Hand the labels to the running crawl."""
        await self._form(request)
        with self._collection(request) as collection:
            answer = await run_in_threadpool(ask, collection.directory, "labels-changed", 120.0)
        said = "later" if not answer or not answer.get("ok") else "now"
        query = urlencode({"said": said})
        return RedirectResponse(f"/c/{quote(request.path_params['name'])}/labels?{query}", 303)

    async def _form(self, request: Request) -> dict[str, Any]:
        form = dict(await request.form())
        if form.get("form_key") != self.keys.form_key():
            raise HTTPException(403, "This form is out of date. Go back, reload the page and try again.")
        return form


SAID = {
    "later": "The labels are kept. No crawl is running (or it cannot relearn): they are used when the crawl is run again.",
    "now": "The running crawl has learned from the labels and scored its waiting links anew.",
}


def web_url(url: str) -> str:
    """An address that may stand in a link: http or https, or nothing.

    >>> web_url("javascript:alert(1)"), web_url("http://a.test/")
    ('#', 'http://a.test/')
    """
    return url if url.lower().startswith(("http://", "https://")) else "#"


def _narrow(filters: Filters, field: str, value: str) -> str:
    """The query of the search that shows one value of a field."""
    if field == "dates":
        return filters.query(since=value, until=value)
    if field == "trails":
        return filters.query(trail=value, relevant="all")
    return filters.query(**{views.FIELDS[field]: value})
