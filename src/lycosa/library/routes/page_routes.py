"""Pages about one URL: its text, its archived copy, and the reasons why it is here or not."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lycosa.collection.archive.responses import archived
from lycosa.collection.catalogue.page_filter import PageFilter, Relevance
from lycosa.collection.catalogue.statistics import ImageOnPage
from lycosa.collection.collection import Collection
from lycosa.collection.search.phrases import marked_text
from lycosa.errors import InputError
from lycosa.library.context import Handler, LibraryContext, root_of
from lycosa.library.replay import MAX_BYTES
from lycosa.library.routes.api import URL_CHARS
from lycosa.library.routes.path_params import PAGE_ID
from lycosa.library.views import content
from lycosa.library.views.explore import ids_of, neighbours
from lycosa.library.views.labelling import ASKED
from lycosa.library.views.search import search_query_of
from lycosa.report.description import described
from lycosa.report.thumbnails import thumbnail_of
from lycosa.why import explain

TEXT_CHARS = 60_000
"""Characters of a text that are shown."""


class PageRoutes:
    """Handlers of pages about one URL."""

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def pages(self) -> list[tuple[str, Handler]]:
        """Return the paths below a collection and their handlers."""
        return [
            (f"/page/{PAGE_ID}", self.page),
            (f"/thumbnail/{PAGE_ID}", self.thumbnail),
            ("/archived", self.archived),
            ("/why", self.why),
        ]

    def thumbnail(self, request: Request, collection: Collection) -> Response:
        """A small copy of an archived image; no original byte is passed on."""
        small = thumbnail_of(collection, request.path_params["id"])
        if small is None:
            raise HTTPException(404, "There is no image here that can be shown.")
        return Response(small, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=86400"})

    def page(self, request: Request, collection: Collection) -> Response:
        """One page: its text, the archived page, and the reasons."""
        shown = content.page(collection, request.path_params["id"])
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
        """Redirect a link of an archived page to the archived target, or to why it is not here."""
        url = request.query_params.get("url", "")[:URL_CHARS].strip()
        found = archived(collection, url, MAX_BYTES)
        page = None if isinstance(found, str) else collection.reader.page(found.link.key)
        root = root_of(request.path_params["name"])
        target = f"/page/{page.id}?view=archived" if page else f"/why?{urlencode({'url': url})}"
        return RedirectResponse(root + target, 303)

    def why(self, request: Request, collection: Collection) -> Response:
        """Reasons for any URL, also one that was never fetched."""
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

    def _images_of(self, collection: Collection, number: int) -> list[ImageOnPage]:
        """Return images of a page, without a query if the collection has none."""
        if not self._context.served.cached(
            collection, "has images", lambda opened: opened.statistics.has_images()
        ):
            return []
        return collection.statistics.images(PageFilter(relevance=Relevance.JUDGED, page=number), 12)
