"""Pages that the user gave: fetched once, seeds, members of the collection, and no part of the harvest."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, clear_label, set_label
from lycosa.engine.catch_up.relearn import relearn, undo
from lycosa.errors import SpecError
from lycosa.learn.history import saved_version
from lycosa.learn.judges.version import Scorer
from lycosa.learn.questions import questions_in
from lycosa.testing import Page, Site, html, redirect, status
from lycosa.urls import key_of
from lycosa.values import Reason
from lycosa.why import explain
from tests.crawling import KEYWORDS, crawl, kept, pages_of, small_web, spec_text

OWL = "http://a.test/owl"
PAGES: dict[str | tuple[str, str], Page] = {
    "/owl": "<title>Owls</title><p>The owl hunts at night. Owls have silent wings. <a href=/barn>the barn owl</a>",
    "/barn": "<title>Barn owl</title><p>The barn owl is an owl of farms, hunting at night on silent wings.",
    "/old": redirect("/owl"),
    "/start": "<title>Start</title><p>Trains and stations. <a href=/owl>owls</a> <a href=/barn>barns</a>",
}
FOUND = "an example of yours"


def spec(site, *, examples=(OWL,), **sections) -> str:
    topic: dict[str, Any] = {"keywords": ["owl"], "examples": list(examples)}
    tables: dict[str, dict[str, Any]] = {"topic": topic, "judge": {"kind": "topic"}}
    return spec_text(
        site,
        [],
        **({"top": {"strategy": "best-first"}} | tables | sections),
    )


def test_an_example_is_a_seed_and_a_page_and_asked_for_once(tmp_path):
    """Without any other seed: its links are followed, and it counts as a page, relevant by the user's word."""
    with Site(PAGES) as site:
        summary = crawl(spec(site), tmp_path / "owls")
        hits = {path: site.hits(f"http://a.test{path}") for path in ("/owl", "/barn")}
    assert hits == {"/owl": 1, "/barn": 1}
    assert kept(tmp_path / "owls") == [OWL, "http://a.test/barn"]
    page = pages_of(tmp_path / "owls")[OWL]
    assert page.judgement is not None
    assert (page.judgement.relevant, page.judgement.rule) == (True, FOUND)
    assert FOUND in str(explain(tmp_path / "owls", OWL))
    assert summary.pages == 2
    assert summary.bytes == sum(page.bytes for page in pages_of(tmp_path / "owls").values())


def test_its_response_is_archived_once(tmp_path):
    with Site(PAGES) as site:
        crawl(spec(site), tmp_path / "owls")
    with Collection.open(tmp_path / "owls") as collection:
        page = collection.reader.page(key_of(OWL))
        assert page is not None
        assert len([*collection.reader.captures(page.id)]) == 1
        counts = collection.reader.counts()
        assert (counts.fetched, counts.judged, counts.others) == (2, 2, 0)
    (warc,) = (tmp_path / "owls" / "archive").glob("*.warc.gz")
    assert (
        gzip.decompress(warc.read_bytes()).count(b"WARC-Target-URI: " + OWL.encode()) == 2
    )  # with its request


def test_examples_never_flatter_the_harvest(tmp_path):
    web = PAGES | {"/owl": "<title>Owls</title><p>Owl owl owl. <a href=/x>x</a>", "/x": "<p>Trains."}
    with Site(web) as site:
        summary = crawl(spec(site, judge={"kind": "topic", "threshold": 0.3}), tmp_path / "owls")
    assert (summary.pages, summary.relevant) == (2, 1)
    assert summary.harvest is not None
    assert summary.harvest < 0.1  # of the page that the crawl found itself


def test_a_crawl_of_an_earlier_version_asks_for_nothing_again(tmp_path):
    """Older crawls archived examples outside the collection; a resumed one imports them from there."""
    with Site(PAGES) as site:
        before = spec(site, seeds={"urls": ["http://a.test/start"], "examples": False})
        crawl(before, tmp_path / "owls")
        asked = site.hits(OWL)
        crawl(before.replace("examples = false", "examples = true"), tmp_path / "owls")
        assert site.hits(OWL) == asked
    assert OWL in kept(tmp_path / "owls")


