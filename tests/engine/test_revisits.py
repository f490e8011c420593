"""A page that is fetched again is the same page: it counts once, teaches once, and keeps its label and its place."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lycosa.engine.loop import Crawl
from lycosa.methods.third_party import Guarded
from lycosa.store.collection import Collection
from lycosa.store.labels import Label, set_label
from lycosa.store.page_filter import PageFilter
from lycosa.testing import Page, Request, Site, html, redirect, with_etag
from lycosa.urls import key_of
from lycosa.values import Fact, Judgement
from tests.crawling import crawl, kept, pages_of, spec_text
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
        captures = len(list(collection.reader.captures(1)))
    assert captures >= 4
    assert (counts.judged, counts.relevant) == (2, whole.tally.relevant)
    assert counts.fetched == captures + 1


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


def test_a_redirect_leaves_the_validators_behind(tmp_path: Path) -> None:
    """A target that was never fetched is asked for without conditions, so it cannot be 'not modified'."""
    first = with_etag("<p>First.")
    moved = count()
    web: Web = {
        "/": lambda _: first if not next(moved) else redirect("/new"),
        "/new": with_etag("<p>New."),  # with the same etag
    }
    _crawl_until(web, tmp_path / "out", 1, "http://a.test/new")
    assert "http://a.test/new" in kept(tmp_path / "out")
