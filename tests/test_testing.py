"""The local web does what its names say, seen with plain sockets and http.client."""

from __future__ import annotations

import gzip
import http.client
import socket
import subprocess
import sys
import time
from contextlib import closing
from typing import NamedTuple

import pytest

from lycosa import testing
from lycosa.testing import Site, SiteProcess, html, links, redirect
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

    def test_a_page_with_an_etag_answers_304_to_its_own(self):
        """A request with the page's ETag gets 304."""
        with Site({"/": testing.with_etag("page", '"7"')}) as site:
            assert ask(site, "/").headers.get("ETag") == '"7"'
            assert ask(site, "/", If_None_Match='"7"').status == 304

    def test_a_site_in_its_own_process(self):
        """A web made by a named function is served by another process, which ends with the block."""
        with SiteProcess("tests.misbehaviours:web_with", name="drops") as site:
            assert b"One" in read(site, "/one", "good.test")

        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", site.port))

    def test_a_process_ends_when_its_parent_is_killed(self):
        """A parent that dies without a word leaves no server behind."""
        program = (
            "import os; from lycosa.testing import SiteProcess\n"
            "with SiteProcess('tests.misbehaviours:web_with', name='drops') as site:\n"
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
