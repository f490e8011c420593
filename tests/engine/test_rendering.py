"""A crawl with a browser: what is rendered, what of it is archived and shown, and what a kill leaves behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lycosa.collection.archive.responses import response_of
from lycosa.collection.collection import Collection
from lycosa.engine.rendering import CHECKED_AGAIN, Renderings, is_worth_a_browser, learned_in
from lycosa.engine.rules.limits import Tally
from lycosa.engine.session import prepare_shards
from lycosa.engine.start.request import CrawlRequest
from lycosa.errors import SpecError
from lycosa.fetch.browser.processes import family_of
from lycosa.library.replay import _shown
from lycosa.page.signs.needs_browser import RENDERED, Gain
from lycosa.testing import Page, Site, html, redirect, text
from lycosa.urls import key_of
from lycosa.values import Data, Link
from lycosa.why import explain
from tests.browsers import needs_browser, rendering
from tests.collection.archives import records_of
from tests.crawling import crawl, crawling, kept, pages_of, spec_of, spec_text

Web = dict[str | tuple[str, str], Page]
STORY = "The glacier below the granite summit is crossed early in the day, when its snow is hard. "
FRAME = '<title>Mountains</title><div id="root"></div><script src="/app.js"></script>'
APP = """
fetch("/api" + location.pathname).then(r => r.json()).then(page => {
  document.title = page.title;
  root.innerHTML = `<h1>${page.title}</h1><p>${page.text}</p>` + page.links.map(to => `<a href="${to}">${to}</a> `).join("");
});"""


def app_site(pages: int) -> Web:
    """A site that scripts draw: the same frame for every page, the data by an address of its own."""
    web: Web = {"/app.js": text(APP, "text/javascript"), "/robots.txt": text("")}
    for number in range(pages):
        links = [f"/{child}" for child in (2 * number + 1, 2 * number + 2) if child < pages]
        said = f'{{"title": "Peak {number}", "text": "{STORY * 4} {number}", "links": {links}}}'.replace(
            "'", '"'
        )
        path = f"/{number}" if number else "/"
        web[path] = html(FRAME)
        web[f"/api{path}"] = text(said, "application/json")
    return web


def gain_of(collection: Collection, url: str) -> Gain | None:
    page = collection.reader.page(key_of(url))
    told = collection.reader.evidence(page.id).get(RENDERED) if page else None
    return told.read(Gain) if isinstance(told, Data) else None


def wait_for(state: Callable[[], bool], what: str) -> None:
    for _ in range(6000):
        if state():
            return
        time.sleep(0.1)
    raise AssertionError(f"not seen within ten minutes: {what}")


@needs_browser
def test_pages_that_scripts_draw_are_collected_archived_and_replayed(tmp_path: Path) -> None:
    """`needed` renders the frames, follows their links, keeps what scripts asked for, and tells what it gained."""
    web: Web = {**app_site(4), "/3": html(f"<title>Plain</title><p>{STORY * 10}")}
    with Site(web) as site:
        spec = spec_text(site, ["http://h.test/"], fetch=rendering("needed"))
        summary = crawl(spec, tmp_path / "out")
        assert site.hits("http://h.test/app.js") == 1
    urls = ["http://h.test/", "http://h.test/1", "http://h.test/2", "http://h.test/3"]
    assert sorted(kept(tmp_path / "out")) == urls
    assert (summary.rendered, summary.unrendered) == (3, 0)
    found = pages_of(tmp_path / "out")
    assert found["http://h.test/1"].title == "Peak 1"
    assert {"http://h.test/app.js", "http://h.test/api/1"} <= found.keys()  # needed for replay
    with Collection.open(tmp_path / "out") as collection:
        gain = gain_of(collection, "http://h.test/1")
        assert gain is not None
        assert gain.words > 60 > gain.words_before
        assert gain_of(collection, "http://h.test/3") is None
        fetched = response_of(collection, found["http://h.test/1"])
        assert fetched is not None
        assert fetched.body == FRAME.encode()  # as received, though it is the same for all
        assert b"<h1>Peak 1</h1>" in fetched.rendered
        shown = bytes(_shown(fetched, lambda url: url, lambda url: url).body)
        assert b"<h1>Peak 1</h1>" in shown
        assert b"<script" not in shown
    assert "words_before 0; links" in str(explain(tmp_path / "out", "http://h.test/1"))
    records = records_of(tmp_path / "out" / "archive")
    responses = {headers["WARC-Record-ID"]: headers.get("WARC-Target-URI") for _, headers, _ in records}
    resources = [headers for kind, headers, _ in records if kind == "resource"]
    assert [one["WARC-Target-URI"] for one in resources] == [f"urn:rendered:{url}" for url in urls[:3]]
    assert [responses[one["WARC-Refers-To"]] for one in resources] == urls[:3]


@needs_browser
def test_without_a_browser_a_crawl_says_how_many_pages_wanted_one(tmp_path: Path) -> None:
    """`never` takes the frame as it is, and counts it."""
    with Site(app_site(3)) as site:
        summary = crawl(spec_text(site, ["http://h.test/"]), tmp_path / "out")
    assert (summary.pages, summary.rendered, summary.unrendered) == (1, 0, 1)


@needs_browser
def test_judging_again_reads_what_the_browser_saw(tmp_path: Path) -> None:
    """The archive has it: no browser is needed to judge, index or export the pages again."""
    with Site(app_site(3)) as site:
        crawl(spec_text(site, ["http://h.test/"], fetch=rendering("needed")), tmp_path / "out")
        before = {url: (page.title, page.words) for url, page in pages_of(tmp_path / "out").items()}
        again = spec_text(
            site, ["http://h.test/"], top={"strategy": "best-first"}, topic={"keywords": ["glacier"]}
        )
        crawl(again, tmp_path / "out")
    assert {url: (page.title, page.words) for url, page in pages_of(tmp_path / "out").items()} == before
    with Collection.open(tmp_path / "out") as collection:
        assert gain_of(collection, "http://h.test/1") is not None


@needs_browser
def test_the_limit_and_redirects_of_scripts(tmp_path: Path) -> None:
    """Beyond limits.rendered pages are what was fetched; a script that leads on is a redirect."""
    web: Web = {
        **app_site(3),
        "/gone": html(
            "<title>Moved</title><body><noscript>JavaScript!</noscript><script>location.replace('/arrived')</script>"
        ),
        "/arrived": html(f"<title>Arrived</title><p>{STORY * 10}"),
    }
    with Site(web) as site:
        spec = spec_text(
            site, ["http://h.test/gone", "http://h.test/1", "http://h.test/2"],
            fetch=rendering("needed", concurrency=1), limits={"rendered": 2},
        )  # fmt: skip
        summary = crawl(spec, tmp_path / "out")
    found = pages_of(tmp_path / "out")
    assert found["http://h.test/arrived"].title == "Arrived"
    assert found["http://h.test/gone"].judgement is None
    assert summary.rendered == 2
    assert summary.unrendered == 1


@needs_browser
def test_a_killed_crawl_leaves_no_browser_and_loses_nothing(tmp_path: Path) -> None:
    """After a SIGKILL in the middle of a page all its processes end by themselves, and the next run has every page."""
    pages = 6
    with Site(app_site(pages)) as site:
        spec = tmp_path / "crawl.toml"
        spec.write_text(spec_text(site, ["http://h.test/"], fetch=rendering("needed", concurrency=2)))
        with crawling(spec, tmp_path / "out") as process:
            wait_for(
                lambda: site.hits("http://h.test/api/1") > 0 or process.poll() is not None,
                "a page that is rendered",
            )
            family = [pid for pid in family_of(process.pid) if pid != process.pid]
            assert len(family) > 2  # the browser and its helpers
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        wait_for(lambda: not any(is_alive(pid) for pid in family), "the end of the browser")
        with crawling(spec, tmp_path / "out") as process:
            assert process.wait() == 0
    assert sorted(kept(tmp_path / "out")) == sorted(
        f"http://h.test/{number or ''}" for number in range(pages)
    )
    records_of(tmp_path / "out" / "archive")  # every digest is checked


@needs_browser
def test_frames_that_no_browser_has_filled_are_no_trap(tmp_path: Path) -> None:
    """They are all alike, and that says nothing of what scripts would show: the next one is asked for and may be rendered."""
    web, pages = app_site(1), 16
    links = [f"/story/{number}" for number in range(pages)]
    home = {"title": "Peaks", "text": STORY, "links": links}
    web["/api/"] = text(json.dumps(home), "application/json")
    web |= {path: html(FRAME) for path in links}
    with Site(web) as site:
        spec = spec_text(
            site,
            ["http://h.test/"],
            fetch=rendering("needed", concurrency=1),
            limits={"rendered": 1, "pages": pages},
        )
        assert "trap" not in crawl(spec, tmp_path / "out").refused
        more = spec.replace(f"pages = {pages}", f"pages = {pages + 1}")
        assert more != spec
        assert "trap" not in crawl(more, tmp_path / "out").refused
        assert all(site.hits(f"http://h.test{path}") == 1 for path in links)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be counted by its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_as_root_a_crawl_that_renders_is_refused_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And leaves no collection behind."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with Site({"/": redirect("/a")}) as site, pytest.raises(SpecError, match="sandbox"):
        crawl(spec_text(site, ["http://h.test/"], fetch={"render": "needed"}), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert spec_of("[fetch]\nrender = 'needed'").limits.rendered == 200


def test_shards_do_not_render(tmp_path: Path) -> None:
    """A page would ask hosts whose rests only another shard knows."""
    spec = spec_of(
        "[fetch]\nrender = 'needed'\nbrowser_sandbox = false\n[seeds]\nurls = ['http://h.test/']\n[judge]\nkind = 'all'"
    )
    with pytest.raises(SpecError, match="--shards"):
        asyncio.run(prepare_shards(CrawlRequest(spec, "", tmp_path, tmp_path / "out"), {}, lambda _: None))


def link(number: int, priority: float = 0.0, depth: int = 1) -> Link:
    return Link(f"http://a.test/story/{number}", number, depth=depth, priority=priority)


def test_a_section_where_rendering_gains_nothing_is_given_up_and_checked_again() -> None:
    """Learned for each section, kept over a restart, and a small share is looked at all the same."""
    kept_: list[bytes] = []
    renderings = Renderings(learned_in(None), kept_.append)
    for number in range(1, 4):
        assert renderings.is_promising(link(number))
        renderings.learn(link(number), Gain(30, 30, 2, 2))
    resumed = Renderings(learned_in(kept_[-1]), kept_.append)
    assert resumed.rendered == 3
    wanted = [number for number in range(100, 200) if resumed.is_promising(link(number))]
    assert len(wanted) == 100 // CHECKED_AGAIN
    assert resumed.is_promising(Link("http://a.test/other/1", 1))
    resumed.learn(link(100), Gain(300, 30, 2, 2))
    assert resumed.is_promising(link(101))


def test_a_link_or_its_source_must_promise_something() -> None:
    """Compared with the links that led to relevant pages, and with the share of relevant pages elsewhere."""
    tally = Tally()
    assert is_worth_a_browser(link(1), tally)  # nothing is known yet
    tally.relevant_links, tally.relevant_priority, tally.pages, tally.relevant = 2, 1.6, 10, 5
    assert is_worth_a_browser(link(1, 0.5), tally)  # two links say little of the average
    assert not is_worth_a_browser(link(1, 0.4), tally)
    tally.relevant_links, tally.relevant_priority = 20, 16.0
    assert is_worth_a_browser(link(1, 0.7), tally)
    assert not is_worth_a_browser(link(1, 0.6), tally)
    assert is_worth_a_browser(link(1, 0.0, depth=0), tally)  # a seed
    tally.sources["a.test"] = [4.0, 1.0]
    assert is_worth_a_browser(link(1, 0.0), tally)
    tally.sources["a.test"] = [3.0, 2.0]
    assert not is_worth_a_browser(link(1, 0.0), tally)


def test_frames_that_scripts_fill_are_no_wall(tmp_path: Path) -> None:
    """The same small page for every address is how such sites are built: their host is not given up."""
    with Site({f"/{number}": html(FRAME) for number in range(12)}) as site:
        summary = crawl(
            spec_text(site, [f"http://h.test/{number}" for number in range(12)]), tmp_path / "out"
        )
    assert "wall" not in summary.refused
