from __future__ import annotations

import math
import sqlite3

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.collection import Record
from lycosa.collection.catalogue import schema
from lycosa.collection.catalogue.page_rows import RECENT_TERMS
from lycosa.collection.collection import Collection
from lycosa.collection.search.phrases import END_MARK, JOINT, MARK
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import CollectionError
from lycosa.fetch.polite.robots import StoredRobots
from lycosa.page.text.terms import packed
from lycosa.urls import key_of
from lycosa.values import Decision, Judgement, Link, Notes, Reason, Refusal, Score, fact_of
from tests.collection.archives import types_of, urls_of
from tests.collection.records import NOW, failed, fetched, link_to, page_record, with_evidence

URL = "http://news.a.example/storm"


def save(collection: CollectionWriter, *records: Record) -> None:
    with collection.commit():
        for record in records:
            collection.save(record)


def test_a_page_comes_back_as_it_was(opened):
    """Everything that was concluded on a page is there after reopening, floats to the last bit."""
    link = link_to(
        URL,
        anchor="a storm",
        depth=2,
        trail=1,
        priority=1 / 3,
        parent=9,
        noted=Notes(memo=b"\x81\xa4type\xa1x", via=(7,)),
    )
    record = msgspec.structs.replace(
        page_record(
            URL, fetched=fetched(URL, link=link), language="en", date="2024-05-01", words=4, simhash=2**64 - 2
        ),
        near_duplicate_of=77,
    )
    save(opened(), record)

    page = opened().reader.page(key_of(URL))

    assert page.link == link
    assert page.judgement == record.judgement
    assert (page.status, page.content_type, page.source) == (200, "text/html", "a.example")
    assert (page.title, page.language, page.date, page.words) == ("A title", "en", "2024-05-01", 4)
    assert (page.simhash, page.near_duplicate_of, page.refusal) == (2**64 - 2, 77, None)
    assert (page.at, page.elapsed_s, page.bytes) == (NOW, 0.1, 12)


def test_links_keep_their_decisions(opened):
    """Position, priority, refusal, hold and rule of each link; the URL of those refused."""
    collection = opened()
    save(collection, page_record(URL))

    refused, taken, held = collection.reader.links(1)

    assert refused.refusal == Refusal(Reason.OUT_OF_SCOPE, "hosts")
    assert (refused.url, refused.rule) == (f"{URL}/0", "scope")
    assert (taken.target, taken.anchor, taken.priority, taken.rule) == (
        key_of(f"{URL}/1"),
        "link 1",
        0.5,
        "mean",
    )
    assert (taken.refusal, taken.url, taken.hold) == (None, "", "")
    assert (held.hold, held.position, held.page) == ("images", 2, key_of(URL))
    assert [link.position for link in collection.reader.links_to(key_of(f"{URL}/1"))] == [1]


def test_links_that_are_too_long_are_kept_cut(opened):
    """A page of many of them would fill the catalogue; they are found by the key of the whole URL."""
    url = "http://b.example/" + "x" * 7_000
    record = page_record("http://a.example/")
    long = Decision(link_to(url), refusal=Refusal(Reason.LONG_URL), rule="scope")
    collection = opened()
    save(collection, msgspec.structs.replace(record, decisions=(long,)))
    (link,) = collection.reader.links_to(key_of(url), 10)
    assert url.startswith(link.url)
    assert len(link.url) < 1_000
    assert link.refusal == Refusal(Reason.LONG_URL)


def test_held_links_can_be_settled(opened):
    """What was decided later replaces the hold."""
    collection = opened()
    record = page_record(URL)
    save(collection, record)
    held = record.decisions[-1].link
    with collection.commit():
        collection.settle([Decision(held, refusal=Refusal(Reason.LOW_PRIORITY), rule="no image")])

    last = list(collection.reader.links(1))[-1]

    assert (last.hold, last.refusal, last.rule, last.url) == (
        "",
        Refusal(Reason.LOW_PRIORITY),
        "no image",
        held.url,
    )


def test_evidence_and_lessons_come_back_in_order(opened):
    """Learning can be replayed: link, judgement and evidence, in the order of the commits."""
    collection = opened()
    first, second = with_evidence("http://z.example/"), with_evidence(URL)
    save(collection, first)
    save(collection, failed("http://c.example/"), second)

    lessons = list(collection.reader.lessons())

    assert [lesson[0] for lesson in lessons] == [link_to("http://z.example/"), link_to(URL)]
    assert lessons[1][1:] == (second.judgement, {"topic": Score(0.7, "storm")})
    assert collection.reader.link_evidence(1) == {"anchor": (0.1, 0.2, 1 / 3)}
    assert len(list(collection.reader.lessons(after=1))) == 1


