from __future__ import annotations

import io
import re
import shutil
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from lycosa.collection import Record
from lycosa.collection.catalogue.page_filter import PageFilter, Relevance
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.catch_up.index import index_collection
from lycosa.library.views import monitor
from lycosa.library.views.labelling import effect_of_labels
from lycosa.report.html import write_report
from lycosa.values import Fact, Kind, Page, Score
from tests.collection.records import NOW, failed, fetched, link_to, page_record
from tests.library import sample_library

PAGES = ["", "search", "search?q=storm", "search?q=storm&relevant=all", "browse/sources", "browse/places", "browse/people", "browse/organisations", "browse/genres",
         "browse/dates", "browse/languages", "browse/trails", "images", "map", "map?view=near", "map?box=480,100,60,27.4", "timeline", "page/1", "page/2",
         "page/2?view=archived", "page/2?view=reasons", "why?url=http://news.example/storm/1", "why?url=http://x.example/",
         "monitor", "labels"]  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_every_page_shows_hostile_text_as_text(browser, path):
    """Titles, texts, links, places and evidence of pages never become markup of ours."""
    answer = browser.get(f"/c/storm/{path}")
    assert answer.status_code == 200
    tree = LexborHTMLParser(answer.text)
    assert [node.attributes.get("src") for node in tree.css("script")] == ["/static/app.js"]
    ours = re.compile(r"/c/storm/thumbnail/\d+")
    assert all(ours.fullmatch(node.attributes.get("src") or "") for node in tree.css("img"))
    assert not tree.css("[onerror], [onload], [style]")
    assert all(
        not (node.attributes.get("href") or "").lower().startswith("javascript") for node in tree.css("a")
    )


@pytest.mark.parametrize("path", [*PAGES, "page/999999"])
def test_every_page_has_one_heading_of_its_own(browser, path):
    """Who listens to a page hears first what it is."""
    assert len(LexborHTMLParser(browser.get(f"/c/storm/{path}").text).css("h1")) == 1


def test_a_crawl_whose_seeds_failed_says_so(tmp_path):
    """Nothing was judged: that is not a collection without a text index."""
    made = CollectionWriter.create_or_open(tmp_path / "none", sample_library.SPEC)
    with made as collection, collection.commit():
        collection.save(failed("http://a.example/"))
    with sample_library.client(tmp_path / "none") as browser:
        for path in ("", "search?q=storm"):
            text = LexborHTMLParser(browser.get(f"/c/none/{path}").text).text()
            assert "1 request got no page" in text
            assert "index" not in text.lower()


def test_a_day_that_only_the_text_names_is_doubtful(tmp_path):
    """An article on a country is not published on the day of what it tells; a stated date is taken as one."""
    sentence = (
        b"It was attacked on September 11, 2001, and went to war, "
        + b"as it had done before, " * 20
        + b"at last."
    )
    prose = b"<html lang=en><h1>A country</h1><p>" + sentence + b"</p></html>"
    stated = b'<html><meta property="article:published_time" content="2001-09-11"><p>Today.</p></html>'
    urls = {"http://a.example/1": prose, "http://a.example/2": stated}
    made = CollectionWriter.create_or_open(tmp_path / "c", sample_library.SPEC, name="storm")
    with made as collection, collection.commit():
        for url, body in urls.items():
            collection.save(page_record(url, fetched=fetched(url, body=body)))
    index_collection(tmp_path / "c", 0)
    with sample_library.client(tmp_path / "c") as browser:
        told = ["2001-09-11?" in browser.get(f"/c/c/page/{number}").text for number in (1, 2)]
    assert told == [True, False]
    with Collection.open(tmp_path / "c") as reading:
        dated = reading.search.best_dated(PageFilter(relevance=Relevance.JUDGED))
    assert [page.url for page in dated] == ["http://a.example/2"]


def test_the_monitor_counts_one_kind_of_page_as_pages(storm, browser, monkeypatch):
    """A running crawl counts errors as pages too: they are fetched ones, and none of the judged that harvest is of."""
    live = {
        "ok": True,
        "running": True,
        "paused": False,
        "ended": "",
        "pages": 9,
        "relevant": 7,
        "seconds": 3.0,
    }
    monkeypatch.setattr(monitor, "ask", lambda *_: live)
    status = browser.get("/api/c/storm/status").json()
    assert (status["fetched"], status["pages"], status["relevant"], status["harvest"]) == (9, 3, 2, None)


def test_trails_are_offered_where_pages_were_looked_through(browser, tmp_path):
    """Elsewhere all pages would be in one row."""
    directory = tmp_path / "looked"
    made = CollectionWriter.create_or_open(directory, sample_library.SPEC, name="looked")
    with made as writer, writer.commit():
        writer.save(page_record("http://a.test/1", explored=True))
    assert "browse/trails" not in browser.get("/c/storm/browse/sources").text
    with sample_library.client(directory) as other:
        assert "browse/trails" in other.get("/c/looked/browse/sources").text