@pytest.mark.parametrize("examples", [("http://a.test/old",), ("http://a.test/old", OWL)])
def test_an_example_that_has_moved_counts_where_it_is_now(tmp_path, examples):
    with Site(PAGES) as site:
        crawl(spec(site, examples=examples), tmp_path / "owls")
        assert site.hits("http://a.test/old") == 1
        assert site.hits(OWL) == 1
    page = pages_of(tmp_path / "owls")[OWL]
    assert page.judgement is not None
    assert page.judgement.rule == FOUND


def test_an_example_that_cannot_be_had_is_no_seed(tmp_path):
    gone = "http://a.test/gone"
    said: list[str] = []
    with Site(PAGES | {"/gone": status(404)}) as site:
        crawl(spec(site, examples=(OWL, gone)), tmp_path / "owls", say=said.append)
        assert site.hits(gone) == 1
    assert any("could not be used" in word for word in said)
    assert kept(tmp_path / "owls") == [OWL, "http://a.test/barn"]


def test_a_label_counts_more_than_having_been_given(tmp_path):
    with Site(PAGES) as site:
        text = spec(site)
        crawl(text, tmp_path / "owls")
        set_label(tmp_path / "owls", Label(key_of(OWL), OWL, relevant=False, at=1.0))
        crawl(text, tmp_path / "owls")
    page = pages_of(tmp_path / "owls")[OWL]
    assert page.judgement is not None
    assert (page.judgement.relevant, page.judgement.rule) == (False, "labelled by a person")


def test_model_pages_of_an_event_are_given_too(tmp_path):
    model = "http://a.test/storm"
    pages: dict[str | tuple[str, str], Page] = {
        "/storm": "<title>Storm in Rome</title><p>2 May 2024. A storm over the city of Rome, Italy, broke trees."
        " <a href=/more>More on the storm in Rome</a>",
        "/more": "<title>Storm</title><p>3 May 2024. After the storm in Rome, Italy, trees lie on streets.",
    }
    with Site(pages) as site:
        text = spec_text(
            site, [], top={"strategy": "event"}, event={"pages": [model]}, judge={"kind": "event"}
        )
        crawl(text, tmp_path / "storm")
        assert site.hits(model) == 1
    page = pages_of(tmp_path / "storm")[model]
    assert page.judgement is not None
    assert page.judgement.rule == FOUND
    assert "http://a.test/more" in pages_of(tmp_path / "storm")


def test_what_learns_from_pages_of_another_kind_asks_for_them(tmp_path):
    """A classifier that the words of the language cannot replace needs negatives; `selective` needs none."""
    with Site(PAGES) as site:
        for needy in ({"top": {"strategy": "anchor-tree"}}, {"judge": {"kind": "text"}}):
            with pytest.raises(SpecError, match=r"topic\.negatives"):
                crawl(spec(site, **needy), tmp_path / "owls")
        assert crawl(spec(site, top={"strategy": "selective"}), tmp_path / "selective").pages


def test_what_a_person_calls_relevant_is_whatever_the_page_asks(tmp_path):
    """noindex keeps a page out of what the judge counts; an example or a labelled page is the user's own choice."""
    hidden = "http://a.test/hidden"
    pages: dict[str | tuple[str, str], Page] = {
        "/owl": html("<title>Owls</title><p>The owl hunts at night on silent wings.", x_robots_tag="noindex"),
        "/hidden": html("<title>Owls that hide</title><p>An owl, and owls.", x_robots_tag="noindex"),
        "/barn": PAGES["/barn"],
    }
    out = tmp_path / "owls"

    def verdict(url: str) -> tuple[bool, str]:
        page = pages_of(out)[url]
        assert page.judgement is not None
        return page.judgement.relevant, page.judgement.rule

    with Site(pages) as site:
        text = spec(site, seeds={"urls": [hidden, "http://a.test/barn"]})
        crawl(text, out)
        assert verdict(OWL) == (True, FOUND)
        assert verdict(hidden) == (False, "noindex")
        set_label(out, Label(key_of(hidden), hidden, relevant=True, at=1.0))
        relearn(out)
        assert verdict(hidden) == (True, "labelled by a person")
        assert verdict(OWL) == (True, FOUND)
        assert explain(out, OWL).verdict.startswith(
            "Fetched and kept, because you say so: an example of yours."
        )
        clear_label(out, key_of(hidden))
        relearn(out)
        assert verdict(hidden) == (False, "noindex")
        set_label(out, Label(key_of(hidden), hidden, relevant=True, at=1.0))
        crawl(text, out)
        assert verdict(hidden) == (True, "labelled by a person")


