"""`why`: every URL that was seen is explained, and every other is said to be unknown."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, set_label
from lycosa.engine.catch_up.relearn import relearn
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.errors import CollectionError, InputError
from lycosa.learn.judges.version import Reasons
from lycosa.learn.questions import questions_in
from lycosa.testing import Pages, Site, html, links
from lycosa.why import SEEN, Explanation, explain, explanation_text
from tests.crawling import KEYWORDS, crawl, pages_of, small_web, spec_of, spec_text
from tests.report.conftest import HOSTILE_PATH, PAGES, spec


def told(collection: Path, url: str) -> tuple[Explanation, str]:
    why = explain(collection, url)
    return why, explanation_text(why)


def test_a_fetched_page(collection):
    """Title, time, score with its rule, evidence, place in the archive, path and where it was found."""
    why, text = told(collection, "http://a.test/owls")
    assert why.verdict == "Fetched and judged relevant."
    assert why.status == 200
    assert why.title == "Owls"
    assert why.judgement is not None
    assert why.judgement.score > 0.5
    assert why.path == ("http://a.test/", "http://a.test/owls")
    assert why.found_on[0].anchor == "owls at night"
    assert why.found_on[0].priority > 0.5
    assert "mean of link and page score" in text
    assert ".warc.gz at byte" in text


def test_excluded_words_are_named():
    """With what each adds to the log odds."""
    words = Reasons((("owl", 1.0),), 0.0, -0.5, 0.5, 0.01, excluded=(("sport", -3.0), ("footbal", -1.5)))
    text = explanation_text(Explanation("http://a.test/", "Fetched and judged not relevant.", words=words))
    assert "sport (excluded) -3.00, footbal (excluded) -1.50: +0.50, probability 0.01" in text


def test_other_spellings_of_a_url_are_the_same(collection):
    """The look-up goes by identity; the URL shown is the one that was fetched."""
    assert explain(collection, "HTTP://A.test:80/owls/?utm_source=x#top").url == "http://a.test/owls"


def test_a_page_that_is_not_relevant_or_was_not_there(collection):
    """Whatever the answer was, it is said; a redirect is an answer too."""
    verdicts = {
        url: explain(collection, url).verdict
        for url in ("http://a.test/gone", "http://a.test/moved", "http://a.test/bread")
    }
    assert "404" in verdicts["http://a.test/gone"]
    assert "redirects (status 302) to http://a.test/owls." in verdicts["http://a.test/moved"]
    assert "Waiting" in verdicts["http://a.test/bread"] or "not relevant" in verdicts["http://a.test/bread"]


def test_refused_by_robots_and_by_scope(collection):
    """A refusal names its rule, whether it was made on the link or while fetching."""
    assert "robots.txt disallows it" in explain(collection, "http://a.test/secret").verdict
    why, text = told(collection, "http://elsewhere.test/owl")
    assert why.verdict.startswith("Seen but refused: outside the scope")
    assert why.found_on[0].page == "http://a.test/"
    assert "owl elsewhere" in text


def test_what_waits(collection):
    """With its priority and the path to it."""
    found = [explain(collection, f"http://a.test/{path}") for path in ("later/1", "later/2", "bread")]
    assert any(why.verdict.startswith("Waiting to be fetched, with priority") for why in found)
    assert all(why.path[0] == "http://a.test/" for why in found if why.path)


def test_the_score_can_be_worked_out(collection):
    """The rule names the judge's version, and the words that it went by add up to the score."""
    why, text = told(collection, "http://a.test/owls")
    assert why.judgement is not None
    assert why.words is not None
    moved = sum(amount for _, amount in why.words.words)
    assert moved + why.words.others + why.words.base == pytest.approx(why.words.score)
    assert {"owl", "night"} <= dict(why.words.words).keys()
    assert "judge version 2, fitted at 4 pages: probability against a threshold of 0.3000, given" in text
    assert f"owl {dict(why.words.words)['owl']:+.2f}" in text