def test_search_finds_by_words_and_filters(browser):
    """Words and each filter narrow the hits; found words are marked."""

    def titles(query: str) -> list[str]:
        tree = LexborHTMLParser(browser.get(f"/c/storm/search?{query}").text)
        return [node.text(strip=True) for node in tree.css(".hit .title")]

    assert titles("q=river") == ["Storm hits Rome"]
    assert "<mark>river</mark>" in browser.get("/c/storm/search?q=river").text
    assert len(titles("q=storm")) == 2
    assert titles("q=storm&language=en") == ["Storm hits Rome"]
    assert titles("genre=news") == ["Storm hits Rome"]
    assert titles("place=Rome") == ["Storm hits Rome"]
    assert titles("entity=Ann+Lee") == ["Storm hits Rome"]
    assert titles("since=2024-06") == [sample_library.EVIL]
    assert titles("until=2024-05") == ["Storm hits Rome"]
    assert titles("relevant=no") == ["Cooking"]
    assert titles("source=news.example&order=oldest")[0] == "Storm hits Rome"
    assert "Nothing found" in browser.get("/c/storm/search?q=nosuchword").text
    assert titles("q=storms+source:news.example+before:2024-05") == ["Storm hits Rome"]
    assert titles("q=river+-trees") == []
    assert titles("order=uncertain&relevant=all")[0] == "Storm hits Rome"


def test_a_search_says_what_it_left_out_and_what_may_be_meant(browser):
    """Pages that match and were not kept are counted; a misspelt word has a suggestion."""
    tree = LexborHTMLParser(browser.get("/c/storm/search?q=soup").text)
    near = next(link for link in tree.css("a") if "not kept" in link.text())
    assert near.text() == "1 more among pages not kept"
    assert "Cooking" in browser.get(near.attributes["href"] or "").text
    assert "Did you mean" in browser.get("/c/storm/search?q=strom").text


@pytest.mark.parametrize("number", ["99", "9" * 18, "9" * 19, "9" * 5000, "-1", "1.5", "x", "%00"])
def test_a_page_that_is_not_there(browser, number):
    """Whatever stands for its number: it is not there, in words."""
    for root in ("/c/storm", "/api/c/storm"):
        assert browser.get(f"{root}/page/{number}").status_code == 404


def test_people_and_organisations_lead_to_their_pages(browser):
    """A name stands on the browse page, the overview and the page that names it, each a link to its pages."""
    for path, name in (("browse/people", "Ann Lee"), ("browse/organisations", "Tiber Bridge Trust")):
        for place in (path, "", "page/1"):
            tree = LexborHTMLParser(browser.get(f"/c/storm/{place}").text)
            links = {node.text(strip=True): node.attributes["href"] or "" for node in tree.css("main a")}
            assert links[name].endswith(f"/search?entity={name.replace(' ', '+')}".replace("+", "%20")) or (
                links[name].endswith(f"/search?entity={name.replace(' ', '+')}")
            )


@given(st.text(max_size=80))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    max_examples=60,
)
def test_any_search_string_is_answered(browser, text):
    """No search string is an error, and none comes back as markup."""
    answer = browser.get(
        "/c/storm/search", params={"q": text, "source": text, "since": text, "page": text, "trail": text}
    )
    assert answer.status_code == 200
    assert len(LexborHTMLParser(answer.text).css("script")) == 1


@pytest.mark.parametrize(
    "query", ['"', "NOT", "a AND", "title:x", "x*", "^a", "NEAR(a b)", "' OR 1=1 --", "\x00", "{a}:"]
)
def test_operators_are_words(browser, query):
    """Nothing typed is an operator of SQL or of the search language."""
    assert browser.get("/c/storm/search", params={"q": query}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/c/..%2f..%2fetc/", "/c/nosuch/", "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/c/storm/page/99",
     "/c/storm/browse/secrets", "/c/storm/page/99999999999999999999", "/api/c/nosuch/search", "/c/storm/../../etc/passwd"],
)  # fmt: skip
def test_no_path_leads_out(browser, path):
    """Unknown names, pages, fields and paths with dots are not found, and nothing else."""
    answer = browser.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_the_page_view_gives_its_reasons(browser):
    """Evidence, score, rule, parent, link text and the path from the seed."""
    text = LexborHTMLParser(browser.get("/c/storm/page/2?view=reasons").text).text()
    for words in (
        "0.7000",
        "cosine",
        "Found on",
        "Storm hits Rome",
        "Priority",
        "mean",
        "Path from the seed",
    ):
        assert words in text