def test_terms_come_back_in_order_and_are_bounded(opened):
    """What a judge is fitted on: the counts of each page, those behind a page only, at most 2,000 terms each."""
    collection = opened()
    many = {f"w{n}": n + 1 for n in range(3000)}
    save(
        collection,
        page_record("http://a.example/1", terms=packed({"owl": 2})),
        page_record("http://a.example/2"),
    )
    save(collection, page_record("http://a.example/3", terms=packed(many)))
    first, second, third = collection.reader.terms()
    assert (first.key, first.terms.counted()) == (key_of("http://a.example/1"), {"owl": 2})
    assert second.terms.counted() == {}
    assert len(third.terms) == 2000
    assert min(third.terms.counted().values()) == 1001
    assert list(collection.reader.terms(second.id)) == [third]
    save(collection, page_record("http://a.example/1", terms=packed({"owl": 1, "nest": 1})))
    assert next(collection.reader.terms()).terms.counted() == {"owl": 1, "nest": 1}
    assert collection.reader.terms_of(first.id).counted() == {"owl": 1, "nest": 1}


def test_terms_of_the_last_pages_are_at_hand(opened):
    """A version that was fitted meanwhile judges them: they are those that are stored, and need not be hashed again."""
    collection = opened()
    terms = packed({"owl": 2, "night": 1})
    for n in range(RECENT_TERMS + 1):
        save(collection, page_record(f"http://a.example/{n}", terms=terms))
    first, second, *_ = collection.page_terms(0, "")
    assert second.terms == terms
    assert first.terms.counted() == second.terms.counted()
    save(collection, page_record("http://a.example/1", terms=packed({"nest": 1})))
    _, second, *_ = collection.page_terms(0, "")
    assert second.terms.counted() == {"nest": 1}


def test_a_page_fetched_again_keeps_its_place(opened):
    """A second fetch replaces links and evidence, adds a capture, and moves nothing."""
    collection = opened()
    save(collection, with_evidence(URL), page_record("http://b.example/"))
    save(
        collection,
        page_record(URL, links=2, fetched=fetched(URL, b"new", at=NOW + 60), title="New", text="calm"),
    )

    page = collection.reader.page(key_of(URL))

    assert (page.id, page.title, page.at) == (1, "New", NOW + 60)
    assert len(list(collection.reader.links(1))) == 2
    assert collection.reader.evidence(1) == {}
    assert [capture.at for capture in collection.reader.captures(1)] == [NOW, NOW + 60]
    assert not [hit for hit in collection.search.find("storm").hits if hit.url == URL]


@pytest.mark.parametrize("status", [304, 404])
def test_a_later_capture_without_a_page_leaves_the_page(opened, status):
    """Not modified or gone later: a capture more, the judged page as it was."""
    collection = opened()
    save(collection, page_record(URL))
    save(collection, Record(at=NOW, fetched=fetched(URL, b"", status, at=NOW + 60)))

    page = collection.reader.page(key_of(URL))

    assert page.judgement is not None
    assert page.status == 200
    assert [one.status for one in collection.reader.captures(1)] == [200, status]
    assert len(list(collection.reader.links(1))) == 3
    assert types_of(collection.archive).count("revisit") == (status == 304)


def test_the_same_body_elsewhere_is_a_revisit(opened):
    """The second URL with the same bytes is archived as a revisit of the first."""
    collection = opened()
    body = b"<p>same</p>"
    save(collection, Record(at=NOW, fetched=fetched(URL, body)))
    save(collection, Record(at=NOW, fetched=fetched("http://b.example/", body)))

    assert urls_of(collection.archive, "revisit") == ["http://b.example/"]
    assert [one.capture.revisit for one in collection.reader.captures(2)] == [True]


def test_failures_are_kept_until_the_page_comes(opened):
    """The last failure of a URL is told with its reason; a response later removes it."""
    collection = opened()
    save(collection, failed(URL, again_in_s=9.0), failed("http://b.example/", Reason.ROBOTS))

    outcome = collection.reader.outcome(key_of(URL))

    assert (outcome.refusal, outcome.attempts, outcome.again) == (Refusal(Reason.TIMEOUT, "20 s"), 1, True)
    save(collection, page_record(URL))
    assert collection.reader.outcome(key_of(URL)) is None
    assert collection.reader.counts_by_reason().requests == {"ROBOTS": 1}


