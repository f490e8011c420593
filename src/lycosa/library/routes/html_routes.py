"""The pages of a collection for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lycosa.collection.catalogue.statistics import PlaceCount
from lycosa.collection.collection import Collection
from lycosa.collection.labels import answers_in, labels_in, people_labels_in, told_of_labels
from lycosa.engine.catch_up.relearn import Relearned, learns
from lycosa.learn.questions import questions_for_people
from lycosa.library.context import Handler, LibraryContext, root_of
from lycosa.library.routes.api import URL_CHARS
from lycosa.library.routes.form_routes import SAID
from lycosa.library.routes.page_routes import PageRoutes
from lycosa.library.views import content
from lycosa.library.views.indexing import IndexStatus
from lycosa.library.views.labelling import effect_of_labels
from lycosa.library.views.monitor import status
from lycosa.library.views.search import KINDS, PER_PAGE, SearchQuery, page_filter_of, search_query_of
from lycosa.methods.registry import facets
from lycosa.page.text.languages import name_of
from lycosa.report.charts.column_chart import column_chart
from lycosa.report.charts.histogram import score_histogram
from lycosa.report.charts.line_chart import line_chart
from lycosa.report.charts.periods import periods
from lycosa.report.charts.world_map import box_of, world_map

IMAGES = 30
"""Images on one page of the gallery."""
QUESTIONS = 5
"""Number of questions on the page of labels."""


class HtmlRoutes:
    """Handlers of the pages of a collection. Each opens its own connection in its own thread."""

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        """Return the routes of a collection that change nothing."""
        pages: list[tuple[str, Handler]] = [
            ("/", self.overview),
            ("/search", self.search),
            ("/browse/{field}", self.browse),
            ("/images", self.images),
            ("/map", self.map),
            ("/timeline", self.timeline),
            *PageRoutes(self._context).pages(),
        ]
        if not self._context.is_public:
            pages += [("/labels", self.labels)]
        return [
            *(Route("/c/{name}" + path, self._context.opened(page)) for path, page in pages),
            Route("/c/{name}/browse", lambda request: RedirectResponse(request.url.path + "/sources", 303)),
        ]

    def overview(self, request: Request, collection: Collection) -> Response:
        """Summary and figures."""
        curve = collection.reader.harvest_curve(200)
        known = self._context.served.cached(collection, "summary", content.summary)
        unit, course = periods([(day, count) for day, count in known["days"]], 60)
        return self._context.render(
            request,
            "overview.html",
            about=content.about(collection),
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
        explored = self._context.explored(collection, query)
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
        """Values of one field, with their number of pages."""
        field = request.path_params["field"]
        if field not in content.FIELDS:
            raise HTTPException(
                404, f"Pages cannot be browsed by “{field}”. Known are: {', '.join(content.FIELDS)}."
            )
        query = search_query_of(request.query_params)
        key = f"browse {field} {query.encoded()}"
        rows = self._context.served.cached(
            collection, key, lambda opened: content.browse(opened, field, query)
        )
        return self._context.render(
            request,
            "browse.html",
            fields=content.fields_of(collection),
            indexing=self._index_status(collection),
            field=field,
            query=query,
            place_words=self._context.facets(collection).place_words,
            rows=[(value, count, _narrow(query, field, value)) for value, count in rows],
            largest=max((count for _, count in rows), default=1),
        )

    def images(self, request: Request, collection: Collection) -> Response:
        """Images of the pages, and what an image model saw in them."""
        query = search_query_of(request.query_params)
        wanted = page_filter_of(query, collection.directory)
        found = collection.statistics.images(wanted, IMAGES + 1, (query.page - 1) * IMAGES)
        return self._context.render(
            request,
            "images.html",
            fields=content.fields_of(collection),
            query=query,
            place_words=self._context.facets(collection).place_words,
            images=found[:IMAGES],
            more=len(found) > IMAGES,
        )

    def map(self, request: Request, collection: Collection) -> Response:
        """Places on a map."""
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
            entries=content.entries(collection, query),
        )

    def labels(self, request: Request, collection: Collection) -> Response:
        """Labels of people and assistants, questions, and what the labels change."""
        replies = answers_in(collection.directory).values()
        rows = []
        asked = questions_for_people(collection, QUESTIONS)
        unseen = {question.key for question in asked}  # the person answers without knowing the assistant's
        for label in labels_in(collection.directory).values():
            if label.key in unseen:
                continue
            stored = collection.reader.page(label.key)
            if stored is not None:
                rows.append({"label": label, "page": stored})
        said = SAID.get(request.query_params.get("said", ""), "")
        learned = _what_changed(request.query_params.get("learned", ""))
        return self._context.render(
            request,
            "labels.html",
            rows=rows,
            refused=[reply for reply in replies if reply.relevant is None],
            said=said or str(learned or ""),
            can_undo=learned is not None
            and learned.before.version < learned.after.version
            and "undone" not in request.query_params,
            asked=asked,
            labelled=told_of_labels(collection.directory),
            learning=learns(collection),
            effect=effect_of_labels(collection.spec()),
            running=status(collection)["running"],
        )

    def _index_status(self, collection: Collection) -> IndexStatus:
        return self._context.index_processes.status_of(collection)

    def _of_place(self, request: Request, query: SearchQuery, place: PlaceCount) -> str:
        return f"{root_of(request.path_params['name'])}/search?{query.encoded(place=place.key)}"

    def _of_period(self, request: Request) -> Callable[[str], str]:
        query, root = search_query_of(request.query_params), root_of(request.path_params["name"])
        return lambda period: f"{root}/search?{query.encoded(since=period, until=period)}"


def _labels_of(collection: Collection, pages: Sequence[tuple[int, str]]) -> dict[int, bool]:
    """Return the labels of these pages, by id."""
    labels = people_labels_in(collection.directory)
    found = ((number, labels.get(collection.reader.key_of(url))) for number, url in pages)
    return {number: label.relevant for number, label in found if label}


def _failed(collection: Collection) -> int:
    """Count the requests without a kept page."""
    counts = collection.reader.counts()
    return counts.failed + counts.refused


def _what_changed(told: str) -> Relearned | None:
    """Parse what retraining changed from an address, which may be a stranger's: figures only."""
    try:
        return msgspec.json.decode(told[:URL_CHARS], type=Relearned)
    except msgspec.MsgspecError:
        return None


def _narrow(query: SearchQuery, field: str, value: str) -> str:
    """Return the query of the search for one value of a field."""
    if field == "dates":
        return query.encoded(since=value, until=value)
    if field == "trails":
        return query.encoded(trail=value, relevant="all")
    return query.encoded(**{content.FIELDS[field]: value})
