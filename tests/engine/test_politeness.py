"""A whole crawl is polite: delays hold whatever the connections do."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from lycosa.testing import DroppingProxy, Pages, Site, html, links, text
from tests.crawling import crawl, pages_of, spec_text

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