def test_a_score_that_is_not_the_probability_of_the_words_says_why(tmp_path):
    """A page of the fit is judged as if it had not been in it; the words are those of the fit that it was in."""
    top: dict[str, Any] = {"name": "owls", "strategy": "best-first"}
    topic: dict[str, Any] = {"keywords": list(KEYWORDS)}
    with Site(small_web(4, 40)) as site:
        sections = {"top": top, "topic": topic, "judge": {"kind": "topic"}, "limits": {"pages": 40}}
        crawl(spec_text(site, ["http://h0.test/"], **sections), tmp_path / "c")
    with Collection.open(tmp_path / "c") as opened:
        asked = questions_in(opened, 5)
    for question in asked:
        relevant = question.probability > 0.5
        set_label(tmp_path / "c", Label(question.key, question.url, relevant=relevant, at=1.0))
    relearn(tmp_path / "c")
    differing = 0
    for url in pages_of(tmp_path / "c"):
        why, text = told(tmp_path / "c", url)
        if why.judgement is None or why.words is None:
            continue
        differs = abs(why.judgement.score - why.words.probability) >= SEEN
        assert ("from a model trained without this page" in text) == differs
        differing += differs
    assert differing


def test_a_learned_rank_is_taken_apart(tmp_path):
    """What a URL was ranked by is said in words and numbers that add up to its priority, taken or waiting."""
    with Site(PAGES) as site:
        top = {"name": "owls", "strategy": "fused"}
        crawl(spec(site, top=top, limits={"pages": 3}, fetch={"concurrency": 1}), tmp_path / "owls")
    waiting = [
        u
        for u in ("/bread", "/later/1", "/owls")
        if "Waiting" in explain(tmp_path / "owls", f"http://a.test{u}").verdict
    ]
    for path in ("/owls", *waiting):
        why, text = told(tmp_path / "owls", f"http://a.test{path}")
        assert "ranked by" in text
        assert why.ranked_by
        score = sum(value for _, value in why.ranked_by)
        if "Waiting" in why.verdict:
            assert f"priority {1 / (1 + math.exp(-score)):.4g}" in why.verdict
    assert waiting
    assert not explain(tmp_path / "owls", "http://a.test/").ranked_by  # a seed


def test_what_a_full_host_left_out(tmp_path):
    """A link that no longer waits names the limit that did it, and not the queue."""
    pages: Pages = {"/": links(*(f"/{n}" for n in range(8))), **{f"/{n}": f"<p>owl {n}" for n in range(8)}}
    with Site(pages) as site:
        text = spec(site, limits={"pages_per_host": 3}, fetch={"concurrency": 1}, judge={"kind": "all"})
        summary = asyncio.run(run_crawl(CrawlRequest(spec_of(text), text, tmp_path, tmp_path / "owls")))
    assert summary.pages == 3
    verdicts = {explain(tmp_path / "owls", f"http://a.test/{n}").verdict for n in range(8)}
    assert (
        "Seen, but not kept waiting: its host or site has all the pages that the limits allow: limits.pages_per_host = 3."
        in verdicts
    )
    assert not any("queue" in verdict for verdict in verdicts)


def test_what_waits_on_a_site_beyond_its_share(tmp_path):
    """Its priority counts for less than that of other sites, and `why` says for how much and what decides it."""
    there = [f"http://b.test/{n}" for n in range(8)]
    pages: Pages = {("a.test", "/"): links(*there), "/*": lambda request: f"<p>owl {request.path}"}
    limits = {"pages": 4, "site_share": 0.25}
    with Site(pages) as site:
        text = spec(site, limits=limits, fetch={"concurrency": 1}, judge={"kind": "all"}, scope={})
        asyncio.run(run_crawl(CrawlRequest(spec_of(text), text, tmp_path, tmp_path / "owls")))
    verdicts = [explain(tmp_path / "owls", url).verdict for url in there]
    waiting = [verdict for verdict in verdicts if verdict.startswith("Waiting")]
    assert len(waiting) == 5
    assert all("b.test has given 3 pages, and its share is 1 (limits.site_share)" in one for one in waiting)


def test_what_a_full_queue_left_out(tmp_path):
    """The queue is named where it was the queue."""
    pages: Pages = {"/": links(*(f"/{n}" for n in range(60))), **{f"/{n}": f"<p>owl {n}" for n in range(60)}}
    with Site(pages) as site:
        text = spec(site, limits={"pages": 2}, fetch={"concurrency": 1}, frontier={"max_waiting": 10})
        summary = asyncio.run(run_crawl(CrawlRequest(spec_of(text), text, tmp_path, tmp_path / "owls")))
    assert summary.resumable
    assert not summary.stopped_early
    verdicts = [explain(tmp_path / "owls", f"http://a.test/{n}").verdict for n in range(60)]
    assert any("frontier.max_waiting" in verdict for verdict in verdicts)


