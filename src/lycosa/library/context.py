"""What all routes share: collections, access keys, templates."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from lycosa import __version__
from lycosa.collection.collection import Collection
from lycosa.collection.search.facets import Facets
from lycosa.evidence.words import fact_in_words, share_of
from lycosa.library.access import AccessKeys, Origins, local_path
from lycosa.library.served_collections import ServedCollections
from lycosa.library.templating import templates
from lycosa.library.views.explore import Explored, explore
from lycosa.library.views.indexing import IndexProcesses
from lycosa.library.views.search import SearchGround, SearchQuery, marked, search_ground
from lycosa.methods.registry import facets

Handler = Callable[[Request, Collection], Response]
"""A handler with an opened collection."""


class LibraryContext:
    """A running library: open its collections and render its templates."""

    def __init__(
        self,
        served: ServedCollections,
        keys: AccessKeys,
        origins: Origins,
        *,
        is_public: bool = False,
        closing: threading.Event | None = None,
    ) -> None:
        self.served = served
        self.is_public = is_public
        self.closing = closing or threading.Event()
        self.index_processes = IndexProcesses()
        self.keys = keys
        self.origins = origins
        self._templates = templates()
        self._templates.filters["marked"] = marked
        self._templates.filters["in_words"] = lambda fact, name: fact_in_words(name, fact)
        self._templates.filters["share"] = share_of
        self._templates.filters["told"] = lambda told: told if isinstance(told, str) else f"{told:.4f}"
        self._templates.filters["is_language"] = re.compile(r"[a-z]{2,3}").fullmatch

    def collection(self, request: Request) -> Collection:
        """Open the collection of the request's path."""
        name = request.path_params["name"]
        if name not in self.served.directories:
            raise HTTPException(404, f"There is no collection called “{name}” here.")
        return self.served.open(name)

    def opened(self, page: Handler) -> Callable[[Request], Response]:
        """Return a handler for Starlette that opens the collection in its own thread."""

        def handler(request: Request) -> Response:
            with self.collection(request) as collection:
                return page(request, collection)

        return handler

    def ground(self, collection: Collection) -> SearchGround:
        """Return what searches of a collection share, cached for each state of it."""
        return self.served.cached(collection, "ground", search_ground)

    def facets(self, collection: Collection) -> Facets:
        """Return the facets of a collection, cached for each state of it."""
        return self.served.cached(collection, "facets", lambda opened: Facets(opened.connection, opened.path))

    def explored(self, collection: Collection, query: SearchQuery) -> Explored:
        """Run a search."""
        return explore(collection, query, self.ground(collection), self.facets(collection))

    def render(self, request: Request, template: str, code: int = 200, **values: Any) -> HTMLResponse:
        """Render a template."""
        name = request.path_params.get("name", "")
        name = name if name in self.served.directories else ""
        text = self._templates.get_template(template).render(
            version=__version__,
            here=template.partition(".")[0],
            collections=list(self.served.directories),
            name=name,
            root=root_of(name),
            directory=shlex.quote(str(self.served.directories[name])) if name else "",
            form_key="" if self.is_public else self.keys.form_key(),
            is_public=self.is_public,
            path=request.url.path,
            address=local_path(request.url),
            facets=list(facets()),
            **{"query": SearchQuery(), **values},
        )
        return HTMLResponse(text, code)


def root_of(name: str) -> str:
    """Return the beginning of a collection's paths; '' without a name.

    >>> root_of("owls & co"), root_of("")
    ('/c/owls%20%26%20co', '')
    """
    return f"/c/{quote(name)}" if name else ""
