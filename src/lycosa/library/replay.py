"""Show archived pages on an origin of their own, without scripts.

Every response has a sandbox as its content security policy and loads only from the archive.
Links lead to the library, which shows the target with what is known of it.
The frame never navigates by itself.
(pywb rewrites pages so that scripts run; here they must not run, which is much simpler.)
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from urllib.parse import quote

from markupsafe import escape
from selectolax.lexbor import LexborHTMLParser, LexborNode
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from lycosa import urls
from lycosa.collection.archive.responses import archived
from lycosa.fetch.decode import decoded_body, decoded_text
from lycosa.library.access import AccessKeys, Origins
from lycosa.library.rate_limit import InTurn, Limited, RateLimit
from lycosa.library.served_collections import ServedCollections
from lycosa.page.parser_limits import HTML_CHARS, bounded
from lycosa.page.response import RENDERED
from lycosa.page.shadow_dom import with_shadow_trees
from lycosa.urls import URL_CHARS
from lycosa.values import Fetched, Refusal

MAX_BYTES = 20_000_000
REQUESTS_PER_MINUTE = 600
"""Limit of one client of a public library. A page may have a hundred images."""
_SHOWN = ("text/", "image/", "font/", "audio/", "video/", "application/font", "application/vnd.ms-fontobject")
# Possessive repetitions: linear time on any sheet.
_CSS_URL = re.compile(
    r"""url\(\s*+(?:"([^"]{1,2000}+)"|'([^']{1,2000}+)'|([^\s"'()]{1,2000}+))\s*+\)"""
    r"""|@import\s++(?:"([^"]{1,2000}+)"|'([^']{1,2000}+)')""",
    re.IGNORECASE,
)
PLACED_CHARS = 20_000_000
"""Limit of all URLs in one response: a long base and many short references must not fill the memory."""
_LINKS = {"a", "area"}
_CAPTURE = re.compile(r"@(\d{1,6})/")
_GONE = "script,base,object,embed,applet,iframe,frame,meta[http-equiv],noscript"

_NOT_HERE = """<!doctype html><meta charset="utf-8"><title>Not in this collection</title>
<style>body{{font:16px/1.5 Georgia,serif;max-width:34rem;margin:4rem auto;padding:0 1rem;color:#555}}code{{overflow-wrap:anywhere}}</style>
<h1>Not in this collection</h1><p><code>{}</code></p><p>{}</p>"""


def application(
    served: ServedCollections, keys: AccessKeys, origins: Origins, *, is_public: bool = False
) -> ASGIApp:
    """Return the application of the second port. `is_public`: any host name, with a rate limit."""
    replay = _Replay(served, keys, origins, is_public)
    app = Starlette(
        routes=[Route("/{key}/{name}/{url:path}", replay.page), Route("/{rest:path}", replay.nothing)]
    )
    return Limited(InTurn(app), RateLimit(REQUESTS_PER_MINUTE)) if is_public else app


class _Replay:
    def __init__(
        self, served: ServedCollections, keys: AccessKeys, origins: Origins, is_public: bool
    ) -> None:
        self._served = served
        self._is_public = is_public
        self._key = keys.replay_key()
        self._origins = origins

    def page(self, request: Request) -> Response:
        """Show an archived response."""
        host = request.headers.get("host", "")
        if not self._is_public and not self._origins.knows(host, self._origins.replay_port):
            return self._sealed(PlainTextResponse("This is not the address of this library.\n", 421), host)
        name, asked = request.path_params["name"], _asked(request)
        if not hmac.compare_digest(request.path_params["key"].encode(), self._key.encode()):
            return self._sealed(PlainTextResponse("Not found.\n", 404), host)
        if name not in self._served.directories or asked is None:
            return self._sealed(PlainTextResponse("Not found.\n", 404), host)
        capture, url = asked
        with self._served.open(name) as collection:
            found = archived(collection, url, MAX_BYTES, capture=capture)
        if isinstance(found, str):
            return self._sealed(HTMLResponse(_NOT_HERE.format(escape(url), escape(found)), 404), host)
        return self._sealed(
            _shown(
                found,
                lambda target: f"/{self._key}/{name}/{quote(target, safe=_SAFE)}",
                lambda target: f"{self._library(host)}/c/{quote(name)}/archived?url={quote(target, safe='')}",
            ),
            host,
        )

    def nothing(self, request: Request) -> Response:
        """Refuse any other path."""
        return self._sealed(PlainTextResponse("Not found.\n", 404), request.headers.get("host", ""))

    def _library(self, host: str) -> str:
        """Return the library's origin for a client with this Host header."""
        return self._origins.replay_origin(host).rpartition(":")[0] + f":{self._origins.port}"

    def _sealed(self, answer: Response, host: str) -> Response:
        own, app = self._origins.replay_origin(host), self._library(host)
        answer.headers["Content-Security-Policy"] = (
            # A click may navigate to our rewritten links; the page may not by itself.
            "sandbox allow-top-navigation-by-user-activation; default-src 'none'; "
            f"img-src {own} data:; style-src {own} 'unsafe-inline'; font-src {own} data:; media-src {own}; "
            f"form-action 'none'; base-uri 'none'; frame-ancestors {app}"
        )
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Referrer-Policy"] = "no-referrer"
        # The sandbox makes the page a unique origin, also for its own images; the key protects them.
        answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        answer.headers["Cache-Control"] = "no-store"
        return answer


