"""Serve the library on two ports, the application and archived pages, until interrupted."""

from __future__ import annotations

import asyncio
import errno
import math
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from lycosa.errors import InputError, SpecError
from lycosa.library import app, replay
from lycosa.library.access import AccessKeys, Origins, is_loopback, new_access_keys
from lycosa.library.connections import ImpatientProtocol
from lycosa.library.served_collections import ServedCollections
from lycosa.values import Say

LAST_PORT = 65_535
QUERY_S = 2.0
"""CPU time that the queries of a request may use in a public library."""
CONNECTIONS = 200
"""Connections and requests at once; uvicorn refuses more with 503."""
PUBLIC_CONNECTIONS = 2_000
"""The same of a public library, where a waiting request costs little (`rate_limit.InTurn`)."""


def serve(
    directories: Sequence[Path],
    *,
    host: str,
    port: int,
    password: str,
    say: Say,
    is_public: bool = False,
) -> None:
    """Serve collections until interrupted. Other machines need a password, or read-only access."""
    if is_public and password:
        raise SpecError("--public is for everybody: leave --password out, or --public.")
    if not is_loopback(host) and not password and not is_public:
        raise SpecError(
            f"Binding {host} opens the library to other machines: set a password with --password, publish it to read "
            "with --public, or leave --host out."
        )
    if not 0 <= port <= LAST_PORT:
        raise SpecError(f"--port {port}: ports go from 1 to {LAST_PORT}, and 0 takes any that is free.")
    served = ServedCollections(directories, QUERY_S if is_public else math.inf)
    main, second = _bound(host, port), _bound(host, port + 1 if 0 < port < LAST_PORT else 0, or_any=True)
    origins = Origins(host, main.getsockname()[1], second.getsockname()[1])
    keys = new_access_keys(password)
    say(
        f"The library: {address(origins, keys) if not is_public else address(origins, keys).partition('?')[0]}"
    )
    if is_public:
        say("Everybody who can reach it may read it; nobody can change anything.")
    elif not is_loopback(host):
        say("Other machines can reach it, by its password. The connection is not encrypted.")
    say("Ctrl-C ends it.")
    closing = threading.Event()
    library = app.application(served, keys, origins, is_public=is_public, closing=closing)
    archived = replay.application(served, keys, origins, is_public=is_public)
    limit = PUBLIC_CONNECTIONS if is_public else CONNECTIONS
    asyncio.run(_run([(library, main), (archived, second)], closing, limit))


def address(origins: Origins, keys: AccessKeys) -> str:
    """Return the address for the browser."""
    name = "127.0.0.1" if origins.host in ("0.0.0.0", "::") else origins.host  # noqa: S104 - compared, not bound
    return f"http://{f'[{name}]' if ':' in name else name}:{origins.port}/?token={keys.token}"


class _Server(uvicorn.Server):
    """Ends event streams before it closes."""

    def __init__(self, config: uvicorn.Config, closing: threading.Event) -> None:
        super().__init__(config)
        self._closing = closing

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._closing.set()
        super().handle_exit(sig, frame)


async def _run(
    applications: Sequence[tuple[ASGIApp, socket.socket]], closing: threading.Event, limit: int
) -> None:
    servers = [(_Server(_config(application, limit), closing), bound) for application, bound in applications]
    tasks = [asyncio.ensure_future(server.serve(sockets=[bound])) for server, bound in servers]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for server, _ in servers:
            server.should_exit = True
        await asyncio.gather(*tasks, return_exceptions=True)


def _config(application: ASGIApp, limit: int) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        http=ImpatientProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limit,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=32_768,
    )


def _bound(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    try:
        bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:  # no IPv6 on this machine
        raise _unusable(host, error) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)  # clients that connect at once wait
    except OSError as error:
        bound.close()
        if or_any:
            return _bound(host, 0)
        if error.errno == errno.EADDRINUSE:
            raise InputError(
                f"Port {port} of {host} is in use, perhaps by another `lycosa serve`. "
                "End that, or choose another port: --port 0 takes any that is free."
            ) from None
        if error.errno == errno.EACCES:
            raise InputError(
                f"Port {port} is for the system's own services. Choose one above 1023 with --port."
            ) from None
        raise _unusable(host, error) from None
    return bound


def _unusable(host: str, error: OSError) -> InputError:
    return InputError(
        f"{host} cannot be used ({error.strerror}). Name an address of this machine with --host."
    )
