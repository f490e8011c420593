"""The local web does what its names say, seen with plain sockets and http.client."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from contextlib import closing
from typing import NamedTuple

import pytest

from lycosa import testing
from lycosa.testing import Site, SiteProcess
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

    def test_a_failing_page_is_a_500_that_says_why(self):
        """The fault of a page function is shown, and the site goes on."""

        def fails(_: testing.Request) -> testing.Page:
            raise ValueError("as planned")

        with Site({"/bad": fails, "/": "fine"}) as site:
            bad = ask(site, "/bad")

            assert bad.status == 500
            assert b"as planned" in bad.body
            assert read(site, "/") == b"fine"

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
