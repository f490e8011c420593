"""Serve an archived web on loopback as a forward proxy, so that any crawler sees the original host names.

Prints its port. URLs that are not in the archive answer 404. The file COUNTED grows by a byte with every request.

Command line: python -m research.peers.proxy ../shared/webs/wikischools COUNTED
Expected time: until it is stopped; ten seconds to read the archive.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from aiohttp import web

from lycosa.urls import key_of
from lycosa.values import Fetched, Link
from lycosa_lab.webs.web import VirtualWeb

PASSED_ON = ("content-type", "location")
"""Headers of the archived response that are kept; the others describe another connection."""


def application(archived: VirtualWeb, counted: Path) -> web.Application:
    """Answer each request with the archived response, and count it."""

    async def answer(request: web.Request) -> web.Response:
        with counted.open("ab") as file:
            file.write(b".")
        url = request.raw_path if request.raw_path.startswith("http") else str(request.url)
        fetched = await archived.archive.fetch(Link(url, key_of(url, archived.folding)))
        if not isinstance(fetched, Fetched):
            return web.Response(status=404, text="not archived")
        headers = {name: value for name, value in fetched.headers if name.lower() in PASSED_ON}
        return web.Response(status=fetched.status, body=fetched.body, headers=headers)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    return app


async def serve(archived: VirtualWeb, counted: Path) -> None:
    """Serve until stopped, and print the port."""
    archived.archive.keys()  # read before the first request
    runner = web.AppRunner(application(archived, counted), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(VirtualWeb.open(Path(sys.argv[1])), Path(sys.argv[2])))