def test_reasons_are_counted(opened):
    """Refused links, responses and requests, each by reason, over several commits."""
    collection = opened()
    duplicate = Record(at=NOW, fetched=fetched("http://c.example/"), refusal=Refusal(Reason.DUPLICATE, URL))
    save(collection, page_record(URL), duplicate)
    save(collection, page_record("http://b.example/"), failed("http://d.example/", Reason.DNS))

    counts = collection.reader.counts_by_reason()

    assert counts.links == {"OUT_OF_SCOPE": 2}
    assert counts.pages == {"DUPLICATE": 1}
    assert counts.requests == {"DNS": 1}
    assert collection.reader.page(key_of("http://c.example/")).refusal == Refusal(Reason.DUPLICATE, URL)


def test_the_path_from_the_seed(opened):
    """Parents lead back to the seed, also from a URL that failed; circles end."""
    collection = opened()
    seed, middle = "http://a.example/", "http://a.example/m"
    save(collection, page_record(seed, fetched=fetched(seed, b"1")))
    save(
        collection,
        page_record(middle, fetched=fetched(middle, b"2", link=link_to(middle, parent=key_of(seed)))),
    )
    lost = failed(URL, parent=key_of(middle))
    circle = link_to("http://c.example/", parent=key_of("http://c.example/"))
    save(collection, lost, Record(at=NOW, fetched=fetched("", b"3", link=circle)))

    assert collection.reader.path_from_seed(key_of(URL)) == (seed, middle, URL)
    assert collection.reader.path_from_seed(key_of("http://c.example/")) == ("http://c.example/",)
    assert collection.reader.path_from_seed(1) == ()


def test_the_harvest_curve(opened):
    """Judged pages in order with how many were relevant; thinned out, but never without its end."""
    collection = opened()
    save(collection, *(page_record(f"http://a.example/{i}", relevant=i % 2 == 0) for i in range(5)))

    assert collection.reader.harvest_curve() == [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)]
    assert collection.reader.harvest_curve(points=2) == [(2, 1), (4, 2), (5, 3)]


def test_runs_outlive_a_kill(opened):
    """A run that was never ended still says how long it lasted and what it fetched."""
    collection = opened()
    with collection.commit():
        collection.catalogue.begin_run(NOW - 100)
    save(collection, page_record(URL))
    collection = opened()
    with collection.commit():
        collection.catalogue.begin_run(NOW + 500)
    save(collection, page_record("http://b.example/"), page_record("http://c.example/"))
    with collection.commit():
        collection.catalogue.end_run(NOW + 600, "page limit")

    killed, ended = opened().reader.runs()

    assert (killed.started, killed.ended, killed.pages, killed.reason) == (NOW - 100, NOW + 1, 1, "")
    assert (ended.started, ended.ended, ended.pages, ended.reason) == (NOW + 500, NOW + 600, 2, "page limit")


def test_search_finds_words_whatever_their_accents(opened):
    """All words must be there; the snippet marks them; no query is an error."""
    collection = opened()
    save(
        collection,
        page_record(URL, text="Une tempête sur Nice"),
        page_record("http://b.example/", text="calm"),
    )

    (hit,) = collection.search.find("TEMPETE nice").hits

    assert hit.url == URL
    assert f"{MARK}tempête{END_MARK}" in hit.snippet
    for query in ("", '"', "NEAR(", "a OR", "body:x", "*", "storm AND NOT", "\ud800 x"):
        collection.search.find(query)


def test_the_text_index_may_catch_up(opened):
    """Pages saved without text are listed, and found once they were indexed."""
    collection = opened()
    save(collection, page_record(URL, text=""), page_record("http://b.example/"))

    (page,) = collection.reader.without_text()
    with collection.commit():
        collection.catalogue.add_text(page.id, page.title, "late words")
        collection.catalogue.set_fingerprint(page.id, 2**63, b"sketch")
        collection.catalogue.set_cluster(page.id, 5)

    assert [hit.url for hit in collection.search.find("late").hits] == [URL]
    assert collection.reader.text(page.id) == "late words"
    assert collection.reader.page(key_of(URL)).simhash == 2**63
    assert not list(collection.reader.without_text())


def test_texts_that_are_indexed_later_are_those_of_the_last_capture(opened):
    """A shard keeps them as they are: they can be read, and cannot be searched by words."""
    collection = opened()
    save(collection, page_record(URL, text="words of old"))
    collection.catalogue.index_texts_later()
    save(collection, page_record("http://b.example/", text="other words"), page_record(URL, text="new words"))
    number = collection.reader.page(key_of(URL)).id
    assert collection.reader.text(number) == "new words"
    with Collection.open(collection.directory) as reading:
        assert not reading.search.find("words").hits
    save(collection, page_record(URL, text=""))
    assert collection.reader.text(number) == ""


