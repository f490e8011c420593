"""Show a crawl as it runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lycosa.collection.collection import Collection
from lycosa.library.context import LibraryContext
from lycosa.library.views.monitor import watched, windowed
from lycosa.report.charts.line_chart import line_chart

EVENTS_EVERY_S = 1.0
"""Seconds between updates of the monitor."""


class MonitorRoutes:
    """Handlers of the monitor and its event stream."""

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        """Return the routes of the monitor."""
        return [
            Route("/c/{name}/monitor", self._context.opened(self.monitor)),
            Route("/c/{name}/monitor/events", self.stream),
        ]

    def monitor(self, request: Request, collection: Collection) -> Response:
        """Show the monitor."""
        return self._drawn(request, collection, "monitor.html")

    def what_changes(self, request: Request, collection: Collection) -> Response:
        """Show the part of the monitor that changes."""
        return self._drawn(request, collection, "monitor_live.html")

    async def stream(self, request: Request) -> Response:
        """Stream the changing part of the monitor, until the reader or the library closes."""
        with self._context.collection(request):
            pass  # refuse unknown names
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._changes(request), media_type="text/event-stream", headers=headers)

    async def _changes(self, request: Request) -> AsyncIterator[str]:
        draw, known = self._context.opened(self.what_changes), ""
        while True:
            text = bytes((await run_in_threadpool(draw, request)).body).decode()
            yield (
                ":\n\n" if text == known else "".join(f"data: {line}\n" for line in text.splitlines()) + "\n"
            )
            known = text
            if self._context.closing.is_set():
                return
            await asyncio.sleep(EVENTS_EVERY_S)

    def _drawn(self, request: Request, collection: Collection, template: str) -> Response:
        with watched(collection) as monitor:
            now = monitor.status()
            curve, hosts = monitor.harvest_curve(120), monitor.queue()
            shards = monitor.shards(now)
            return self._context.render(
                request,
                template,
                status=now,
                lately=monitor.lately(now),
                shards=shards,
                busiest=max((shard.pages for shard in shards), default=0),
                curve=line_chart(
                    {"the last 100": windowed(curve), "all": [(float(n), good / n) for n, good in curve]},
                    "pages",
                    "share kept",
                    y_max=1.0,
                ),
                speed=line_chart(
                    {"speed": monitor.speed_curve()}, "seconds of the last run", "pages per second"
                ),
                hosts=hosts,
                largest=max((host.waiting for host in hosts), default=1),
                not_taken=monitor.not_taken(),
                now=time.time(),
            )
