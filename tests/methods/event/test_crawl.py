"""A crawl for an event from end to end: what is collected, what is kept of it, and what people may change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, set_label
from lycosa.engine.catch_up.relearn import relearn, undo
from lycosa.engine.start.prepare import source_priors
from lycosa.errors import CollectionError, ModelError, SpecError
from lycosa.methods.event.strategy import Event
from lycosa.report.html import render
from lycosa.testing import Site
from lycosa.urls import key_of
from lycosa.why import explain
from tests.crawling import crawl, pages_of, spec_text
from tests.methods.event.web import EVENT, event_web, html_of, url_of


@pytest.fixture(scope="module")
def site():
    with Site(event_web()) as site:
        yield site


def spec(site: Site, event: dict[str, Any], **more: dict[str, Any]) -> str:
    """An event crawl of the whole small web."""
    sections: dict[str, Any] = {
        "judge": {"kind": "event"},
        "top": {"strategy": "event"},
        "limits": {"pages": 40},
    } | more
    return spec_text(site, ["http://herald.test/"], event=event, **sections)


def relevant(directory: Path) -> set[str]:
    return {url for url, page in pages_of(directory).items() if page.judgement and page.judgement.relevant}


ON_EVENT = {url_of("event", number) for number in range(6)}


def test_pages_of_the_event_are_told_from_those_of_its_topic(site, tmp_path):
    """The other shooting shares all words but place and date: it is fetched, and not relevant."""
    crawl(spec(site, EVENT), tmp_path / "crawl")
    assert relevant(tmp_path / "crawl") == ON_EVENT
    assert url_of("other", 0) in pages_of(tmp_path / "crawl")


def test_the_judge_of_an_event_learns_and_says_why(site, tmp_path):
    """It has versions, its harvest an interval; `why` names version and event score; a threshold in the spec overrides."""
    out, text = tmp_path / "crawl", spec(site, {"pages": [url_of("event", 0), url_of("event", 1)]})
    summary = crawl(text, out)
    assert relevant(out) == ON_EVENT
    assert summary.judge_version > 1
    assert summary.harvest_low < summary.harvest < summary.harvest_high  # type: ignore[operator]
    told = str(explain(out, url_of("event", 3)))
    assert f"judge version {summary.judge_version}" in told
    assert "event-agreed" in told
    crawl(spec(site, EVENT, judge={"kind": "event", "threshold": 1.0}), tmp_path / "strict")
    assert "against a threshold of 1.0000, given" in str(explain(tmp_path / "strict", url_of("event", 3)))


def test_answers_teach_the_judge_of_an_event(site, tmp_path):
    """Without its crawl, from what is stored; the answers hold, versions are kept, and a resumed crawl goes on from there."""
    out, text = tmp_path / "crawl", spec(site, EVENT)
    crawl(text, out)
    for number in range(3):
        url = url_of("other", number)
        set_label(out, Label(key_of(url), url, True, 1.0))
    learned = relearn(out)
    assert learned.after.version > learned.before.version
    assert {url_of("other", number) for number in range(3)} < relevant(out)
    said: list[str] = []
    assert crawl(text, out, say=said.append).judge_version == learned.after.version
    assert not any("judged again" in line for line in said)
    assert undo(out).after.version == learned.before.version


def test_the_catalogue_knows_date_places_and_aspects(site, tmp_path):
    """Of each page: its day, its places with coordinates, and one score an aspect."""
    crawl(spec(site, EVENT), tmp_path / "crawl")
    with Collection.open(tmp_path / "crawl") as collection:
        page = next(page for page in collection.reader.pages() if page.link.url == url_of("event", 2))
        places = collection.connection.execute(
            "SELECT canonical, lat, lon FROM places WHERE page = ?", (page.id,)
        ).fetchall()
        evidence = collection.reader.evidence(page.id)
        html = render(collection)
    assert page.date == "2016-06-14"
    assert ("Orlando", pytest.approx(28.54, abs=0.1), pytest.approx(-81.38, abs=0.1)) in places
    assert {"event", "event-topic", "event-place", "event-date"} <= evidence.keys()
    assert all(host in html for host in ("herald.test", "courier.test", "tribune.test"))


def test_an_outbreak_counts_the_topic_alone(site, tmp_path):
    """Both shootings are relevant where place and date do not matter."""
    crawl(spec(site, EVENT | {"kind": "outbreak"}), tmp_path / "crawl")
    assert relevant(tmp_path / "crawl") > ON_EVENT


def test_model_pages_are_fetched_or_read_and_one_that_fails_is_passed_over(site, tmp_path):
    """URLs and files give terms, places and the date; the user hears of what could not be had."""
    (tmp_path / "page.html").write_text(html_of("event", 1), encoding="utf-8")
    said: list[str] = []
    pages = [url_of("event", 0), "page.html", "http://herald.test/nothing"]
    crawl(spec(site, {"pages": pages}), tmp_path / "crawl", say=said.append)
    model = json.loads((tmp_path / "crawl" / "models" / "event.json").read_text("utf-8"))
    assert model["places"][0]["name"] == "Orlando"
    assert model["date"] == "2016-06-12"
    assert any("nothing could not be used" in line for line in said)
    assert any("Orlando (FL)" in line for line in said)
    assert relevant(tmp_path / "crawl") == ON_EVENT


def test_a_model_page_that_failed_is_tried_again(tmp_path):
    """Once it can be had the event is made anew, and the pages are judged by it; till then nothing changes."""
    model_page, out = url_of("event", 0), tmp_path / "crawl"
    event = {"pages": [model_page], "what": ["nightclub"], "date": "2015-01-01"}
    web = event_web()
    host, path = model_page.removeprefix("http://").partition("/")[::2]
    missing = {place: page for place, page in web.items() if place != (host, f"/{path}")}
    for _ in range(2):
        said: list[str] = []
        with Site(missing) as site:
            crawl(spec(site, event), out, say=said.append)
        assert any("could not be used" in line and "tries it again" in line for line in said)
        assert json.loads((out / "models" / "event.json").read_text("utf-8"))["unread"] == [model_page]
    assert not any("judged again" in line for line in said)
    with Site(web) as site:
        crawl(spec(site, event), out, say=said.append)
    model = json.loads((out / "models" / "event.json").read_text("utf-8"))
    assert model["unread"] == []
    assert "gunman" in model["terms"]
    assert any("judged again" in line for line in said)


def test_a_model_edited_by_hand_judges_all_pages_again(site, tmp_path):
    """An edited models/event.json counts for pages that were judged before, once; a broken one is refused."""
    out, text = tmp_path / "crawl", spec(site, EVENT)
    crawl(text, out)
    path = out / "models" / "event.json"
    model = json.loads(path.read_text("utf-8"))
    model |= {"terms": {"zeppelin": 1.0}, "places": [], "date": ""}
    path.write_text(json.dumps(model), encoding="utf-8")
    said: list[str] = []
    crawl(text, out, say=said.append)
    assert relevant(out) == set()
    assert any("judged again" in line for line in said)
    said.clear()
    crawl(text, out, say=said.append)
    assert not any("judged again" in line for line in said)
    path.write_text(json.dumps(model | {"date": "2016-06-41"}), encoding="utf-8")
    with pytest.raises(ModelError, match="2016-06-41"):
        crawl(text, out)


def test_sources_begin_with_what_an_earlier_collection_found(site, tmp_path):
    """Priors are credited as the strategy credits pages: verdicts, or scores for mean-score."""
    crawl(spec(site, EVENT), tmp_path / "first")
    verdicts = source_priors(tmp_path / "first", Event(source="success-rate"))
    scores = source_priors(tmp_path / "first", Event(source="mean-score"))
    assert verdicts["herald.test"] == (2.0, 5.0)
    assert sum(scores["herald.test"]) == pytest.approx(7.0)
    assert scores["herald.test"] != verdicts["herald.test"]
    again = spec(site, EVENT | {"source_priors": "first", "source": "mean-score"})
    crawl(again, tmp_path / "second")
    with Collection.open(tmp_path / "second") as collection:
        rows = dict(collection.connection.execute("SELECT name, good + bad FROM sources").fetchall())
    assert rows["herald.test"] == pytest.approx(14.0)
    with pytest.raises(CollectionError, match="not a collection"):
        crawl(spec(site, EVENT | {"source_priors": "nothing"}), tmp_path / "third")


@pytest.mark.parametrize(
    ("event", "complaint"),
    [
        ({}, r"\[event\] is empty"),
        ({"where": ["Orlando"]}, "but not what"),
        ({"what": ["fire"], "date": "2016-06-12", "end_date": "2016-06-01"}, "lies before the date"),
        ({"what": ["fire"], "source": "luck"}, "should be 'none', .* or 'mean-score'"),
        ({"what": ["fire"], "prior_pages": 0}, "prior_pages: input should be greater than 0, but it says 0"),
        ({"what": ["fire"], "newcomers": -1}, "newcomers: .* it says -1"),
        ({"what": ["fire"], "k": -3}, "k: .* it says -3"),
        ({"what": ["fire"], "url_threshold": 7}, "less than or equal to 1"),
    ],
)
def test_an_event_that_says_too_little_or_nonsense_is_refused(site, tmp_path, event, complaint):
    """Each refusal says what to give or to change."""
    with pytest.raises(SpecError, match=complaint):
        crawl(spec(site, event), tmp_path / "crawl")


@pytest.mark.parametrize(
    ("event", "hint"),
    [
        ({"what": ["shooting"], "date": "2016-06-12"}, "No place was found"),
        ({"what": ["shooting"], "where": ["Orlando"]}, "No date was found"),
        ({"what": ["shooting"], "date": "2199-01-01"}, "lies in the future"),
        ({"what": ["shooting"], "kind": "outbreak"}, "The topic alone counts"),
    ],
)
def test_what_an_event_lacks_is_said_and_done_without(site, tmp_path, event, hint):
    """The crawl goes on with the other aspects, and the user knows."""
    said: list[str] = []
    crawl(spec(site, event, limits={"pages": 3}), tmp_path / "crawl", say=said.append)
    assert any(hint in line for line in said)
    assert len(pages_of(tmp_path / "crawl")) >= 3