# Browsers require this for fonts, because the sandbox makes every archived page another origin.
_ANY_ORIGIN = {"Access-Control-Allow-Origin": "*"}
_SAFE = "/:?&=+,;@!$'()*~%#[]"


def _asked(request: Request) -> tuple[int | None, str] | None:
    """Return the capture, if the path names one, and the URL with its query."""
    raw = request.scope.get("raw_path", b"").decode("latin-1")
    parts = raw.split("?", 1)[0].split("/", 3)
    query = request.scope["query_string"].decode("latin-1")
    url = (parts[3] if len(parts) > 3 else "") + (f"?{query}" if query else "")
    chosen = _CAPTURE.match(url)
    found = urls.parse(url[chosen.end() :] if chosen else url) if len(url) <= 8000 else None
    return (int(chosen[1]) if chosen else None, found) if found else None


Place = Callable[[str], str]
"""Returns the address of a URL on a page."""


def _shown(fetched: Fetched, place: Place, follow: Place) -> Response:
    """Return a response for the browser: HTML and stylesheets rewritten, unknown types as downloads."""
    body = fetched.rendered or decoded_body(fetched, MAX_BYTES)
    if isinstance(body, Refusal):
        return PlainTextResponse(f"The archived body cannot be shown: {body}\n", 502)
    said = RENDERED if fetched.rendered else fetched.header("content-type")
    kind = said.split(";")[0].strip().lower()
    url = fetched.link.url
    if kind in ("text/html", "application/xhtml+xml", ""):
        text = decoded_text(body, said)[0][:HTML_CHARS]
        return HTMLResponse(rewritten_html(text, url, place, follow))
    if kind == "text/css":
        css = decoded_text(body, said)[0][:HTML_CHARS]
        return Response(rewritten_css(css, url, place), media_type="text/css")
    if kind.startswith(_SHOWN) and re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind):
        return Response(
            body,
            headers={**_ANY_ORIGIN, "Content-Type": said if said.isprintable() and said.isascii() else kind},
        )
    headers = {**_ANY_ORIGIN, "Content-Disposition": "attachment"}
    return Response(body, media_type="application/octet-stream", headers=headers)


def rewritten_html(text: str, url: str, place: Place, follow: Place) -> str:
    """Return a page without scripts and frames. Its resources come from `place`, its links lead to `follow`."""
    tree = LexborHTMLParser(bounded(with_shadow_trees(text)))
    place, follow = _bounded(place), _bounded(follow)
    base = url
    if (node := tree.css_first("base[href]")) is not None:
        said = urls.join(url, node.attributes.get("href") or "")
        base = said if said and len(said) <= URL_CHARS else url
    for node in tree.css(_GONE):
        node.decompose()
    for node in tree.css("*"):
        _rewrite_node(node, base, place, follow)
    return "<!doctype html>" + (tree.html or "")


def _rewrite_node(node: LexborNode, base: str, place: Place, follow: Place) -> None:
    if node.tag == "style":
        sheet = node.text()
        if "url(" in sheet.lower() or "@import" in sheet.lower():
            node.inner_html = _css(sheet, base, place).replace("</", "<\\/")
        return
    for name, value in list(node.attributes.items()):
        low = name.lower()
        if low.startswith("on") or low in ("ping", "integrity", "nonce", "target", "srcdoc"):
            del node.attrs[name]
        elif low == "style" and value:
            node.attrs[name] = _css(value, base, place)
        elif low == "srcset" and value:
            node.attrs[name] = ", ".join(_candidate(one, base, place) for one in value.split(",")[:30])
        elif low in ("href", "xlink:href") and node.tag in _LINKS:
            # data: URLs are shown, never followed.
            is_inside = (value or "").lstrip()[:5].lower() == "data:"
            node.attrs[name] = "#" if is_inside else _address(value or "", base, follow)
        elif low in ("src", "poster", "background", "xlink:href") or (low == "href" and node.tag == "link"):
            node.attrs[name] = _address(value or "", base, place)
        elif low in ("href", "action", "formaction", "data", "code"):
            del node.attrs[name]
    if node.tag in _LINKS:
        node.attrs["target"] = "_self" if (node.attributes.get("href") or "#")[0] == "#" else "_top"


def _candidate(text: str, base: str, place: Place) -> str:
    url, _, size = text.strip().partition(" ")
    return f"{_address(url, base, place)} {size}".strip()


def _address(value: str, base: str, place: Place) -> str:
    if value.startswith("#"):
        return value
    if value[:11].lower().startswith("data:image/"):
        return value
    target = urls.join(base, value)
    return place(target) if target else "#"


def rewritten_css(css: str, base: str, place: Place) -> str:
    """Return a stylesheet whose URLs lead into the archive."""
    return _css(css, base, _bounded(place))


def _css(css: str, base: str, place: Place) -> str:
    def one(match: re.Match[str]) -> str:
        address = _address(match[match.lastindex or 0].strip(), base, place)
        return f'@import "{address}"' if match[0][0] == "@" else f'url("{address}")'

    return _CSS_URL.sub(one, css)


def _bounded(place: Place) -> Place:
    """Limit the length of all returned addresses to PLACED_CHARS."""
    room = PLACED_CHARS

    def bounded_place(target: str) -> str:
        nonlocal room
        if room < 0:
            return "#"
        found = place(target)
        room -= len(found)
        return found

    return bounded_place