def test_map_and_timeline_lead_to_their_pages(browser):
    """A dot is a link to the pages of its place, a column one to those of its days."""
    assert "search?place=Rome" in browser.get("/c/storm/map").text
    tree = LexborHTMLParser(browser.get("/c/storm/timeline").text)
    assert next(str(node.attributes["href"]) for node in tree.css(".columns a")).endswith(
        "since=2024-05-02&until=2024-05-02"
    )


def test_an_empty_collection_is_shown_as_such(tmp_path):
    """Every page of a collection without any page says so, and works."""
    with CollectionWriter.create_or_open(tmp_path / "storm", ""):
        pass
    with sample_library.client(tmp_path / "storm") as browser:
        for path in PAGES:
            if not path.startswith("page/"):
                assert browser.get(f"/c/storm/{path}").status_code == 200
        assert "Nothing has been collected yet" in browser.get("/c/storm/").text


def test_labels_are_kept_beside_the_catalogue(storm, tmp_path):
    """Marking writes labels.db and not a byte of the catalogue; it can be taken back."""
    own = tmp_path / "storm"
    shutil.copytree(storm, own)
    before = (own / "catalogue.db").read_bytes()
    with sample_library.client(own) as browser:
        answer = sample_library.post(browser, "/c/storm/label", id="1", relevant="no", next="/c/storm/page/1")
        assert (answer.status_code, answer.headers["location"]) == (303, "/c/storm/page/1")
        assert [label.relevant for label in labels_in(own).values()] == [False]
        assert "labelled not relevant" in browser.get("/c/storm/page/1").text
        assert "Storm hits Rome" in browser.get("/c/storm/labels").text
        assert sample_library.post(browser, "/c/storm/retrain").headers["location"].endswith("said=later")
        sample_library.post(browser, "/c/storm/label", id="1", relevant="clear", next="/")
        assert labels_in(own) == {}
        assert sample_library.post(browser, "/c/storm/label", id="77", relevant="yes").status_code == 404
        assert sample_library.post(browser, "/c/storm/label", id="x", relevant="yes").status_code == 400
    assert (own / "catalogue.db").read_bytes() == before


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({}, "not a fair sample"),
        ({"judge": {"kind": "text"}}, "trained again"),
        ({"judge": {"kind": "text"}, "topic": {"model": "m.model"}}, "lycosa train text"),
        ({"judge": {"kind": "event"}}, "edit [event]"),
        ({"judge": {"kind": "all"}}, "no judge to teach"),
        ({"": {"strategy": "profile"}}, "edit [profile]"),
        ({"judge": {"kind": [1]}, "topic": {}}, "not a fair sample"),
    ],
)
def test_the_labels_page_says_what_they_teach(spec, said):
    """For every judge, what labels do, or what to do instead; a broken spec breaks nothing."""
    assert said in effect_of_labels(spec)


def test_several_collections_are_served_together(storm, tmp_path):
    """Two collections of one name get two names, and one search asks both."""
    other = sample_library.make(tmp_path / "storm")
    from starlette.testclient import TestClient

    from lycosa.library import app
    from lycosa.library.served_collections import ServedCollections

    application = app.application(
        ServedCollections([storm, other]), sample_library.KEYS, sample_library.ORIGINS
    )
    with TestClient(application, base_url=f"http://{sample_library.HOST}:{sample_library.PORT}") as browser:
        browser.cookies.set(f"lycosa-{sample_library.PORT}", sample_library.KEYS.session())
        assert "/c/storm-2/" in browser.get("/").text
        assert len(re.findall(r'class="hit"', browser.get("/search?q=river").text)) == 2


def test_the_look_is_served_with_the_fonts_that_are_installed(browser):
    """Style and logo are for everybody; a font that is not there says how to install it."""
    style = browser.get("/static/design.css")
    assert style.headers["content-type"].startswith("text/css")
    assert "--accent" in style.text
    assert browser.get("/static/logo.svg").headers["content-type"].startswith("image/svg+xml")
    for name in re.findall(r'url\("/static/fonts/(.*?)"\)', style.text):
        assert browser.get(f"/static/fonts/{name}").headers["cache-control"].startswith("public")
    missing = browser.get("/static/fonts/nosuch.ttf")
    assert missing.status_code == 404
    assert "lycosa[fonts]" in missing.text


def test_one_of_a_thing_is_not_counted_as_many(browser):
    """The tiles speak English."""
    assert re.search(r"<b>1</b><span>source</span>", browser.get("/c/storm/").text)


