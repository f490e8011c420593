"""Handle forms: labels, and commands to the running crawl. The catalogue is never changed here."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lycosa.engine.catch_up.relearn import learns, relearn, undo
from lycosa.engine.watch.control import ask
from lycosa.errors import CollectionBusy, LycosaError
from lycosa.learn.trial import tried
from lycosa.library.access import local_path
from lycosa.library.context import LibraryContext, root_of
from lycosa.library.views.labelling import ASKED, effect_of_labels, label_page

CONTROLS = ("pause", "resume", "stop")
SAID = {
    "later": "The labels are kept, and hold for their pages when the crawl is run again with `lycosa crawl`: its judge learns only there.",
    "now": "The running crawl finishes what is under way, then learns from the labels and scores its waiting links anew.",
    "running": "A crawl is running on this collection. Stop it first, then undo.",
    "first": "There is no version before this one.",
    "busy": "The labels are kept. Something else is writing to this collection: try again when it has ended.",
}
PATIENCE_S = 20.0
"""Seconds to wait for a running crawl to learn, before the reader only hears that it will."""


class FormRoutes:
    """Handlers of forms."""

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        """Return the routes of forms."""
        handlers = [
            ("/label", self.label),
            ("/control", self.control),
            ("/try", self.try_labels),
            ("/retrain", self.retrain),
            ("/undo", self.undo),
            ("/index", self.index),
        ]
        return [Route("/c/{name}" + path, handler, methods=["POST"]) for path, handler in handlers]

    async def label(self, request: Request) -> Response:
        """Label a page, or delete its label."""
        form = await self._form(request)
        said, number = str(form.get("relevant", "")), str(form.get("id", ""))
        if said not in ("yes", "no", "clear") or not number.isdecimal() or len(number) > 18:
            raise HTTPException(400, "A label is a page's id and yes, no or clear.")
        asked = form.get("asked") == ASKED
        await run_in_threadpool(self._label, request, int(number), said, asked)
        return RedirectResponse(local_path(str(form.get("next", "/"))), 303)

    def _label(self, request: Request, number: int, said: str, asked: bool) -> None:
        with self._context.collection(request) as collection:
            label_page(collection, number, said, asked=asked)

    async def control(self, request: Request) -> Response:
        """Pause, resume or stop the running crawl."""
        do = str((await self._form(request)).get("do", ""))
        if do not in CONTROLS:
            raise HTTPException(400, f"A crawl can be told to: {', '.join(CONTROLS)}.")
        with self._context.collection(request) as collection:
            await run_in_threadpool(ask, collection.directory, do)
        return RedirectResponse(root_of(request.path_params["name"]) + "/monitor", 303)

    async def retrain(self, request: Request) -> Response:
        """Teach the judge the labels, here or in the running crawl, and show what changed."""
        await self._form(request)
        said = await run_in_threadpool(self._retrain, request)
        return RedirectResponse(f"{root_of(request.path_params['name'])}/labels?{urlencode(said)}", 303)

    def _retrain(self, request: Request) -> dict[str, str]:
        with self._context.collection(request) as collection:
            directory, is_learning = collection.directory, learns(collection)
        if not is_learning:
            answer = ask(directory, "labels-changed", 120.0)
            return {"said": "later" if not answer or not answer.get("ok") else "now"}
        try:
            done = relearn(directory, PATIENCE_S)
        except CollectionBusy:
            return {"said": "busy"}
        except LycosaError:
            return {"said": "now" if ask(directory, "status") else "later"}
        return {"learned": msgspec.json.encode(done).decode()}

    async def try_labels(self, request: Request) -> Response:
        """Preview what the judge would change with the labels."""
        await self._form(request)
        return await run_in_threadpool(self._try, request)

    def _try(self, request: Request) -> Response:
        with self._context.collection(request) as collection:
            return self._context.render(
                request,
                "trial.html",
                trial=tried(collection) if learns(collection) else None,
                running=ask(collection.directory, "status", 1.0) is not None,
                effect=effect_of_labels(collection.spec()),
            )

    async def undo(self, request: Request) -> Response:
        """Restore the previous version of the judge."""
        await self._form(request)
        said = await run_in_threadpool(self._undo, request)
        return RedirectResponse(f"{root_of(request.path_params['name'])}/labels?{urlencode(said)}", 303)

    def _undo(self, request: Request) -> dict[str, str]:
        with self._context.collection(request) as collection:
            directory = collection.directory
        try:
            return {"learned": msgspec.json.encode(undo(directory)).decode(), "undone": "1"}
        except CollectionBusy:
            return {"said": "running"}
        except LycosaError:
            return {"said": "first"}

    async def index(self, request: Request) -> Response:
        """Extract dates, places, names and texts in another process."""
        form = await self._form(request)
        with self._context.collection(request) as collection:
            if await run_in_threadpool(ask, collection.directory, "status", 1.0):
                raise HTTPException(
                    409, "A crawl is writing to this collection. Look through it when it has ended."
                )
            await run_in_threadpool(self._context.index_processes.start, collection.directory)
        return RedirectResponse(local_path(str(form.get("next", "/"))), 303)

    async def _form(self, request: Request) -> dict[str, Any]:
        form = dict(await request.form())
        if form.get("form_key") != self._context.keys.form_key():
            raise HTTPException(403, "This form is out of date. Go back, reload the page and try again.")
        return form
