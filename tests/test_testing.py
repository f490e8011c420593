"""The local web does what its names say, seen with plain sockets and http.client."""

from __future__ import annotations

import gzip
import http.client
import re
import socket
import subprocess
import sys
import time
import zlib
from contextlib import closing
from typing import NamedTuple

import pytest

from lycosa import testing
from lycosa.testing import MISBEHAVIOURS, Site, SiteProcess, html, links, redirect, web_with
from lycosa.testing.server import find

TIMEOUT_S = 5.0


class Reply(NamedTuple):
    """A response that was read to its end."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def ask(site: Site | SiteProcess, target: str = "/it", host: str = "a.test", **headers: str) -> Reply:
    """One request over a connection of its own."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(http.client.HTTPConnection("127.0.0.1", site.port, timeout=TIMEOUT_S)) as connection:
        connection.request("GET", target, headers={"Host": host, **named})
        response = connection.getresponse()
        return Reply(response.status, response.headers, response.read())


def read(site: Site | SiteProcess, target: str = "/it", host: str = "a.test", **headers: str) -> bytes:
    """The body of one request."""
    return ask(site, target, host, **headers).body


def raw(site: Site, target: str = "/it", *, most: int = 1 << 30, host: str = "a.test") -> bytes:
    """The bytes of an answer until the server closes or `most` have come."""
    got = b""
    with socket.create_connection(("127.0.0.1", site.port), timeout=TIMEOUT_S) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        while len(got) < most and (part := connection.recv(65536)):
            got += part
    return got


def hrefs(body: bytes) -> list[str]:
    """The links of a page."""
    return re.findall(r"href=[\"']([^\"']*)", body.decode())