def test_robots_are_a_mapping(opened):
    """robots.txt files come back after a restart; the mapping does what a mapping does."""
    robots = opened().robots()
    robots["http://a.example"] = StoredRobots("User-agent: *\nDisallow: /\ud800", 200, NOW)
    robots["http://b.example"] = StoredRobots("", 404, NOW)
    del robots["http://b.example"]

    robots = opened().robots()

    assert dict(robots) == {"http://a.example": StoredRobots("User-agent: *\nDisallow: /\ud800", 200, NOW)}
    assert len(robots) == 1
    with pytest.raises(KeyError):
        robots["http://b.example"]
    with pytest.raises(KeyError):
        del robots["http://b.example"]


anything = st.text(max_size=50) | st.sampled_from(["\0", "\ud800", "a\0b\udfff", "x" * 100_000, "\U0010ffff"])
numbers = st.floats() | st.sampled_from([0.0, math.inf, math.nan])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    title=anything,
    text=anything,
    anchor=anything,
    label=anything,
    score=numbers,
    simhash=st.integers(0, 2**64 - 1),
)
def test_whatever_a_page_says_it_can_be_saved_and_read(
    tmp_path_factory, title, text, anchor, label, score, simhash
):
    """NULs, lone surrogates, huge texts and odd numbers neither stop a commit nor get lost."""
    record = page_record(
        URL, title=title, text=text, simhash=simhash, evidence={"topic": Score(score, label)}
    )
    link = Link(URL + "?x", 5, anchor=anchor)
    record = msgspec.structs.replace(
        record,
        judgement=Judgement(True, score, label),
        decisions=(Decision(link, rule=title), Decision(link, refusal=Refusal(Reason.TRAP, anchor))),
    )
    with CollectionWriter.create_or_open(tmp_path_factory.mktemp("any"), "") as collection:
        save(collection, record)
        page = collection.reader.page(key_of(URL))
        links = list(collection.reader.links(1))

        assert page is not None
        assert page.judgement is not None
        assert links[1].refusal is not None
        assert page.title == storable(title)
        assert [one.anchor for one in links] == [storable(anchor)] * 2
        assert links[1].refusal.detail == storable(anchor)
        assert page.judgement.score == score or math.isnan(score)
        assert page.simhash == simhash
        assert collection.reader.text(1) == storable(text).replace(JOINT, " ")
        assert fact_of(collection.reader.evidence(1), "topic", Score).label == storable(label)
        assert types_of(collection.archive) == ["warcinfo", "response", "request", "metadata"]


def storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (99, r"newer Lycosa \(schema 99.*pip install -U lycosa"),
        (3, r"older Lycosa \(schema 3.*lycosa import .*archive"),
    ],
)
def test_a_catalogue_of_another_version_is_refused(opened, tmp_path, version, message):
    """A catalogue of another schema version is not touched; the message names the command to run."""
    opened().close()
    with sqlite3.connect(tmp_path / "storm" / "catalogue.db") as raw:
        raw.execute(f"PRAGMA user_version = {version}")
    raw.close()

    for attempt in (opened, lambda: Collection.open(tmp_path / "storm")):
        with pytest.raises(CollectionError, match=message):
            attempt()


def test_a_catalogue_that_cannot_be_created_stays_empty(opened, monkeypatch):
    """All tables are created in one transaction, so that the next attempt starts from nothing."""
    with monkeypatch.context() as patch:
        patch.setattr(schema, "SEGMENTS", "many")
        with pytest.raises(CollectionError):
            opened()
    assert opened().reader.counts().fetched == 0


TOKYO = "天気予報です。東京都は今夜、雨でしょう。올빼미는 밤에 난다. 猫头鹰在夜里飞。"


def test_search_finds_words_of_texts_without_blanks(opened):
    """Chinese, Japanese and Korean: any part of a run of characters, shown as the page has it."""
    collection = opened()
    save(collection, page_record(URL, text=TOKYO, title="東京の天気"))
    for typed in ("東京", "東京都", "雨", "猫头鹰", "올빼미", '"東京の天気"', "東京 雨"):
        (hit,) = collection.search.find(typed).hits
        assert "\x1f" not in hit.snippet
    assert not collection.search.find("京東").hits
    assert collection.reader.text(hit.id) == TOKYO