@pytest.mark.parametrize("directives", ["noindex", "noindex, nofollow"])
@pytest.mark.parametrize("given", ["seed", "example"])
def test_links_of_a_given_page_are_followed_whether_it_may_be_indexed_or_not(tmp_path, given, directives):
    """noindex is about the page itself, and a page was given for its links as well; nofollow is about these."""
    pages: dict[str | tuple[str, str], Page] = {
        "/owl": html(
            "<title>Owls</title><p>The owl hunts. <a href=/barn>the barn owl</a> <a href=/more>more</a>",
            x_robots_tag=directives,
        ),
        "/barn": PAGES["/barn"],
        "/more": html("<title>More owls</title><p>Owls. <a href=/far>owls</a>", x_robots_tag="noindex"),
        "/far": "<p>Owls.",
    }
    examples = (OWL,) if given == "example" else ()
    with Site(pages) as site:
        crawl(spec(site, examples=examples, seeds={"urls": [OWL]}), tmp_path / "owls")
        assert site.hits("http://a.test/barn") == (1 if directives == "noindex" else 0)
        assert not site.hits("http://a.test/far")  # on a page that nobody gave
    judgement = pages_of(tmp_path / "owls")[OWL].judgement
    assert judgement is not None
    assert judgement.relevant == (given == "example")


def test_links_of_a_given_page_outside_the_scope_are_not_followed(tmp_path):
    """That it asks not to be indexed as well opens nothing."""
    german = "<p>" + "Die Eule sitzt auf dem Dach und schaut den Vögeln im Garten nach. " * 5
    owl = html(f"{german}<a href=/barn>owl</a>", x_robots_tag="noindex")
    with Site(PAGES | {"/owl": owl}) as site:
        crawl(spec(site, examples=(), seeds={"urls": [OWL]}, scope={"languages": ["en"]}), tmp_path / "owls")
        assert not site.hits("http://a.test/barn")
    refusal = pages_of(tmp_path / "owls")[OWL].refusal
    assert refusal is not None
    assert refusal.reason is Reason.LANGUAGE


def test_what_asks_not_to_be_indexed_has_a_score_by_the_version_in_use(tmp_path):
    """Nobody learns from it, but its score is shown: by the last version that judged, also when a label was taken back."""
    hidden, own = "http://h0.test/hidden", "http://h0.test/"
    web = small_web(4, 40) | {
        ("h0.test", "/hidden"): html("<p>The owl at night. <a href=/>home</a>", x_robots_tag="noindex")
    }
    out = tmp_path / "c"

    def score_now() -> tuple[float, float]:
        with Collection.open(out) as collection:
            page = collection.reader.page(key_of(hidden))
            version = saved_version(collection)
            assert page is not None
            assert page.judgement is not None
            assert version is not None
            assert (page.judgement.relevant, page.judgement.rule) == (False, "noindex")
            return page.judgement.score, Scorer(version).probability(collection.reader.terms_of(page.id))

    with Site(web) as site:
        topic = {"keywords": list(KEYWORDS)}
        crawl(spec(site, topic=topic, seeds={"urls": [own, hidden]}, limits={"pages": 60}), out)
    first, by_version = score_now()
    assert first == pytest.approx(by_version)
    set_label(out, Label(key_of(hidden), hidden, relevant=True, at=1.0))
    relearn(out)
    clear_label(out, key_of(hidden))
    relearn(out)
    now, by_version = score_now()
    assert now == pytest.approx(by_version)
    assert now < 1.0
    with Collection.open(out) as collection:
        asked = questions_in(collection, 5)
    for question in asked:
        set_label(out, Label(question.key, question.url, relevant=question.probability > 0.5, at=1.0))
    relearn(out)
    now, by_version = score_now()
    assert now == pytest.approx(by_version)
    undo(out)
    now, by_version = score_now()
    assert now == pytest.approx(by_version)