class TestSite:
    """Pages, hosts, keep-alive, gzip and the log."""

    def test_serves_many_hosts_on_one_port(self):
        """The same path can be another page on another host, and a host falls back to the path."""
        with Site({"/": "any", ("a.test", "/"): "a", ("b.test", "/"): html("b")}) as site:
            bodies = [read(site, "/", host) for host in ("a.test", "b.test", "c.test", "A.TEST:80")]

        assert bodies == [b"a", b"b", b"any", b"a"]

    def test_unknown_paths_are_404(self):
        """What is not given is not found, robots.txt included."""
        with Site({}) as site:
            assert ask(site, "/robots.txt").status == 404

    @pytest.mark.parametrize(
        ("target", "expected"),
        [
            ("/a?x=1", "query"),
            ("/a?x=2", "path"),
            ("/a/b", "prefix"),
            ("/a/long/b", "longer"),
            ("/z", "own host"),
        ],
    )
    def test_finds_the_most_exact_page(self, target, expected):
        """Exact target, then path, then the longest prefix, then the host's own."""
        pages: testing.Pages = {
            **{"/a?x=1": "query", "/a": "path", "/a/*": "prefix", "/a/long/*": "longer", "/*": "root"},
            ("h.test", "/*"): "own host",
        }

        assert find(pages, "h.test", target) == expected

    def test_keeps_connections_and_closes_them_when_asked(self):
        """Many requests go over one connection, also pipelined; Connection: close ends it."""
        one = b"GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n"
        last = b"GET /a HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"
        with Site({"/a": "hello"}) as site, socket.create_connection(("127.0.0.1", site.port)) as client:
            client.sendall(one * 3 + last)
            with client.makefile("rb") as stream:
                answers = stream.read()

        assert answers.count(b"HTTP/1.1 200 OK") == answers.count(b"hello") == 4

    def test_gzips_only_where_accepted(self):
        """A client that accepts gzip gets it; another gets the plain bytes."""
        page = "<p>" + "words " * 200
        with Site({"/": page}) as site:
            packed = ask(site, "/", Accept_Encoding="br, gzip")
            plain = ask(site, "/", Accept_Encoding="identity")

        assert packed.headers.get("Content-Encoding") == "gzip"
        assert gzip.decompress(packed.body) == plain.body == page.encode()
        assert plain.headers.get("Content-Encoding") is None

    def test_head_sends_no_body(self):
        """HEAD gets the head of GET."""
        with Site({"/": "hello"}) as site:
            address = ("127.0.0.1", site.port)
            with closing(http.client.HTTPConnection(*address, timeout=TIMEOUT_S)) as connection:
                connection.request("HEAD", "/")
                response = connection.getresponse()

                assert (response.headers.get("Content-Length"), response.read()) == ("5", b"")

    def test_logs_every_request(self):
        """The log holds time, host, path and headers; `hits`, `times` and `urls` read it."""
        with Site({"/": "hello"}) as site:
            for target in ("/", "/?q=1", "/"):
                read(site, target, "a.test", User_Agent="spider")

            assert site.hits("http://a.test/") == 2
            assert site.hits("http://a.test/?q=1") == 1
            assert site.urls() == ["http://a.test/", "http://a.test/?q=1", "http://a.test/"]
            assert site.times("a.test") == sorted(site.times("a.test"))
            assert site.log[1].headers["user-agent"] == "spider"
            assert site.log[1].query == {"q": "1"}

    def test_pages_can_change_and_be_functions(self):
        """A page may be a function of the request and may be replaced while the site is up."""
        with Site({"/": lambda request: f"for {request.host}"}) as site:
            first = read(site, "/")
            site.pages["/"] = "changed"
            second = read(site, "/")

        assert (first, second) == (b"for a.test", b"changed")

    def test_a_failing_page_is_a_500_that_says_why(self):
        """The fault of a page function is shown, and the site goes on."""

        def fails(_: testing.Request) -> testing.Page:
            raise ValueError("as planned")

        with Site({"/bad": fails, "/": "fine"}) as site:
            bad = ask(site, "/bad")

            assert bad.status == 500
            assert b"as planned" in bad.body
            assert read(site, "/") == b"fine"

    def test_settings_for_a_crawl(self):
        """`connect_to` and `allow_private` are what a spec needs to find the site by name."""
        with Site({}) as site:
            assert site.connect_to == {"*.test": f"127.0.0.1:{site.port}"}
            assert site.allow_private == ("*.test",)

    def test_conditional_and_protected_pages(self):
        """A known ETag gets 304; a page behind a password gets 401 without it."""
        pages: testing.Pages = {
            "/etag": testing.with_etag("page", '"7"'),
            "/secret": testing.with_password("in", "dTpw"),
        }
        with Site(pages) as site:
            assert ask(site, "/etag").headers.get("ETag") == '"7"'
            assert ask(site, "/etag", If_None_Match='"7"').status == 304
            assert ask(site, "/secret").status == 401
            assert read(site, "/secret", Authorization="Basic dTpw") == b"in"

    def test_a_site_in_its_own_process(self):
        """A web made by a named function is served by another process, which ends with the block."""
        with SiteProcess("lycosa.testing:web_with", name="drops") as site:
            assert b"One" in read(site, "/one", "good.test")

        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", site.port))

    def test_a_process_ends_when_its_parent_is_killed(self):
        """A parent that dies without a word leaves no server behind."""
        program = (
            "import os; from lycosa.testing import SiteProcess\n"
            "with SiteProcess('lycosa.testing:web_with', name='drops') as site:\n"
            "    print(site.port, flush=True); os.kill(os.getpid(), 9)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=600)
        port = int(done.stdout)

        for _ in range(100):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)):
                    return
            time.sleep(0.1)
        pytest.fail("the server still answers ten seconds later")

    def test_a_process_that_cannot_start_says_how_to_see_why(self, capfd):
        """A wrong maker is one clear error."""
        with pytest.raises(RuntimeError, match="Run it to see why"), SiteProcess("lycosa.testing:nothing"):
            pass
        assert "nothing" in capfd.readouterr().err


