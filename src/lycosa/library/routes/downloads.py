"""Download the pages of a search as a file."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from lycosa.collection.catalogue.page_filter import PageFilter
from lycosa.collection.exports.writers import WRITERS, writer_for
from lycosa.errors import InputError
from lycosa.library.context import LibraryContext
from lycosa.library.views.search import page_filter_of, search_query_of

MATCHED = 40_000
"""Maximum number of pages of a search by words: their keys are in one SQL statement."""
MEDIA = {
    ".csv": "text/csv; charset=utf-8",
    ".jsonl": "application/jsonl",
    ".parquet": "application/vnd.apache.parquet",
    ".wacz": "application/wacz",
}


class Downloads:
    """Handlers of downloads."""

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        """Return the routes of downloads."""
        return [Route("/c/{name}/download/{ending}", self.download)]

    def download(self, request: Request) -> Response:
        """Send the pages of a search as CSV, JSON lines, Parquet or WACZ."""
        ending = "." + request.path_params["ending"]
        if ending not in WRITERS:
            raise HTTPException(404, f"Pages can be downloaded as {', '.join(one[1:] for one in WRITERS)}.")
        with self._context.collection(request) as collection:
            directory, wanted = collection.directory, self._wanted(request)
        folder = tempfile.TemporaryDirectory(prefix="lycosa-")
        try:
            out = Path(folder.name) / f"{request.path_params['name']}{ending}"
            writer_for(out)(directory, out, wanted)
        except InputError as error:  # a package that is not installed
            folder.cleanup()
            raise HTTPException(501, str(error)) from None
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(
            out, media_type=MEDIA.get(ending), filename=out.name, background=BackgroundTask(folder.cleanup)
        )

    def _wanted(self, request: Request) -> PageFilter:
        query = search_query_of(request.query_params)
        with self._context.collection(request) as collection:
            wanted = page_filter_of(query, collection.directory)
            if not query.q:
                return wanted
            facets, ground = self._context.facets(collection), self._context.ground(collection)
            matching = collection.search.matching(collection.search.understood(query.q, ground.languages))
            keys = facets.keys(wanted, facets.rows_of(matching if matching is not None else ()))
        if len(keys) > MATCHED:
            raise HTTPException(
                400,
                f"{len(keys):,} pages match, and at most {MATCHED:,} that are found by words are handed over at once. "
                "Narrow the search, by years for instance.",
            )
        return msgspec.structs.replace(wanted, keys=tuple(keys))