def test_documents_of_a_kind_are_found_by_facet_and_by_words(tmp_path):
    """The facet appears where there are several kinds; a kind may be typed, too."""
    directory = tmp_path / "kinds"
    with CollectionWriter.create_or_open(directory, sample_library.SPEC, name="kinds") as collection:
        for number, media_type in enumerate(("text/html; charset=utf-8", "Application/PDF", "text/html")):
            url = f"http://news.example/{number}"
            headers = (("Content-Type", media_type),)
            with collection.commit():
                collection.save(
                    page_record(url, fetched=fetched(url, headers=headers), title=f"Storm {number}")
                )
    with sample_library.client(directory) as browser:
        page = LexborHTMLParser(browser.get("/c/kinds/search").text)
        told = {node.text(strip=True) for node in page.css(".facet li")}
        assert {"web page2", "PDF1"} <= told
        for query in ("kind=application/pdf", "q=kind:pdf"):
            page = LexborHTMLParser(browser.get(f"/c/kinds/search?{query}").text)
            assert [node.text(strip=True) for node in page.css(".hit .title")] == ["Storm 1"]


def test_images_are_shown_small_and_never_as_they_came(tmp_path):
    """The gallery and the page show an image with what was seen in it; a file that is none is not passed on."""
    directory, page_url = tmp_path / "seen", "http://news.example/storm"
    out = io.BytesIO()
    Image.new("RGB", (900, 600), "navy").save(out, "PNG")
    with CollectionWriter.create_or_open(directory, sample_library.SPEC, name="seen") as collection:
        with collection.commit():
            collection.save(page_record(page_url, title="Storm hits Rome"))
        for name, body in (("map.png", out.getvalue()), ("evil.png", sample_library.EVIL_PAGE)):
            link = link_to(f"http://news.example/{name}", kind=Kind.IMAGE, parent=link_to(page_url).key)
            answer = fetched(link.url, body=body, link=link, headers=(("Content-Type", "image/png"),))
            evidence: dict[str, Fact] = {"image": Score(0.9, "heatmap")} if name == "map.png" else {}
            page = Page(link, link.url, evidence=evidence)
            with collection.commit():
                collection.save(Record(at=NOW, fetched=answer, page=page))
    with sample_library.client(directory) as browser:
        shown = LexborHTMLParser(browser.get("/c/seen/images").text)
        assert [node.attributes["src"] for node in shown.css("img")] == [
            "/c/seen/thumbnail/2",
            "/c/seen/thumbnail/3",
        ]
        assert "heatmap 0.90" in shown.text()
        assert "/c/seen/thumbnail/2" in browser.get("/c/seen/page/1").text
        small = browser.get("/c/seen/thumbnail/2")
        with Image.open(io.BytesIO(small.content)) as drawn:
            assert (drawn.format, drawn.width) == ("JPEG", 320)
        for number in (1, 3, 99):
            assert browser.get(f"/c/seen/thumbnail/{number}").status_code == 404


def test_who_watches_a_crawl_is_sent_what_changes(storm):
    """As server-sent events, each a whole part of the page; a library that closes ends the stream."""
    closing = threading.Event()
    closing.set()
    with sample_library.client(storm, closing=closing) as browser:
        answer = browser.get("/c/storm/monitor/events")
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.text.splitlines()
        assert all(line.startswith("data: ") or not line for line in lines)
        tree = LexborHTMLParser("\n".join(line.removeprefix("data: ") for line in lines))
        assert "pages fetched" in tree.text()
        assert not tree.css("script, html > body > h1, [onerror]")
        assert browser.get("/c/nosuch/monitor/events").status_code == 404


def test_when_things_went_wrong_is_drawn(tmp_path):
    """By reason, over the last run."""
    directory = tmp_path / "wrong"
    writer = CollectionWriter.create_or_open(directory, sample_library.SPEC, name="wrong")
    with writer as collection, collection.commit():
        collection.catalogue.begin_run(NOW - 60)
        collection.save(failed("http://slow.example/1"))
        collection.save(failed("http://slow.example/2"))
    with sample_library.client(directory) as browser:
        (drawn,) = LexborHTMLParser(browser.get("/c/wrong/monitor").text).css("svg.course")
        assert drawn.attributes["aria-label"] == "2 in the last run, 2 in its worst part"
        assert len(drawn.css("rect")) == 1


def test_the_event_is_named(tmp_path):
    """On the overview and in the report: what, where and when, by the spec."""
    spec = 'name = "flood"\n[event]\nwhat = ["flood"]\nwhere = ["Marlow"]\ndate = 2024-05-02\n'
    directory = tmp_path / "flood"
    writer = CollectionWriter.create_or_open(directory, spec, name="flood")
    with writer as collection, collection.commit():
        collection.save(page_record("http://news.example/1"))
    with sample_library.client(directory) as browser:
        told = "The event: flood; in Marlow; on 2024-05-02."
        assert told in browser.get("/c/flood/").text
        assert told in write_report(directory).read_text(encoding="utf-8")
