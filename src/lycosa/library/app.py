"""The web application: all routes, and the pages about all collections."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from lycosa.errors import LycosaError, TooLong
from lycosa.library.access import AccessControl, AccessKeys, Origins, local_path
from lycosa.library.context import LibraryContext, root_of
from lycosa.library.rate_limit import InTurn
from lycosa.library.routes import api
from lycosa.library.routes.design_files import design_routes
from lycosa.library.routes.downloads import Downloads
from lycosa.library.routes.form_routes import FormRoutes
from lycosa.library.routes.html_routes import HtmlRoutes
from lycosa.library.routes.monitor_routes import MonitorRoutes
from lycosa.library.served_collections import ServedCollections
from lycosa.library.views import content
from lycosa.library.views.search import search_query_of


def application(
    served: ServedCollections,
    keys: AccessKeys,
    origins: Origins,
    *,
    is_public: bool = False,
    closing: threading.Event | None = None,
) -> ASGIApp:
    """Return the library as an ASGI application with access control. `is_public`: read-only, for everybody.

    Event streams end at `closing`.
    """
    library = Library(LibraryContext(served, keys, origins, is_public=is_public, closing=closing))
    app = Starlette(
        routes=library.routes(),
        lifespan=library.lifespan,
        exception_handlers={
            HTTPException: library.error,
            LycosaError: library.error,
            Exception: library.error,
        },
    )
    library.access = AccessControl(InTurn(app) if is_public else app, keys, origins, is_public=is_public)
    return library.access


class Library:
    """The pages about all collections: list, search, login, errors."""

    access: AccessControl

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Run while the library is open, then stop the processes it has started."""
        threading.Thread(target=self._warm_up, daemon=True).start()
        yield
        await run_in_threadpool(self._context.index_processes.stop)

    def _warm_up(self) -> None:
        """Fill the caches of Explore."""
        for name in self._context.served.directories:
            with suppress(LycosaError), self._context.served.open(name) as collection:
                self._context.ground(collection)
                self._context.facets(collection)

    def routes(self) -> list[Any]:
        """Return all routes."""
        return [
            Route("/", self.home),
            Route("/search", self.search_all),
            Route("/login", self.login, methods=["GET", "POST"]),
            *HtmlRoutes(self._context).routes(),
            *([] if self._context.is_public else self._private_routes()),
            Mount("/api", routes=api.routes(self._context, changes=not self._context.is_public)),
            *design_routes(),
            Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        ]

    def _private_routes(self) -> list[Route]:
        """Return routes that change something, watch a crawl, or are expensive."""
        return [
            *MonitorRoutes(self._context).routes(),
            *FormRoutes(self._context).routes(),
            *Downloads(self._context).routes(),
        ]

    async def error(self, request: Request, error: Exception) -> Response:
        """Show an error."""
        status = 503 if isinstance(error, TooLong) else 500
        status = error.status_code if isinstance(error, HTTPException) else status
        said = error.detail if isinstance(error, HTTPException) else str(error)
        if not isinstance(error, HTTPException | LycosaError):
            said = "The library failed; its terminal shows the error. The collection has not changed."
        if request.url.path.startswith("/api/"):
            return api.json_response({"error": said}, status)
        return self._context.render(request, "error.html", status, status=status, said=said)

    def home(self, request: Request) -> Response:
        """Show all collections, or the only one."""
        if len(self._context.served.directories) == 1:
            return RedirectResponse(root_of(next(iter(self._context.served.directories))) + "/", 303)
        cards = [(name, self._about(name)) for name in self._context.served.directories]
        return self._context.render(request, "collections.html", cards=cards)

    def _about(self, name: str) -> dict[str, Any]:
        """Return the heading of a collection, or why it cannot be read."""
        try:
            with self._context.served.open(name) as collection:
                return content.about(collection)
        except LycosaError as error:
            return {"title": name, "error": str(error)}

    def search_all(self, request: Request) -> Response:
        """Show the best hits of every collection."""
        query = search_query_of(request.query_params)
        found = []
        for name in self._context.served.directories:
            about = self._about(name)
            if "error" not in about:
                with self._context.served.open(name) as collection:
                    about["results"] = self._context.explored(collection, query).results
            found.append((name, about))
        return self._context.render(request, "search_all.html", query=query, found=found)

    async def login(self, request: Request) -> Response:
        """Ask for the password."""
        if not self._context.keys.password:
            raise HTTPException(
                404, "This library opens by its token: use the address that `lycosa serve` printed."
            )
        if request.method == "GET":
            return self._context.render(
                request, "login.html", said="", next=local_path(request.query_params.get("next", "/"))
            )
        form = await request.form()
        right = self.access.check_password(str(form.get("password", "")))
        following = local_path(str(form.get("next", "/")))
        if not right:
            said = "Wrong password." if right is False else "Too many attempts. Wait a minute."
            return self._context.render(request, "login.html", 403, said=said, next=following)
        answer = RedirectResponse(following, 303)
        self.access.admit(answer)
        return answer
