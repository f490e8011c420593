"""The page of labels: it asks about the most telling pages, and Retrain says what changed, or that nothing did."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.engine.catch_up.relearn import history
from lycosa.learn import trial
from lycosa.learn.questions import questions_in
from lycosa.testing import Site
from tests.crawling import TOPIC, crawl, pages_of, small_web, spec_text
from tests.library import sample_library


@pytest.fixture
def crawled(tmp_path) -> Path:
    """A crawl for a topic that has ended."""
    out: Path = tmp_path / "storm"
    with Site(small_web(4, 40)) as site:
        crawl(spec_text(site, ["http://h0.test/"], limits={"pages": 60}, **TOPIC), out)
    return out


def scores(out: Path) -> dict[str, float]:
    return {url: page.judgement.score for url, page in pages_of(out).items() if page.judgement}


def test_it_asks_about_the_same_pages_as_the_terminal(crawled):
    """Answered by a button, a page is asked about no more."""
    with sample_library.client(crawled) as browser:
        tree = LexborHTMLParser(browser.get("/c/storm/labels").text)
        assert "Ask me" in tree.text()
        ids = [node.attributes["value"] for node in tree.css("input[name=id]")]
        with Collection.open(crawled) as collection:
            assert ids == [str(question.id) for question in questions_in(collection, 5)]
        sample_library.post(
            browser, "/c/storm/label", id=ids[0] or "", relevant="yes", next="/c/storm/labels"
        )
        assert len(labels_in(crawled)) == 1
        with Collection.open(crawled) as collection:
            assert ids[0] not in {str(question.id) for question in questions_in(collection, 5)}


def test_answers_are_told_from_labels_of_ones_own_choice(crawled):
    """Where a page was asked about, on the list or on the page that it opens, the label is an answer."""
    with sample_library.client(crawled) as browser:
        tree = LexborHTMLParser(browser.get("/c/storm/labels").text)
        answer = next(form for form in tree.css("form") if form.css("input[name=asked]"))
        fields = {
            node.attributes["name"] or "": node.attributes["value"] or "" for node in answer.css("input")
        }
        del fields["form_key"]
        sample_library.post(browser, "/c/storm/label", **fields, relevant="yes")
        opened = [link.attributes["href"] or "" for link in tree.css("td a")][1]
        assert LexborHTMLParser(browser.get(opened).text).css("form[data-label] input[name=asked]")
        other = opened.partition("?")[0]
        assert not LexborHTMLParser(browser.get(other).text).css("form[data-label] input[name=asked]")
        sample_library.post(browser, "/c/storm/label", id=other.rpartition("/")[2], relevant="no", next="/")
    assert [label.asked for label in labels_in(crawled).values()] == [False, True]


def test_labels_of_ones_own_choice_change_only_their_pages(crawled):
    """Until there are many: a few pages that somebody happened to look at say little of the others."""
    before, pages = scores(crawled), pages_of(crawled)
    chosen = sorted(before, key=lambda url: -before[url])[:6]
    with sample_library.client(crawled) as browser:
        for url in chosen:
            sample_library.post(browser, "/c/storm/label", id=str(pages[url].id), relevant="no", next="/")
        sample_library.post(browser, "/c/storm/retrain")
    now = scores(crawled)
    assert {url: now[url] for url in before if url not in chosen} == pytest.approx(
        {url: before[url] for url in before if url not in chosen}, abs=1e-12
    )
    assert all(now[url] == 0.0 for url in chosen)


def test_retraining_a_stopped_collection_says_before_and_after(crawled):
    """By the same path as in the terminal, without a crawl; kept pages before and after are told."""
    best = sorted(scores(crawled).items(), key=lambda item: -item[1])[:3]
    pages = pages_of(crawled)
    with sample_library.client(crawled) as browser:
        for url, _ in best:
            sample_library.post(browser, "/c/storm/label", id=str(pages[url].id), relevant="no", next="/")
        answer = sample_library.post(browser, "/c/storm/retrain")
        told = browser.get(answer.headers["location"]).text
    learned = json.loads(parse_qs(urlsplit(answer.headers["location"]).query)["learned"][0])
    assert f"kept {learned['before']['kept']} → {learned['after']['kept']}" in told
    now = scores(crawled)
    assert all(now[url] == 0.0 for url, _ in best)


def test_what_labels_would_change_is_shown_before_and_can_be_undone(crawled):
    """Trying changes nothing; applying does what was shown; undoing goes back."""
    before, pages = scores(crawled), pages_of(crawled)
    ranked = sorted(before, key=lambda url: -before[url])
    said = {**dict.fromkeys(ranked[:4], "yes"), **dict.fromkeys(ranked[-4:], "no")}
    with sample_library.client(crawled) as browser:
        for url, word in said.items():
            sample_library.post(browser, "/c/storm/label", id=str(pages[url].id), relevant=word, next="/")
        tried = LexborHTMLParser(sample_library.post(browser, "/c/storm/try").text)
        assert scores(crawled) == before
        kept_before, kept_after = (int(tile.text().replace(",", "")) for tile in tried.css(".tiles b")[:2])
        answer = sample_library.post(browser, "/c/storm/retrain")
        told = browser.get(answer.headers["location"]).text
        assert f"kept {kept_before} → {kept_after}" in told
        assert "Undo" in told
        answer = sample_library.post(browser, "/c/storm/undo")
        assert "Undo" not in browser.get(answer.headers["location"]).text
    assert [past.status for past in history(crawled)][-2:] == ["in use", "set aside"]


def test_labels_that_would_make_the_judge_worse_change_only_their_pages(crawled, monkeypatch):
    """That is said before, with the names of the pages."""
    before, pages = scores(crawled), pages_of(crawled)
    best = sorted(before, key=lambda url: -before[url])[:3]
    with sample_library.client(crawled) as browser:
        for url in best:
            sample_library.post(browser, "/c/storm/label", id=str(pages[url].id), relevant="no", next="/")
        monkeypatch.setattr(trial, "forecasts_worse", lambda *_: True)
        tried = LexborHTMLParser(sample_library.post(browser, "/c/storm/try").text)
        assert "worse" in tried.text()
        assert {link.text() for link in tried.css("td a")} == {pages[url].title for url in best}


def test_a_made_up_address_says_nothing(crawled):
    with sample_library.client(crawled) as browser:
        for said in ("x", "{}", '{"before": 1}', "<b>"):
            assert browser.get("/c/storm/labels", params={"learned": said}).status_code == 200
