"""A page that is fetched again is the same page: it counts once, teaches once, and keeps its label and its place."""

from __future__ import annotations

import asyncio
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.catalogue.page_filter import PageFilter
from lycosa.collection.changes import Changes
from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, set_label
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.loop import Crawl
from lycosa.frontier import Policy
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.methods.third_party import Guarded
from lycosa.testing import CannedResponse, Page, Request, Site, html, links, status, text
from lycosa.urls import key_of
from lycosa.values import Fact, Judgement
from tests.crawling import crawl, pages_of, spec_text
from tests.toys import Pupil, add_toys

Web = dict[str | tuple[str, str], Page]
START = "http://a.test/"
AT_ONCE = {"revisit_after_h": 1e-9}
BODY = " ".join(f"word{n} thing{n % 37} part{n % 11}" for n in range(400))


def _crawl_until(web: Web, out: Path, asked: int, url: str = START, **sections: dict[str, Any]) -> Crawl:
    """Crawl until a URL was asked for so often (0: not at all), and return what the crawl knows at its end."""
    seen: list[Crawl] = []

    async def stop_in_time(running: Crawl) -> None:
        while site.hits(url) < asked:
            await asyncio.sleep(0.005)
        running.stop("seen often enough")

    def watch(running: Crawl) -> asyncio.Task[None]:
        seen.append(running)
        if not asked:
            running.stop("not begun")
        return asyncio.ensure_future(stop_in_time(running))

    with Site(web) as site:
        crawl(spec_text(site, [START], archive=AT_ONCE, **sections), out, watch=watch)
    return seen[0]


def _ever_changing(words: str = "") -> Page:
    """A page that says something else whenever it is asked for."""
    numbers = count()

    def answer(_: Request) -> Page:
        number = next(numbers)
        return html(
            f'<title>{number}</title><p>{words} granite {"summit " * (number % 2 * 20)}<a href="/a">a</a>'
        )

    return answer


def _lessons(crawl: Crawl) -> list[tuple[str, Judgement, dict[str, Fact]]]:
    guarded = crawl.conclusions.strategy
    assert isinstance(guarded, Guarded)
    assert isinstance(guarded.inner, Pupil)
    return guarded.inner.lessons_


@pytest.fixture
def pupil(monkeypatch: pytest.MonkeyPatch) -> None:
    add_toys(monkeypatch)


@pytest.mark.usefixtures("pupil")
def test_a_resumed_crawl_knows_what_an_uninterrupted_one_knows(tmp_path: Path) -> None:
    """Counts, sources and lessons are the same, although the page changed with every visit."""
    web: Web = {"/": _ever_changing(), "/a": "<p>A granite summit."}
    sections: dict[str, Any] = {
        "top": {"strategy": "pupil"},
        "topic": {"keywords": ["granite", "summit"]},
        "judge": {"kind": "all"},  # one that learns judges what was learned from anew
    }
    whole = _crawl_until(web, tmp_path / "out", 4, **sections)
    resumed = _crawl_until(web, tmp_path / "out", 0, **sections)
    assert whole.tally.pages == resumed.tally.pages == 2
    assert whole.tally.relevant == resumed.tally.relevant
    assert whole.tally.sources == resumed.tally.sources
    assert _lessons(whole) == _lessons(resumed)
    assert [url for url, *_ in _lessons(whole)] == [START, "http://a.test/a"]
    with Collection.open(tmp_path / "out") as collection:
        counts = collection.reader.counts()
        captures, others = (len(list(collection.reader.captures(page))) for page in (1, 2))
    assert captures >= 4
    assert (counts.judged, counts.relevant) == (2, whole.tally.relevant)
    assert counts.fetched == captures + others


def test_a_page_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    """Fetched again with nearly the same text it stays the one that stands for its cluster."""
    numbers = count()
    web: Web = {"/": lambda _: html(f"<p>{BODY} again {next(numbers)}")}
    _crawl_until(web, tmp_path / "out", 3)
    assert pages_of(tmp_path / "out")[START].near_duplicate_of == 0
    with Collection.open(tmp_path / "out") as collection:
        assert [row["url"] for row in collection.rows(PageFilter(distinct=True))] == [START]


def test_a_label_holds_when_its_page_is_fetched_again(tmp_path: Path) -> None:
    """A person's word is not overwritten by the judge."""
    web: Web = {"/": _ever_changing(BODY), "/a": "<p>A."}
    crawl_once = _crawl_until(web, tmp_path / "out", 1)
    assert crawl_once.tally.relevant
    set_label(tmp_path / "out", Label(key_of(START), START, False, 1.0))
    _crawl_until(web, tmp_path / "out", 3)
    judgement = pages_of(tmp_path / "out")[START].judgement
    assert judgement is not None
    assert (judgement.relevant, judgement.rule) == (False, "labelled by a person")


def _changing(words: dict[str, str]) -> Web:
    """Pages that say what `words` has for them just now; what it lacks is gone."""

    def page(path: str) -> Page:
        def answer(_: Request) -> CannedResponse:
            return html(f"<p>{words[path]}") if path in words else status(410)

        return answer

    return {"/": links(*words), **{path: page(path) for path in words}}


def _changes(out: Path) -> dict[str, str]:
    with Collection.open(out) as collection:
        runs = collection.reader.runs()
        found = Changes(collection.connection, collection.path).since(runs[-1].started)
        return {change.url.rpartition("/")[2]: change.kind.value for change in found}