def test_many_links_to_a_page_are_counted(tmp_path):
    """Five pages are named; the others are a number."""
    pages: Pages = {
        "/": links(*(f"/{n}" for n in range(9))),
        **{f"/{n}": f"<p>owl {n} <a href=/>home</a>" for n in range(9)},
    }
    with Site(pages) as site:
        text = spec(site)
        asyncio.run(run_crawl(CrawlRequest(spec_of(text), text, tmp_path, tmp_path / "owls")))
    why, words = told(tmp_path / "owls", "http://a.test/")
    assert (len(why.found_on), why.more) == (5, 4)
    assert "and 4 more links to it" in words


def test_what_was_never_seen(collection):
    """Said so, with fetched URLs close to it; what is no URL is an error that says what to write."""
    why, text = told(collection, "http://a.test/owls/of/another/kind")
    assert why.verdict.startswith("Never discovered")
    assert "http://a.test/owls" in why.nearby
    assert any(near.target.startswith("http://a.test/") and near.page for near in why.links_near)
    assert "pages that link near it" in text
    assert "fetched nearby" in text
    assert explain(collection, "http://unknown.test/").links_near == ()
    for nonsense in ("", "owls", "ftp://a.test/", "http://["):
        with pytest.raises(InputError, match="in full"):
            explain(collection, nonsense)


def test_what_only_a_refused_page_links_to(tmp_path):
    """Links of pages that are refused are not looked at, so nobody knows that no page leads there."""
    hidden = html('<title>Owls</title><p>owl night <a href="/beyond">x</a>', x_robots_tag="noindex")
    web: Pages = {"/": links("/hidden", "/twin"), "/hidden": hidden, "/twin": hidden}
    with Site(web) as site:
        crawl(spec(site), tmp_path / "owls")
    verdict = explain(tmp_path / "owls", "http://a.test/beyond").verdict
    assert "might link to it" in verdict
    assert "no page of this collection" not in verdict
    assert "http://a.test/hidden: the page asks not to be indexed (noindex)" in verdict
    nobody = "Never discovered: no page of this collection links to it."
    with Site({**web, "/hidden": "<p>owl", "/twin": "<p>owl"}) as site:  # a duplicate has the same links
        crawl(spec(site), tmp_path / "open")
    assert explain(tmp_path / "open", "http://a.test/beyond").verdict == nobody


def test_strangers_cannot_steer_the_terminal(collection):
    """Titles and anchors are printed without control characters."""
    _, text = told(collection, "http://a.test" + HOSTILE_PATH)
    assert "owls" in text
    assert "\x1b" not in text


def test_directories_that_are_no_collection(tmp_path, collection):
    """One clear message each: nothing there, a file, an empty folder, a damaged or foreign database."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "catalogue.db").write_bytes(b"no database at all" * 100)
    (tmp_path / "foreign").mkdir()
    other = sqlite3.connect(tmp_path / "foreign" / "catalogue.db")
    other.execute("CREATE TABLE x (y)")
    other.close()
    for name, words in (
        ("none", "not a collection"),
        ("folder", "not a collection"),
        ("damaged", "damaged"),
        ("foreign", "another program"),
    ):
        with pytest.raises(CollectionError, match=words):
            explain(tmp_path / name, "http://a.test/")


def test_an_empty_collection(empty):
    """A seed that was refused is explained; anything else was never seen."""
    assert explain(empty, "http://a.test/").verdict
    assert explain(empty, "http://a.test/x").verdict.startswith("Never discovered")


async def test_a_collection_that_is_being_written(tmp_path):
    """Readers see the last commit and disturb nobody."""
    seen: list[str] = []

    def page(request: object) -> str:
        directory = tmp_path / "owls"
        seen.append(explain(directory, "http://a.test/").verdict)
        return "<p>owl <a href=/two>two</a>"

    with Site({"/": page, "/two": page}) as site:
        text = spec(site)
        summary = await run_crawl(CrawlRequest(spec_of(text), text, tmp_path, tmp_path / "owls"))
    assert summary.pages == 2
    assert seen[0].startswith("Being fetched")
    assert seen[1].startswith("Fetched and judged")
