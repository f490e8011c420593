"""A proxy on loopback that misbehaves. In: a local web. Out: its pages, through connections that break."""

from __future__ import annotations

import socket
import socketserver
import threading
from types import TracebackType
from typing import cast
from urllib.parse import urlsplit


class DroppingProxy:
    """An HTTP proxy (no TLS) while the `with` block lasts. It drops connections that it seemed to keep.

    The second request on a connection is passed on to the server; then the connection is closed
    without a byte of answer, as proxies do whose own connection to the server has died.
    """

    def __init__(self, port: int) -> None:
        """`port`: where the local web listens that answers for every host."""
        self.dropped = 0
        self._server = _Server(("127.0.0.1", 0), _Client)
        self._server.proxy, self._server.site_port = self, port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The setting `fetch.proxy` that leads here."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> DroppingProxy:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False  # clients that keep their connections would be waited for
    proxy: DroppingProxy
    site_port: int


class _Client(socketserver.StreamRequestHandler):
    """One connection of a client: one request is answered, the next one only passed on."""

    def handle(self) -> None:
        server = cast(_Server, self.server)
        if head := self._read_head():
            self.wfile.write(_passed_on(head, server.site_port))
        if head and (second := self._read_head()):
            server.proxy.dropped += 1
            _passed_on(second, server.site_port)

    def _read_head(self) -> bytes:
        head = b""
        try:
            while (line := self.rfile.readline()) not in (b"", b"\r\n"):
                head += line
        except ConnectionError:
            return b""
        return head if line else b""


def _passed_on(head: bytes, port: int) -> bytes:
    """The answer of the web to a request whose target is a whole URL."""
    line, _, headers = head.partition(b"\r\n")
    method, url, version = line.split(b" ")
    parts = urlsplit(url.decode("latin-1"))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [name for name in headers.split(b"\r\n") if name and not name.lower().startswith(b"connection:")]
    request = b"\r\n".join(
        [b" ".join((method, target.encode("latin-1"), version)), *kept, b"Connection: close"]
    )
    with socket.create_connection(("127.0.0.1", port)) as to_site:
        to_site.sendall(request + b"\r\n\r\n")
        return b"".join(iter(lambda: to_site.recv(65_536), b""))
