"""Other crawlers get the archive unchanged, and all are counted the same way."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer
from research.peers.compare import Compared, Crawl, Job, figures, seeds_of, shares, spec_of
from research.peers.proxy import application

from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import load_spec
from lycosa_lab.webs.web import VirtualWeb


@pytest.fixture(scope="module")
def web(demo_folder: Path) -> VirtualWeb:
    """The demo web with its labels."""
    return VirtualWeb.open(demo_folder)


async def test_the_archive_answers_under_its_own_names(web: VirtualWeb, tmp_path: Path):
    """A page as it was archived; 404 for anything else. Each request counts."""
    url = next(iter(web.topics["owls"].relevant_urls))
    host = url.split("/")[2]
    async with TestClient(TestServer(application(web, tmp_path / "counted"))) as client:
        page = await client.get(url[len(f"http://{host}") :], headers={"Host": host})
        missing = await client.get("/no-such-page", headers={"Host": host})

        assert (page.status, page.content_type) == (200, "text/html")
        assert b"<title" in await page.read()
        assert missing.status == 404
        assert (tmp_path / "counted").stat().st_size == 2


def test_the_seeds_are_those_of_the_lab(web: VirtualWeb):
    """The same three pages as in the first draw as a user."""
    from lycosa_lab.grids.grid import Laboratory
    from lycosa_lab.runs.given import Given
    from lycosa_lab.runs.protocol import Options
    from lycosa_lab.webs.cache import CachedWeb

    options = Options(pages=20, given=Given(keywords=True, examples=3))
    drawn = Laboratory(CachedWeb(web), "owls", 1, options).draw.positives
    topic = web.topic("owls")

    assert [topic.relevant_urls[url] for url in seeds_of(topic)] == list(drawn)


def test_all_are_counted_alike(web: VirtualWeb):
    """Seeds never count; a crawler without a judge keeps everything."""
    topic = web.topic("owls")
    seeds = seeds_of(topic)
    good = [url for url in topic.relevant_urls if url not in seeds][:6]
    bad = [f"http://elsewhere.test/{number}" for number in range(2)]
    every = Crawl("a", "owls", [*seeds, *good, *bad])
    some = Crawl("b", "owls", [*seeds, *good, *bad], [*seeds, *good[:3]])
    relevant = len(topic.relevant()) - 3

    assert shares(every, web) == pytest.approx((6 / relevant, 6 / 8, 12 / (8 + relevant)))
    assert shares(some, web) == pytest.approx((6 / relevant, 1.0, 6 / (3 + relevant)))
    told = figures([Compared("abc", {"crawl4ai": "0.9.5"}, 60.0, [some, every])], web)
    assert "(keeps all)" in told.splitlines()[3]
    assert told.endswith("1 topics; crawl4ai 0.9.5; Lycosa at abc; 1 minutes of CPU.")


def test_lycosa_gets_a_spec_that_a_user_would_write(tmp_path: Path):
    """It is a valid spec."""
    job = Job(["owl", "nest"], ["http://a.test/1"], 200, "http://127.0.0.1:8000")
    (tmp_path / "crawl.toml").write_text(spec_of("fused", job))

    spec, _ = load_spec(tmp_path / "crawl.toml", all_settings())
    assert (spec.strategy, spec.limits.pages, spec.topic.keywords) == ("fused", 200, ("owl", "nest"))
