"""A page in the browser reaches nothing that our fetcher would not reach for it, by whatever way it tries."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from lycosa.collection.archive.responses import response_of
from lycosa.collection.collection import Collection
from lycosa.testing import Pages, Site, html, redirect, text
from lycosa.urls import key_of
from tests.browsers import needs_browser, rendering
from tests.crawling import crawl, refusal_of, spec_text

HOSTILE = """<!doctype html><title>Hostile</title>
<link rel="prefetch" href="{inner}/prefetch"><link rel="preload" as="script" href="{inner}/preload.js">
<link rel="preconnect" href="{inner}"><link rel="dns-prefetch" href="{inner}"><link rel="stylesheet" href="{inner}/style.css">
<script type="speculationrules">{{"prefetch": [{{"urls": ["{inner}/speculated"]}}]}}</script>
<iframe src="{inner}/frame"></iframe><iframe src="file:///etc/passwd"></iframe><iframe src="/jump"></iframe>
<object data="{inner}/object"></object><embed src="{inner}/embed"><video src="{inner}/video" autoplay></video>
<audio src="{inner}/audio" preload="auto"></audio><img src="{inner}/image"><script src="{inner}/script.js"></script>
<form id="form" method="post" action="/posted" target="hidden"></form><iframe name="hidden"></iframe>
<ol id="tried"></ol><script>
const note = (what) => tried.insertAdjacentHTML("beforeend", `<li>${{what}}</li>`);
const attempt = async (name, way) => {{
  try {{ note(`${{name}}: ${{await Promise.race([way(), new Promise((_, no) => setTimeout(no, 4000, "silence"))])}}`); }}
  catch (error) {{ note(`${{name}} failed`); }}
}};
const inWorker = (source) => new Promise((yes, no) => {{
  const worker = new Worker(URL.createObjectURL(new Blob([source])));
  worker.onmessage = (event) => event.data === "reached" ? yes("REACHED") : no();
  worker.onerror = no;
}});
const socketTo = (url) => new Promise((yes, no) => {{
  const line = new WebSocket(url); line.onopen = () => yes("REACHED"); line.onerror = no;
}});
const ask = async (url, options) => {{ const r = await fetch(url, options); return r.ok ? "REACHED" : r.status; }};
Promise.all([
  attempt("fetch", () => ask("{inner}/fetch")),
  attempt("by name", () => ask("http://inner.example/", {{mode: "no-cors"}})),
  attempt("redirect", () => ask("/jump")),
  attempt("post", () => ask("/posted", {{method: "POST", body: "x"}})),
  attempt("delete", () => ask("/deleted", {{method: "DELETE"}})),
  attempt("ftp", () => ask("ftp://127.0.0.1/")),
  attempt("file", () => ask("file:///etc/passwd")),
  attempt("beacon", async () => {{ navigator.sendBeacon("/beacon", "x"); navigator.sendBeacon("{inner}/beacon", "x"); throw 0; }}),
  attempt("socket", () => socketTo("ws://127.0.0.1:{port}/socket")),
  attempt("own socket", () => socketTo("ws://evil.test/socket")),
  attempt("secure socket", () => socketTo("wss://evil.test/socket")),
  attempt("events", () => new Promise((yes, no) => {{ const e = new EventSource("{inner}/events"); e.onopen = () => yes("REACHED"); e.onerror = no; }})),
  attempt("worker", () => inWorker(`fetch("{inner}/worker", {{mode: "no-cors"}}).then(r => postMessage(r.ok ? "reached" : "not"), () => postMessage("not"))`)),
  attempt("worker socket", () => inWorker(`new WebSocket("ws://127.0.0.1:{port}/w").onerror = () => postMessage("not")`)),
  attempt("service worker", async () => {{ await navigator.serviceWorker.register("/sw.js"); return "REACHED"; }}),
  attempt("webrtc", async () => {{
    const peer = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{udp}"}}]}});
    peer.createDataChannel("x"); await peer.setLocalDescription(await peer.createOffer());
    await new Promise((yes) => setTimeout(yes, 2000)); return "REACHED";
  }}),
  attempt("webtransport", async () => {{ await new WebTransport("https://127.0.0.1:{port}/").ready; return "REACHED"; }}),
  attempt("form", async () => {{ form.submit(); throw 0; }}),
  attempt("window", async () => {{ if (window.open("{inner}/window")) return "REACHED"; throw 0; }}),
]).then(() => note("all tried"));
</script>"""


@contextlib.contextmanager
def listening() -> Iterator[tuple[int, int, list[str]]]:
    """A TCP and a UDP port of this machine, and whoever has spoken to them."""
    heard: list[str] = []
    tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                heard.append(f"tcp from {tcp.accept()[1]}")

    def receive() -> None:
        with contextlib.suppress(OSError):
            while (packet := udp.recvfrom(2000))[1] is not None:  # None: it was shut down
                heard.append(f"udp {packet!r}")

    for listen in (accept, receive):
        threading.Thread(target=listen, daemon=True).start()
    try:
        yield tcp.getsockname()[1], udp.getsockname()[1], heard
    finally:
        for one in (tcp, udp):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@needs_browser
def test_nothing_reaches_the_network_beside_our_fetcher(tmp_path: Path) -> None:
    """Scripts, workers, sockets, beacons, prefetches, frames, redirects, other schemes and WebRTC: each was tried, and none got through."""
    with listening() as (port, udp, heard):
        inner = f"http://127.0.0.1:{port}"
        web: Pages = {
            "/": html(HOSTILE.format(inner=inner, port=port, udp=udp)),
            "/jump": redirect(f"{inner}/jumped"),
            "/sw.js": text("", "text/javascript"),
            "/robots.txt": text(""),
            "/posted": html("posted"),
        }
        with Site(web) as site:
            connect = {**site.connect_to, "inner.example": f"127.0.0.1:{port}"}
            spec = spec_text(site, ["http://evil.test/"], fetch=rendering(connect_to=connect))
            crawl(spec, tmp_path / "out")
            asked = [(seen.method, seen.target) for seen in site.log]
        with Collection.open(tmp_path / "out") as collection:
            stored = collection.reader.page(key_of("http://evil.test/"))
            assert stored is not None
            fetched = response_of(collection, stored)
        assert fetched is not None
        document = fetched.rendered.decode()
    assert "all tried" in document
    assert "REACHED" not in document.partition('id="tried"')[2].partition("<script>")[0]
    assert heard == []
    assert {method for method, _ in asked} == {"GET"}
    assert {target for _, target in asked} <= {"/robots.txt", "/", "/jump"}
    for path in ("/fetch", "/frame", "/script.js", "/jumped", "/worker", "/events"):
        assert refusal_of(tmp_path / "out", f"{inner}{path}") == "PRIVATE_ADDRESS", path
    assert refusal_of(tmp_path / "out", "http://inner.example/") == "PRIVATE_ADDRESS"
