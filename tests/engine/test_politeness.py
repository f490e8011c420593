"""A whole crawl is polite: delays hold whatever the connections do."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from lycosa.engine.loop import NOTHING_LEFT
from lycosa.testing import Page, Pages, Site, html, links, redirect, text
from tests.crawling import crawl, pages_of, spec_text
from tests.dropping_proxy import DroppingProxy

DELAY_S = 0.3


def test_no_host_is_asked_within_its_delay_through_a_proxy_that_drops_connections(tmp_path: Path) -> None:
    """A request that was lost with its connection may have reached the host: it is not sent again at once."""
    web: Pages = {"/": links("/a", "/b", "/c"), **{f"/{name}": html(f"<p>Page {name}") for name in "abc"}}
    with Site(web) as site, DroppingProxy(site.port) as proxy:
        fetch = {"per_host_delay_s": DELAY_S, "proxy": proxy.url}
        summary = crawl(spec_text(site, ["http://h.test/"], fetch=fetch), tmp_path / "out")
        times = site.times("h.test")
    assert proxy.dropped == 1  # from then on connections are not used twice
    assert summary.pages == 4
    assert len(times) == 6  # robots.txt, four pages, and the one that was lost with its connection
    assert all(later - sooner >= DELAY_S for sooner, later in pairwise(times))


def test_a_page_that_waits_for_robots_is_no_refusal(tmp_path: Path) -> None:
    """It waits for its host's rest, and nothing is counted, noted or logged against it."""
    web: Pages = {"/robots.txt": text("User-agent: *\nCrawl-delay: 0.4"), "/": html("<p>Hello")}
    with Site(web) as site:
        summary = crawl(spec_text(site, ["http://h.test/"]), tmp_path / "out")
        (robots, page) = site.times("h.test")
    assert page - robots >= 0.4
    assert (summary.pages, summary.refused) == (1, {})
    assert pages_of(tmp_path / "out")["http://h.test/"].link.attempts == 0
    assert "not fetched" not in (tmp_path / "out" / "crawl.log").read_text()


def test_a_crawl_delay_above_the_cap_ends_the_crawl(tmp_path: Path) -> None:
    """The host is left alone, and nobody is told to come back for what was just refused."""
    web: Pages = {"/robots.txt": text("User-agent: *\nCrawl-delay: 7200"), "/": html("<p>Hello")}
    with Site(web) as site:
        summary = crawl(spec_text(site, ["http://h.test/", "http://h.test/b"]), tmp_path / "out")
    assert (summary.ended, summary.refused) == (NOTHING_LEFT, {"robots": 2})
    assert not summary.resumable


def test_redirects_of_robots_keep_the_delays_of_every_host(tmp_path: Path) -> None:
    """However many hosts have their robots.txt on one of them, and however often it moves about there."""
    web: dict[str | tuple[str, str], Page] = {
        ("shared.test", "/robots.txt"): redirect("http://shared.test/1"),
        ("shared.test", "/1"): redirect("http://shared.test/2"),
        ("shared.test", "/2"): text("User-agent: *\nAllow: /"),
    }
    hosts = [f"h{number}.test" for number in range(3)]
    for host in hosts:
        web[host, "/robots.txt"] = redirect("http://shared.test/1")
        web[host, "/"] = html(f"<p>{host}")
    with Site(web) as site:
        seeds = [f"http://{host}/" for host in hosts]
        spec = spec_text(site, seeds, fetch={"per_host_delay_s": DELAY_S})
        summary = crawl(spec, tmp_path / "out")
        asked = site.times("shared.test")
    assert summary.pages == 3
    assert len(asked) == 6  # two for each host: it was never the robots.txt of the shared one itself
    assert all(later - sooner >= DELAY_S for sooner, later in pairwise(asked))