def test_a_crawl_that_has_all_its_pages_asks_for_them_again(tmp_path: Path) -> None:
    """Run again, it makes the visits that are due, and `changes` tells what has become of the pages."""
    words = {f"/{number}": f"Page {number}" for number in range(4)}
    sections: dict[str, Any] = {
        "limits": {"pages": 5},
        "archive": {"revisit_after_h": 5.0, "revisit_share": 1.0},
    }
    with Site(_changing(words)) as site:
        crawl(spec_text(site, [START], **sections), tmp_path / "out")
        words["/1"] = "Another text"
        del words["/2"]
        for path in ("/0", "/1", "/2"):
            _let_pass(tmp_path / "out", f"http://a.test{path}")
        summary = crawl(spec_text(site, [START], **sections), tmp_path / "out")

        assert [site.hits(f"http://a.test/{number}") for number in range(4)] == [2, 2, 2, 1]
    assert (summary.pages, summary.ended) == (5, "limits.pages = 5 reached")
    assert _changes(tmp_path / "out") == {"1": "changed", "2": "vanished"}


def test_a_run_makes_no_more_visits_than_its_share(tmp_path: Path) -> None:
    words = {f"/{number}": f"Page {number}" for number in range(9)}
    sections: dict[str, Any] = {
        "limits": {"pages": 10},
        "archive": {"revisit_after_h": 1e-9, "revisit_share": 0.5},
    }
    with Site(_changing(words)) as site:
        crawl(spec_text(site, [START], **sections), tmp_path / "out")
        urls = [START, *(f"http://a.test/{number}" for number in range(9))]

        assert sum(site.hits(url) for url in urls) == 15
        words.update({path: "Changed" + path for path in words})
        crawl(spec_text(site, [START], **sections), tmp_path / "out")

        assert sum(site.hits(url) for url in urls) == 20
    assert set(_changes(tmp_path / "out").values()) == {"changed"}


def test_visits_go_on_while_hosts_are_being_asked(tmp_path: Path) -> None:
    """That the only host with more to ask for is busy ends nothing."""
    words = {f"/{number}": f"Page {number}" for number in range(8)}
    web: Web = {("b.test", path): page for path, page in _changing(words).items() if isinstance(path, str)}
    web["a.test", "/"] = links("http://b.test/", *(f"http://b.test{path}" for path in words))
    sections: dict[str, Any] = {
        "limits": {"pages": 10},
        "archive": {"revisit_after_h": 5.0, "revisit_share": 1.0},
    }
    urls = [START, *(f"http://b.test{path}" for path in ("/", *words))]
    with Site(web) as site:
        crawl(spec_text(site, [START], **sections), tmp_path / "out")
        _let_pass(tmp_path / "out", *urls)
        crawl(spec_text(site, [START], **sections), tmp_path / "out")

        assert [site.hits(url) for url in urls] == [2] * 10


def test_a_page_that_a_sitemap_dates_anew_is_asked_for_at_once(tmp_path: Path) -> None:
    """What its last visit said of it could have let it wait for a week."""
    words, days = {"/1": "One", "/2": "Two"}, {"/1": "2020-01-01", "/2": "2020-01-01"}

    def sitemap(_: Request) -> CannedResponse:
        entries = "".join(
            f"<url><loc>http://a.test{path}</loc><lastmod>{day}</lastmod></url>" for path, day in days.items()
        )
        return text(f"<urlset>{entries}</urlset>", "application/xml")

    web: Web = {
        **_changing(words),
        "/robots.txt": text("Sitemap: http://a.test/map.xml"),
        "/map.xml": sitemap,
    }
    with Site(web) as site:
        seldom = {"revisit_after_h": 5.0}
        crawl(spec_text(site, [START], archive=seldom), tmp_path / "out")
        days["/2"] = "2999-12-31"
        _let_pass(tmp_path / "out", "http://a.test/map.xml")
        crawl(spec_text(site, [START], archive=seldom), tmp_path / "out")

        assert [site.hits(f"http://a.test{path}") for path in ("/map.xml", "/1", "/2")] == [2, 1, 2]


def test_a_visit_that_failed_for_now_is_made_another_time(tmp_path: Path) -> None:
    """A server that is down for an hour is not forgotten."""
    is_down, words = [False], {"/1": "One"}
    web = _changing(words)
    answer = web["/1"]
    web["/1"] = lambda request: status(500) if is_down[0] else answer(request)  # type: ignore[operator]
    sections: dict[str, Any] = {"archive": {"revisit_after_h": 5.0}, "fetch": {"retries": 0}}
    with Site(web) as site:
        spec = spec_text(site, [START], **sections)
        for is_down[0] in (False, True, False):
            crawl(spec, tmp_path / "out")
            _let_pass(tmp_path / "out", "http://a.test/1")

        assert site.hits("http://a.test/1") == 3


def _let_pass(out: Path, *urls: str) -> None:
    """Let the time come at which URLs are to be asked for again."""
    now = time.time()
    with (
        CollectionWriter.create_or_open(out, (out / "crawl.toml").read_text()) as collection,
        collection.commit(),
    ):
        frontier = SqliteFrontier(
            collection.connection, Policy(max_waiting=1000), now=now, restart_rest_s=0.0
        )
        frontier.hasten([key_of(url) for url in urls], now)
