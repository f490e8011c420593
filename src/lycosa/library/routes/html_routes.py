"""The pages of one collection for people. In: requests that access control let through. Out: HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote, urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lycosa.collection.archive.responses import archived
from lycosa.collection.catalogue.page_filter import PageFilter, Relevance
from lycosa.collection.catalogue.statistics import ImageOnPage, PlaceCount
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.collection.search.phrases import marked_text
from lycosa.engine.relearn import Relearned, learns
from lycosa.errors import InputError
from lycosa.learn.questions import questions_in
from lycosa.library.context import Handler, LibraryContext, root_of
from lycosa.library.replay import MAX_BYTES
from lycosa.library.routes.api import URL_CHARS
from lycosa.library.routes.form_routes import SAID
from lycosa.library.routes.path_params import PAGE_ID
from lycosa.library.views import views
from lycosa.library.views.explore import explore, ids_of, neighbours
from lycosa.library.views.indexing import IndexStatus
from lycosa.library.views.labelling import ASKED, effect_of_labels
from lycosa.library.views.monitor import status
from lycosa.library.views.search import PER_PAGE
from lycosa.library.views.search_query import KINDS, SearchQuery, page_filter_of, search_query_of
from lycosa.methods.registry import facets
from lycosa.page.text.languages import name_of
from lycosa.report.charts.column_chart import column_chart
from lycosa.report.charts.histogram import score_histogram
from lycosa.report.charts.line_chart import line_chart
from lycosa.report.charts.periods import periods
from lycosa.report.charts.world_map import box_of, world_map
from lycosa.report.description import described
from lycosa.report.thumbnails import thumbnail_of
from lycosa.why import explain

TEXT_CHARS = 60_000
IMAGES = 30
"""On one page of the gallery."""
QUESTIONS = 5
"""Pages that the page of labels asks about."""


class HtmlRoutes:
    """The pages of a collection. Each handler opens its own connection, in its own thread."""

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        """All addresses of a collection that only show."""
        pages: list[tuple[str, Handler]] = [
            ("/", self.overview),
            ("/search", self.search),
            ("/browse/{field}", self.browse),
            ("/images", self.images),
            (f"/thumbnail/{PAGE_ID}", self.thumbnail),
            ("/map", self.map),
            ("/timeline", self.timeline),
            (f"/page/{PAGE_ID}", self.page),
            ("/archived", self.archived),
            ("/why", self.why),
        ]
        if not self._context.is_public:
            pages += [("/labels", self.labels)]
        return [
            *(Route("/c/{name}" + path, self._context.opened(page)) for path, page in pages),
            Route("/c/{name}/browse", lambda request: RedirectResponse(request.url.path + "/sources", 303)),
        ]

    def overview(self, request: Request, collection: Collection) -> Response:
        """Summary, figures and where to go on."""
        curve = collection.reader.harvest_curve(200)
        known = self._context.served.cached(collection, "summary", views.summary)
        unit, course = periods([(day, count) for day, count in known["days"]], 60)
        return self._context.render(
            request,
            "overview.html",
            about=views.about(collection),
            failed=_failed(collection),
            indexing=self._index_status(collection),
            summary=known,
            categories=[
                (each.plural.capitalize(), each.plural, each.name, known[each.plural]) for each in facets()
            ],
            unit=unit,
            dated=sum(count for _, count in known["days"]),
            course=column_chart(
                course, "Pages by the day they were published", self._of_period(request), height=150
            ),
            curve=line_chart(
                {"relevant": [(0.0, 0.0), *((float(n), float(good)) for n, good in curve)]},
                "pages fetched",
                "relevant pages",
            ),
        )

    def search(self, request: Request, collection: Collection) -> Response:
        """Words and filters, hits and snippets."""
        query = search_query_of(request.query_params)
        ground = self._context.ground(collection)
        facets = self._context.facets(collection)
        explored = explore(collection, query, ground, facets)
        results, counts = explored.results, explored.counts
        box = box_of(request.query_params.get("box", ""))
        unit, course = periods(counts.days, 60)
        root = root_of(request.path_params["name"])
        return self._context.render(
            request,
            "search.html",
            query=query,
            kinds=KINDS,
            place_words=facets.place_words,
            languages={code: name_of(code) for code, _ in counts.fields["language"]},
            results=results,
            counts=counts,
            unit=unit,
            course=column_chart(
                course, "Pages by the day they were published", self._of_period(request), height=120
            ),
            scores=score_histogram(
                counts.scores,
                ground.threshold,
                lambda low, high: (
                    f"{root}/search?{query.encoded(score=f'{low:.2f}-{high:.2f}', relevant='all')}"
                ),
            ),
            box=box,
            map=world_map(
                counts.places,
                lambda place: self._of_place(request, query, place),
                box=box,
                into=lambda part: f"{root}/search?{query.encoded()}&box={part}#map",
            ),
            first=(results.page - 1) * PER_PAGE + 1,
            labels=_labels_of(collection, [(hit.id, hit.url) for hit in results.hits]),
            has_text=collection.search.has_text(),
            judged=collection.reader.counts().judged,
            failed=_failed(collection),
        )

    def browse(self, request: Request, collection: Collection) -> Response:
        """The values of one field, with the pages of each."""
        field = request.path_params["field"]
        if field not in views.FIELDS:
            raise HTTPException(
                404, f"Pages cannot be browsed by “{field}”. Known are: {', '.join(views.FIELDS)}."
            )
        query = search_query_of(request.query_params)
        key = f"browse {field} {query.encoded()}"
        rows = self._context.served.cached(collection, key, lambda opened: views.browse(opened, field, query))
        return self._context.render(
            request,
            "browse.html",
            fields=views.fields_of(collection),
            indexing=self._index_status(collection),
            field=field,
            query=query,
            place_words=self._context.facets(collection).place_words,
            rows=[(value, count, _narrow(query, field, value)) for value, count in rows],
            largest=max((count for _, count in rows), default=1),
        )

    def images(self, request: Request, collection: Collection) -> Response:
        """The images of the pages, and what was seen in them."""
        query = search_query_of(request.query_params)
        wanted = page_filter_of(query, collection.directory)
        found = collection.statistics.images(wanted, IMAGES + 1, (query.page - 1) * IMAGES)
        return self._context.render(
            request,
            "images.html",
            fields=views.fields_of(collection),
            query=query,
            place_words=self._context.facets(collection).place_words,
            images=found[:IMAGES],
            more=len(found) > IMAGES,
        )

    def thumbnail(self, request: Request, collection: Collection) -> Response:
        """An archived image, small and drawn anew: no byte of a stranger's file is passed on."""
        small = thumbnail_of(collection, request.path_params["id"])
        if small is None:
            raise HTTPException(404, "There is no image here that can be shown.")
        return Response(small, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=86400"})

    def map(self, request: Request, collection: Collection) -> Response:
        """Where the pages are about."""
        query, near = search_query_of(request.query_params), request.query_params.get("view") == "near"
        wanted = page_filter_of(query, collection.directory)
        found = self._context.served.cached(
            collection,
            f"map {query.encoded()}",
            lambda opened: opened.statistics.places(wanted, 400, mapped=True),
        )
        box, root = box_of(request.query_params.get("box", "")), root_of(request.path_params["name"])
        return self._context.render(
            request,
            "map.html",
            query=query,
            place_words=self._context.facets(collection).place_words,
            is_part=near or box is not None,
            places=found,
            indexing=self._index_status(collection),
            drawing=world_map(
                found,
                lambda place: self._of_place(request, query, place),
                near=near,
                box=box,
                into=lambda part: f"{root}/map?{query.encoded()}&box={part}",
            ),
        )

    def timeline(self, request: Request, collection: Collection) -> Response:
        """When the pages were published."""
        query = search_query_of(request.query_params)
        wanted = page_filter_of(query, collection.directory)
        by_day = self._context.served.cached(
            collection, f"days {query.encoded()}", lambda opened: opened.statistics.days(wanted)
        )
        unit, course = periods(by_day)
        return self._context.render(
            request,
            "timeline.html",
            query=query,
            place_words=self._context.facets(collection).place_words,
            unit=unit,
            indexing=self._index_status(collection),
            dated=sum(count for _, count in by_day),
            undated=collection.statistics.undated(wanted),
            drawing=column_chart(course, "Pages by the day they were published", self._of_period(request)),
            entries=views.entries(collection, query),
        )

    def page(self, request: Request, collection: Collection) -> Response:
        """One page: its text, the archived page, and the reasons."""
        shown = views.page(collection, request.path_params["id"])
        if shown is None:
            raise HTTPException(404, "There is no such page in this collection.")
        replay = self._context.origins.replay_origin(request.headers.get("host", ""))
        address = quote(shown["url"], safe="/:?&=+,;@!$'()*~%[]")
        view, capture = request.query_params.get("view", "text"), request.query_params.get("capture", "")
        chosen = int(capture) if capture in map(str, range(len(shown["captures"]))) else None
        if chosen is not None:
            address = f"@{chosen}/{address}"
        query, ground = search_query_of(request.query_params), self._context.ground(collection)
        flow, is_within = None, request.query_params.get("in") == "search"
        if is_within:
            found = self._context.served.cached(
                collection,
                f"ids {query.encoded()}",
                lambda opened: ids_of(opened, query, ground, self._context.facets(opened)),
            )
            flow = neighbours(found, shown["id"])
        words = (
            query.q if query.q else " OR ".join(f'"{word}"' for word in described(collection).telling_words)
        )
        marks = collection.search.understood(words, ground.languages).wanted
        state = query.encoded(page=query.page)
        return self._context.render(
            request,
            "page.html",
            page=shown,
            asked=request.query_params.get("asked") == ASKED,
            images=self._images_of(collection, shown["id"]),
            why=explain(collection.directory, shown["url"]) if view == "reasons" else None,
            flow=flow,
            back=f"{state}#hit-{shown['id']}",
            within=(f"in=search&{state}&" if state else "in=search&") if is_within else "",
            threshold=ground.threshold,
            text=marked_text(shown["text"][:TEXT_CHARS], marks),
            view=view if view in ("text", "archived", "reasons") else "text",
            capture=chosen,
            replay=f"{replay}/{self._context.keys.replay_key()}/{request.path_params['name']}/{address}",
        )

    def archived(self, request: Request, collection: Collection) -> Response:
        """Where a link of an archived page leads: to its page as archived, or to why it is not here."""
        url = request.query_params.get("url", "")[:URL_CHARS].strip()
        found = archived(collection, url, MAX_BYTES)
        page = None if isinstance(found, str) else collection.reader.page(found.link.key)
        root = root_of(request.path_params["name"])
        target = f"/page/{page.id}?view=archived" if page else f"/why?{urlencode({'url': url})}"
        return RedirectResponse(root + target, 303)

    def why(self, request: Request, collection: Collection) -> Response:
        """Any URL, explained: also one that was never fetched."""
        url = request.query_params.get("url", "")[:URL_CHARS].strip()
        explanation, said, number = None, "", None
        if url:
            try:
                explanation = explain(collection.directory, url)
            except InputError as error:
                said = str(error)
            else:
                stored = collection.reader.page(collection.reader.key_of(explanation.url))
                number = stored.id if stored else None
        return self._context.render(request, "why.html", url=url, why=explanation, said=said, number=number)

    def labels(self, request: Request, collection: Collection) -> Response:
        """What people said of pages, and what to do with it."""
        rows = []
        for label in labels_in(collection.directory).values():
            stored = collection.reader.page(label.key)
            if stored is not None:
                rows.append({"label": label, "page": stored})
        said = SAID.get(request.query_params.get("said", ""), "")
        learned = _what_changed(request.query_params.get("learned", ""))
        return self._context.render(
            request,
            "labels.html",
            rows=rows,
            said=said or str(learned or ""),
            can_undo=learned is not None
            and learned.before.version < learned.after.version
            and "undone" not in request.query_params,
            asked=questions_in(collection, QUESTIONS),
            learning=learns(collection),
            effect=effect_of_labels(collection.spec()),
            running=status(collection)["running"],
        )

    def _images_of(self, collection: Collection, number: int) -> list[ImageOnPage]:
        """Some images of a page; of a collection without any, nothing is looked through."""
        if not self._context.served.cached(
            collection, "has images", lambda opened: opened.statistics.has_images()
        ):
            return []
        return collection.statistics.images(PageFilter(relevance=Relevance.JUDGED, page=number), 12)

    def _index_status(self, collection: Collection) -> IndexStatus:
        return self._context.index_processes.status_of(collection)

    def _of_place(self, request: Request, query: SearchQuery, place: PlaceCount) -> str:
        return f"{root_of(request.path_params['name'])}/search?{query.encoded(place=place.key)}"

    def _of_period(self, request: Request) -> Callable[[str], str]:
        query, root = search_query_of(request.query_params), root_of(request.path_params["name"])
        return lambda period: f"{root}/search?{query.encoded(since=period, until=period)}"


def _labels_of(collection: Collection, pages: Sequence[tuple[int, str]]) -> dict[int, bool]:
    """What people said of these pages, by id."""
    labels = labels_in(collection.directory)
    found = ((number, labels.get(collection.reader.key_of(url))) for number, url in pages)
    return {number: label.relevant for number, label in found if label}


def _failed(collection: Collection) -> int:
    """Requests that got no page that was kept."""
    counts = collection.reader.counts()
    return counts.failed + counts.refused


def _what_changed(told: str) -> Relearned | None:
    """What retraining did, as its address tells; figures only, whoever made the address."""
    try:
        return msgspec.json.decode(told[:URL_CHARS], type=Relearned)
    except msgspec.MsgspecError:
        return None


def _narrow(query: SearchQuery, field: str, value: str) -> str:
    """The query of the search that shows one value of a field."""
    if field == "dates":
        return query.encoded(since=value, until=value)
    if field == "trails":
        return query.encoded(trail=value, relevant="all")
    return query.encoded(**{views.FIELDS[field]: value})