class TestMisbehaviours:
    """Each named misbehaviour does what its name says."""

    @pytest.fixture
    def site(self, request):
        """A site with the misbehaviour of the test at /it (or its own paths)."""
        with Site(MISBEHAVIOURS[request.param].pages()) as site:
            yield site

    @pytest.mark.parametrize("name", MISBEHAVIOURS)
    def test_is_described_and_embedded(self, name):
        """Each has a sentence, and a web that leads to it and to a good site."""
        pages = web_with(name)

        assert MISBEHAVIOURS[name].description.endswith(".")
        with Site(pages) as site:
            start = hrefs(read(site, "/", "start.test"))
            assert start == [f"http://bad.test{MISBEHAVIOURS[name].entry}", "http://good.test/"]
            assert hrefs(read(site, "/", "good.test")) == ["/one", "/two"]

    def test_every_misbehaviour_page_is_registered(self):
        """Whatever builds a misbehaviour is in the registry under its name."""
        helpers = {"sends", "web_with", "Misbehaviour", "MISBEHAVIOURS"}
        from lycosa.testing import misbehaviours

        own = {
            name
            for name in testing.__all__
            if getattr(misbehaviours, name, None) is not None
            and getattr(getattr(testing, name), "__module__", "") == misbehaviours.__name__
        }

        assert own - helpers <= set(MISBEHAVIOURS)

    @pytest.mark.parametrize("site", ["slow"], indirect=True)
    def test_slow(self, site):
        """It answers in the end."""
        assert b"local web" in read(site)

    @pytest.mark.parametrize("site", ["stalls", "robots_stalls"], indirect=True)
    def test_stalls(self, site):
        """It takes the request and says nothing."""
        target = "/it" if "/robots.txt" not in site.pages else "/robots.txt"
        with socket.create_connection(("127.0.0.1", site.port)) as client:
            client.settimeout(0.2)
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            with pytest.raises(TimeoutError):
                client.recv(1)
        assert len(site.log) == 1

    @pytest.mark.parametrize("site", ["slow_drip"], indirect=True)
    def test_slow_drip(self, site):
        """Bytes come one by one."""
        with socket.create_connection(("127.0.0.1", site.port)) as client:
            client.sendall(b"GET /it HTTP/1.1\r\nHost: a\r\n\r\n")
            parts = [client.recv(65536) for _ in range(4)]
        assert all(len(part) < 5 for part in parts[1:])

    @pytest.mark.parametrize("site", ["drops"], indirect=True)
    def test_drops(self, site):
        """The body ends before its declared length."""
        with pytest.raises(http.client.IncompleteRead):
            read(site)

    @pytest.mark.parametrize("site", ["hangs_up"], indirect=True)
    def test_hangs_up(self, site):
        """Not a byte comes."""
        assert raw(site) == b""

    @pytest.mark.parametrize("site", ["resets"], indirect=True)
    def test_resets(self, site):
        """The connection breaks in the body."""
        with pytest.raises((ConnectionResetError, http.client.IncompleteRead)):
            read(site)

    @pytest.mark.parametrize("site", ["lying_length"], indirect=True)
    def test_lying_length(self, site):
        """More is sent than was declared."""
        head, _, body = raw(site, most=2000).partition(b"\r\n\r\n")
        assert b"Content-Length: 20" in head
        assert len(body) > 20

    @pytest.mark.parametrize("site", ["broken_chunked"], indirect=True)
    def test_broken_chunked(self, site):
        """The chunks cannot be read to their end."""
        with pytest.raises(http.client.IncompleteRead):
            read(site)

    @pytest.mark.parametrize("site", ["not_http"], indirect=True)
    def test_not_http(self, site):
        """The answer has no HTTP status line."""
        with pytest.raises(http.client.BadStatusLine):
            ask(site)

    @pytest.mark.parametrize("site", ["endless", "robots_endless"], indirect=True)
    def test_endless(self, site):
        """However much is read, more comes."""
        target = "/it" if "/robots.txt" not in site.pages else "/robots.txt"
        assert len(raw(site, target, most=5_000_000)) >= 5_000_000

    @pytest.mark.parametrize("site", ["header_flood"], indirect=True)
    def test_header_flood(self, site):
        """Too many headers for any client."""
        with pytest.raises(http.client.HTTPException):
            ask(site)

    @pytest.mark.parametrize("site", ["long_header"], indirect=True)
    def test_long_header(self, site):
        """A header line too long for any client."""
        with pytest.raises(http.client.LineTooLong):
            ask(site)

    @pytest.mark.parametrize("site", ["endless_continue"], indirect=True)
    def test_endless_continue(self, site):
        """Only '100 Continue' comes."""
        assert set(raw(site, most=20_000).split(b"\r\n\r\n")[:500]) == {b"HTTP/1.1 100 Continue"}

    @pytest.mark.parametrize("site", ["gzip_bomb"], indirect=True)
    def test_gzip_bomb(self, site):
        """Less than a megabyte unpacks to more than fifty."""
        body = read(site)
        assert len(body) < 1_000_000
        assert len(zlib.decompressobj(31).decompress(body, 60_000_000)) == 60_000_000

    @pytest.mark.parametrize("site", ["not_gzip", "cut_gzip"], indirect=True)
    def test_bodies_that_do_not_unpack(self, site):
        """The declared gzip cannot be undone."""
        response = ask(site)
        assert response.headers.get("Content-Encoding") == "gzip"
        with pytest.raises((EOFError, gzip.BadGzipFile)):
            gzip.decompress(response.body)

    @pytest.mark.parametrize("site", ["unknown_encoding"], indirect=True)
    def test_unknown_encoding(self, site):
        """The encoding is one that nobody knows."""
        assert ask(site).headers.get("Content-Encoding") == "x-secret"

    @pytest.mark.parametrize("site", ["bad_charset"], indirect=True)
    def test_bad_charset(self, site):
        """The body is not in the declared charset."""
        response = ask(site)
        assert "utf-8" in (response.headers.get("Content-Type") or "")
        with pytest.raises(UnicodeDecodeError):
            response.body.decode()

    @pytest.mark.parametrize("site", ["wrong_type"], indirect=True)
    def test_wrong_type(self, site):
        """HTML by its header, a picture by its bytes."""
        response = ask(site)
        assert "text/html" in (response.headers.get("Content-Type") or "")
        assert response.body.startswith(b"\x89PNG")

    @pytest.mark.parametrize(
        ("site", "what"), [("nul_bytes", b"\0"), ("huge_html", b"<div>" * 100_000)], indirect=["site"]
    )
    def test_nasty_markup(self, site, what):
        """The markup holds what its name says."""
        assert what in read(site)

    @pytest.mark.parametrize("site", ["many_links"], indirect=True)
    def test_many_links(self, site):
        """A hundred thousand links, all different."""
        assert len(set(hrefs(read(site)))) == 100_000

    @pytest.mark.parametrize("site", ["long_attribute"], indirect=True)
    def test_long_attribute(self, site):
        """One link of millions of characters."""
        assert len(hrefs(read(site))[0]) > 2_000_000

    @pytest.mark.parametrize("site", ["bad_links"], indirect=True)
    def test_bad_links(self, site):
        """Many links, none to be fetched."""
        assert read(site).count(b"href=") > 10

    @pytest.mark.parametrize(
        ("site", "codes"),
        [
            ("status_503", [503, 503, 503]),
            ("status_500", [500, 500, 500]),
            ("status_unknown", [799, 799, 799]),
            ("too_many_requests", [429, 429, 200]),
            ("rate_limited_for_ever", [429, 429, 429]),
            ("bad_retry_after", [429, 200, 200]),
            ("no_location", [302, 302, 302]),
            ("bad_redirect", [302, 302, 302]),
            ("redirect_to_itself", [302, 302, 302]),
            ("private_redirect", [302, 302, 302]),
        ],
        indirect=["site"],
    )
    def test_statuses(self, site, codes):
        """The statuses come in this order."""
        assert [ask(site).status for _ in codes] == codes

    @pytest.mark.parametrize(
        ("site", "locations"),
        [
            ("redirect_loop", ["/it/back", "/it", "/it/back"]),
            ("endless_redirects", ["/it?hop=1", "/it?hop=2", "/it?hop=3"]),
        ],
        indirect=["site"],
    )
    def test_redirects(self, site, locations):
        """Following leads round, or on for ever."""
        seen, at = [], "/it"
        for _ in locations:
            at = ask(site, at).headers.get("Location") or ""
            seen.append(at)
        assert seen == locations

    @pytest.mark.parametrize(
        ("site", "status"),
        [
            ("robots_5xx", 503),
            ("robots_loop", 302),
            ("robots_is_html", 200),
            ("robots_is_binary", 200),
            ("robots_slow_host", 200),
        ],
        indirect=["site"],
    )
    def test_robots(self, site, status):
        """robots.txt misbehaves and the page itself is fine."""
        assert ask(site, "/robots.txt").status == status
        assert ask(site, "/it").status == 200

    @pytest.mark.parametrize(
        ("site", "entry"),
        [("calendar_trap", "/calendar"), ("session_trap", "/shop"), ("deep_trap", "/it")],
        indirect=["site"],
    )
    def test_traps_never_end(self, site, entry):
        """Fifty steps in, there is still a link that was never seen."""
        seen, at = {entry}, entry
        for _ in range(50):
            at = next(target for target in reversed(hrefs(read(site, at))) if target not in seen)
            seen.add(at)
        assert len(seen) == 51

    @pytest.mark.parametrize("site", ["host_trap"], indirect=True)
    def test_host_trap(self, site):
        """Each page leads to new hosts below its own."""
        assert hrefs(read(site, "/it", "a.bad.test")) == ["http://a.a.bad.test/it", "http://b.a.bad.test/it"]

    @pytest.mark.parametrize("site", ["soft_404"], indirect=True)
    def test_soft_404(self, site):
        """Whatever is asked gets the same error page as 200 OK."""
        assert read(site, "/no") == read(site, "/such/page")
        assert ask(site, "/no").status == 200


def test_a_request_as_proxies_get_it_is_answered():
    """With the whole URL in its first line: so a client without a setting for addresses finds every host here."""
    with Site({("a.test", "/it?x=1"): "yes"}) as site:
        assert ask(site, "http://a.test/it?x=1").body == b"yes"
        assert site.hits("http://a.test/it?x=1") == 1


def test_short_helpers():
    """The helpers make what they say."""
    assert redirect("/b", 301).header("location") == "/b"
    assert b'href="/a"' in links("/a").body
    assert testing.text("x").header("Content-Type").startswith("text/plain")
    assert testing.data(b"x", "image/png").body == b"x"
    assert html("é", charset="latin-1").body == b"\xe9"
