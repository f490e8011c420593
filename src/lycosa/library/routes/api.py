"""The HTTP API of the library: JSON, described at /api/openapi.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa import __version__
from lycosa.collection.catalogue.page_filter import PageFilter
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.engine.watch.control import ask
from lycosa.errors import InputError
from lycosa.library.context import LibraryContext
from lycosa.library.routes.path_params import PAGE_ID
from lycosa.library.views import content
from lycosa.library.views.labelling import label_page
from lycosa.library.views.monitor import watched
from lycosa.library.views.search import (
    LAST_PAGE,
    ORDERS,
    RELEVANT,
    SearchQuery,
    page_filter_of,
    search_query_of,
)
from lycosa.methods.registry import facets
from lycosa.why import explain

URL_CHARS = 4000
_encode = msgspec.json.Encoder().encode
Handler = Callable[[Request, Collection], object]


def json_response(value: object, status: int = 200) -> Response:
    """Return a value as JSON."""
    return Response(_encode(value), status, media_type="application/json")


def search(request: Request, collection: Collection) -> object:
    """Pages that match words and conditions, best first, 20 at a time."""
    context: LibraryContext = request.state.context
    results = context.explored(collection, search_query_of(request.query_params)).results
    return {
        "total": results.total,
        "page": results.page,
        "near_misses": results.near_misses,
        "instead": results.instead,
        "hits": [{name: getattr(hit, name) for name in hit.__struct_fields__} for hit in results.hits],
    }


def page(request: Request, collection: Collection) -> object:
    """One page: text, metadata, evidence, reasons."""
    found = content.page(collection, request.path_params["id"])
    if found is None:
        raise HTTPException(404, "There is no such page in this collection.")
    return found


def about(_: Request, collection: Collection) -> object:
    """Heading and figures of the collection."""
    return content.about(collection)


def summary(_: Request, collection: Collection) -> object:
    """Key sentences, terms, places, sources and the time course."""
    return content.summary(collection)


def timeline(request: Request, collection: Collection) -> object:
    """Number of pages published on each day."""
    return collection.statistics.days(_wanted(request, collection))


def map_(request: Request, collection: Collection) -> object:
    """Places with coordinates and the number of pages that name them."""
    return collection.statistics.places(_wanted(request, collection), 2000, mapped=True)


def browse(request: Request, collection: Collection) -> object:
    """Values of a field with their number of pages."""
    field = request.path_params["field"]
    if field not in content.FIELDS:
        raise HTTPException(404, f"Known fields are: {', '.join(content.FIELDS)}.")
    return content.browse(collection, field, search_query_of(request.query_params))


def status(_: Request, collection: Collection) -> object:
    """Status of the crawl, live if it is running."""
    with watched(collection) as monitor:
        now = monitor.status()
        return {
            **now,
            "shards": monitor.shards(now),
            "troubles": monitor.not_taken(),
            "queue": monitor.queue(),
        }


def why(request: Request, collection: Collection) -> object:
    """Reasons for any URL: taken, refused, waiting or never discovered, with evidence and rule."""
    try:
        return explain(collection.directory, request.query_params.get("url", "")[:URL_CHARS].strip())
    except InputError as error:
        raise HTTPException(400, str(error)) from None


def labels(_: Request, collection: Collection) -> object:
    """Labels of people and assistants, newest first."""
    return list(labels_in(collection.directory).values())


READS: tuple[tuple[str, Handler, bool, str], ...] = (
    ("/c/{name}", about, False, "object"),
    ("/c/{name}/search", search, True, "object"),
    ("/c/{name}/page/" + PAGE_ID, page, False, "object"),
    ("/c/{name}/summary", summary, False, "object"),
    ("/c/{name}/timeline", timeline, True, "array"),
    ("/c/{name}/map", map_, True, "array"),
    ("/c/{name}/browse/{field}", browse, True, "array"),
    ("/c/{name}/status", status, False, "object"),
    ("/c/{name}/why", why, False, "object"),
    ("/c/{name}/labels", labels, False, "array"),
)
"""Path, handler, whether it takes the filters of a search, and the type of its answer."""
COMMANDS = ("pause", "resume", "stop", "labels-changed")


def routes(context: LibraryContext, *, changes: bool = True) -> list[Route]:
    """Return all routes below /api."""

    def opened(handler: Handler) -> Callable[[Request], Response]:
        def handle(request: Request, collection: Collection) -> Response:
            request.state.context = context
            return json_response(handler(request, collection))

        return context.opened(handle)

    def collections(_: Request) -> Response:
        return json_response(list(context.served.directories))

    async def label(request: Request) -> Response:
        asked = await _body(request)
        number, relevant = asked.get("id"), asked.get("relevant")
        if not isinstance(number, int) or relevant not in (True, False, None) or abs(number) > 2**62:
            raise HTTPException(
                400,
                'Send {"id": PAGE, "relevant": true, false or null}, and "asked": true for an answer to a question.',
            )
        is_answer = asked.get("asked") is True
        said = "clear" if relevant is None else "yes" if relevant else "no"

        def keep() -> None:
            with context.collection(request) as collection:
                label_page(collection, number, said, asked=is_answer)

        await run_in_threadpool(keep)
        return json_response({"ok": True})

    async def control(request: Request) -> Response:
        do = (await _body(request)).get("do")
        if do not in COMMANDS:
            raise HTTPException(400, 'Send {"do": "pause"}, "resume", "stop" or "labels-changed".')
        with context.collection(request) as collection:
            said = await run_in_threadpool(ask, collection.directory, do, 120.0)
        return json_response(said or {"ok": False, "error": "No crawl is running on this collection."})

    def described(_: Request) -> Response:
        return json_response(openapi())

    reads = [Route(path, opened(handler)) for path, handler, *_ in READS]
    writes = [
        Route("/c/{name}/label", label, methods=["POST"]),
        Route("/c/{name}/control", control, methods=["POST"]),
    ]
    return [
        Route("/openapi.json", described),
        Route("/collections", collections),
        *reads,
        *(writes if changes else ()),
    ]


def _wanted(request: Request, collection: Collection) -> PageFilter:
    return page_filter_of(search_query_of(request.query_params), collection.directory)


async def _body(request: Request) -> dict[str, Any]:
    try:
        return msgspec.json.decode(await request.body(), type=dict[str, Any])
    except (ValueError, RecursionError):  # msgspec's errors and wrong UTF-8 are ValueErrors
        raise HTTPException(400, "The body must be a JSON object.") from None


def openapi() -> dict[str, Any]:
    """Return the description of this API (OpenAPI 3.1)."""
    paths: dict[str, Any] = {
        "/api/collections": {"get": _described("The names of the collections.", [], "array")},
        "/api/openapi.json": {"get": _described("This description.", [], "object")},
    }
    for path, handler, filtered, kind in READS:
        plain = "/api" + path.replace(PAGE_ID, "{id}")
        given = [_in_path(part) for part in ("name", "id", "field") if f"{{{part}}}" in plain]
        asked = [_URL] if handler is why else []
        parameters = [*given, *asked, *(_filters() if filtered else [])]
        paths[plain] = {"get": _described(handler.__doc__ or "", parameters, kind)}
    label = {"id": {"type": "integer"}, "relevant": {"type": ["boolean", "null"]}}
    control = {"do": {"enum": list(COMMANDS)}}
    paths["/api/c/{name}/label"] = {
        "post": _change("Mark a page relevant or not; null takes it back.", label)
    }
    paths["/api/c/{name}/control"] = {"post": _change("Command the running crawl.", control)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Lycosa library", "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
    }


_URL = {"name": "url", "in": "query", "required": True, "schema": {"type": "string", "maxLength": URL_CHARS}}


def _filters() -> list[dict[str, Any]]:
    """Return the parameters of a search."""
    schemas: dict[str, dict[str, Any]] = {
        "page": {"type": "integer", "minimum": 1, "maximum": LAST_PAGE},
        "relevant": {"enum": list(RELEVANT), "default": "yes"},
        "order": {"enum": list(ORDERS), "default": "best"},
        "label": {"enum": ["yes", "no"]},
        "since": {"type": "string", "description": "A year, a month or a day: 2024, 2024-05, 2024-05-02."},
        "until": {"type": "string", "description": "A year, a month or a day, all of it included."},
        "entity": {"type": "string", "description": "A person or an organisation."},
    }
    return [
        {"name": name, "in": "query", "required": False, "schema": schemas.get(name, {"type": "string"})}
        for name in (*SearchQuery.__struct_fields__, *(facet.name for facet in facets()))
        if name != "categories"
    ]


def _described(words: str, parameters: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    wrong = {
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
    }
    said = {"application/json": {"schema": wrong}}
    return {
        "summary": words.splitlines()[0],
        "parameters": parameters,
        "responses": {
            "200": {"description": "As asked.", "content": {"application/json": {"schema": {"type": kind}}}},
            "401": {"description": "Without token or cookie."},
            **({"404": {"description": "Unknown.", "content": said}} if parameters else {}),
        },
    }


def _in_path(name: str) -> dict[str, Any]:
    schemas = {"id": {"type": "integer"}, "field": {"enum": list(content.FIELDS)}}
    return {"name": name, "in": "path", "required": True, "schema": schemas.get(name, {"type": "string"})}


def _change(words: str, properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    described = _described(words, [_in_path("name")], "object")
    described["responses"] |= {
        "400": {"description": "Not understood."},
        "403": {"description": "Asked by another site."},
    }
    return {**described, "requestBody": body}
