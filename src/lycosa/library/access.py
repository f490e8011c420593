"""Control access: token, password, Host and Origin checks, and security headers.

Starlette's
TrustedHostMiddleware ignores ports and IP addresses, so Host is checked here.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
import time
from urllib.parse import urlencode, urlsplit

import msgspec
from markupsafe import escape
from starlette.datastructures import URL, Headers, MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lycosa.library.rate_limit import RateLimit

OPEN_PATHS = ("/login", "/static/")
COOKIE_DAYS = 30
TRIES_PER_MINUTE = 10
BODY_BYTES = 65_536
REQUESTS_PER_MINUTE = 240
"""Limit of one client of a public library."""
FRESH_S = 60
"""Seconds that caches may keep a page of a public library."""


class AccessKeys(msgspec.Struct, frozen=True):
    """The secrets of one running library."""

    token: str
    password: str = ""

    def form_key(self) -> str:
        """Return the key in our forms, which no other site can know."""
        return self._derived("form")

    def replay_key(self) -> str:
        """Return the first part of the path of every archived page, because its origin has no cookie."""
        return self._derived("replay")

    def session(self) -> str:
        """Return the value of the cookie, which does not reveal the token."""
        return self._derived("session")

    def opens(self, session: str) -> bool:
        """Return whether this is a valid cookie."""
        return hmac.compare_digest(session.encode(), self.session().encode())

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def new_access_keys(password: str = "") -> AccessKeys:
    """Return new secrets."""
    return AccessKeys(secrets.token_urlsafe(24), password)


class Origins(msgspec.Struct, frozen=True):
    """Where the library is bound, and so its valid host names."""

    host: str
    port: int
    replay_port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        return is_loopback(self.host)

    def knows(self, host_header: str, port: int) -> bool:
        """Return whether a Host header names the library. A rebound DNS name does not."""
        name, given = split_host(host_header)
        if given != port:
            return False
        if self.is_loopback:
            return is_loopback(name)
        if name in (self.host, socket.gethostname().lower()) or is_loopback(name):
            return True
        return _is_any(self.host) and _is_address(name)

    def replay_origin(self, host_header: str) -> str:
        """Return the origin of archived pages for a client with this Host header."""
        name, _ = split_host(host_header)
        return f"http://{f'[{name}]' if ':' in name else name}:{self.replay_port}"


def is_loopback(name: str) -> bool:
    """Return whether a host name or address is a loopback one.

    >>> [is_loopback(name) for name in ("127.0.0.1", "localhost", "::1", "evil.test", "0.0.0.0")]
    [True, True, True, False, False]
    """
    if name == "localhost":
        return True
    return _is_address(name) and ipaddress.ip_address(name).is_loopback


def split_host(header: str) -> tuple[str, int]:
    """Return name and port of a Host header; ('', 0) if it is invalid.

    >>> split_host("[::1]:8765"), split_host("localhost"), split_host("a:b:c")
    (('::1', 8765), ('localhost', 80), ('', 0))
    """
    try:
        parts = urlsplit("//" + header)
        return (parts.hostname or "", parts.port or 80) if not parts.path else ("", 0)
    except ValueError:
        return "", 0


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_any(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_unspecified


class AccessControl:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, keys: AccessKeys, origins: Origins, *, is_public: bool = False) -> None:
        """`is_public`: everybody may read, at a limited rate, and nobody may change anything."""
        self._is_public = is_public
        self._limit = RateLimit(REQUESTS_PER_MINUTE)
        self._app = app
        self._keys = keys
        self._origins = origins
        self._tries: list[float] = []
        self.cookie = f"lycosa-{origins.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refused(scope, headers)
        if answer is None:
            await self._app(scope, _capped(receive), self._guarded(send, headers))
        else:
            await answer(scope, receive, self._guarded(send, headers))

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        if self._is_public:
            return self._refused_in_public(scope)
        if not self._origins.knows(headers.get("host", ""), self._origins.port):
            return PlainTextResponse("This is not the address of this library.\n", 421)
        if _from_elsewhere(scope, headers):
            return PlainTextResponse("Requests from other sites are refused.\n", 403)
        if scope["method"] not in ("GET", "HEAD") and not self._is_own(headers):
            return PlainTextResponse(
                "This form was not sent by the library itself. Go back and reload.\n", 403
            )
        path, query = scope["path"], QueryParams(scope["query_string"])
        if token := query.get("token"):
            return self._by_token(scope, token)
        if path.startswith(OPEN_PATHS) or self._may_enter(headers):
            return None
        if path.startswith("/c/") and path.endswith("/archived") and _is_led_here(scope, headers):
            # Links of an archived page, which has no origin, bring no cookie; a reload from our own page does.
            return HTMLResponse(_AGAIN.format(escape(local_path(URL(scope=scope)))))
        if self._keys.password and "text/html" in headers.get("accept", ""):
            return RedirectResponse("/login?" + urlencode({"next": path}), 303)
        return PlainTextResponse(
            "Open the address that `lycosa serve` printed: it carries the token that opens this library.\n",
            401,
        )

    def _refused_in_public(self, scope: Scope) -> Response | None:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("This library is read-only.\n", 405)
        return self._limit.refusal(scope)

    def _by_token(self, scope: Scope, token: str) -> Response:
        if not hmac.compare_digest(token.encode(), self._keys.token.encode()):
            return PlainTextResponse(
                "This token is not valid (any more). Use the address that was printed last.\n", 401
            )
        answer = RedirectResponse(local_path(URL(scope=scope).remove_query_params("token")), 303)
        self.admit(answer)
        return answer

    def admit(self, answer: Response) -> None:
        """Set the cookie that opens the library."""
        answer.set_cookie(
            self.cookie,
            self._keys.session(),
            max_age=COOKIE_DAYS * 86_400,
            httponly=True,
            samesite="strict",
            path="/",
        )

    def check_password(self, password: str) -> bool | None:
        """Return whether a password is right; None after too many attempts."""
        now = time.monotonic()
        self._tries = [at for at in self._tries if now - at < 60]
        if len(self._tries) >= TRIES_PER_MINUTE:
            return None
        self._tries.append(now)
        return bool(self._keys.password) and hmac.compare_digest(
            password.encode(), self._keys.password.encode()
        )

    def _may_enter(self, headers: Headers) -> bool:
        cookies = cookie_parser(headers.get("cookie", ""))
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        return self._keys.opens(cookies.get(self.cookie, "")) or hmac.compare_digest(
            bearer.encode(), self._keys.token.encode()
        )

    def _is_own(self, headers: Headers) -> bool:
        """Return whether a change comes from our own pages, or from a program with the token."""
        origin = headers.get("origin")
        if origin is not None:
            # https: a proxy may add it, and passes on the same Host.
            return origin in {f"{scheme}://{headers.get('host', '')}" for scheme in ("http", "https")}
        return headers.get("sec-fetch-site") == "same-origin" or "authorization" in headers

    def _guarded(self, send: Send, asked: Headers) -> Send:
        frame = self._origins.replay_origin(asked.get("host", ""))
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; "
            f"img-src 'self'; form-action 'self'; frame-src {frame}; base-uri 'none'; frame-ancestors 'none'"
        )

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = policy
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
                headers["Cross-Origin-Resource-Policy"] = "same-origin"
                is_good = self._is_public and message["status"] < 400
                headers.setdefault("Cache-Control", f"public, max-age={FRESH_S}" if is_good else "no-store")
            await send(message)

        return guarded


def local_path(url: URL | str) -> str:
    """Return the path and query of a URL; '/' if it leads to another site.

    >>> local_path("//evil.test/x"), local_path("/c/owls/?q=a"), local_path("https://evil.test")
    ('/', '/c/owls/?q=a', '/')
    """
    parts = urlsplit(str(url))
    text = str(url)
    if isinstance(url, URL):
        text = parts.path + (f"?{parts.query}" if parts.query else "")
    plain = (
        text.startswith("/")
        and not text.startswith(("//", "/\\"))
        and text.isprintable()
        and "\\" not in text
    )
    return text if plain else "/"


def _from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """Return whether another origin's page sends the request, except by a link."""
    if headers.get("sec-fetch-site") not in ("cross-site", "same-site"):
        return False
    return not _is_led_here(scope, headers)


def _is_led_here(scope: Scope, headers: Headers) -> bool:
    """Return whether a reader follows a link of another origin's page."""
    is_navigation = (
        headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )
    return (
        is_navigation
        and scope["method"] == "GET"
        and headers.get("sec-fetch-site") in ("cross-site", "same-site")
    )


_AGAIN = (
    '<!doctype html><meta charset="utf-8"><title>Lycosa</title><meta http-equiv="refresh" content="0;url={}">'
)


def _capped(receive: Receive) -> Receive:
    """Limit the body of a request."""
    received = 0

    async def capped() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > BODY_BYTES:
            raise HTTPException(413, f"More than {BODY_BYTES:,} bytes.")
        return message

    return capped
