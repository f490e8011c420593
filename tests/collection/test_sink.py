"""One contract for every sink."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from lycosa.collection import Counts, Record, Sink
from lycosa.collection.archive.warc import digest_of
from lycosa.collection.writer import CollectionWriter
from lycosa.urls import key_of
from lycosa.values import Kind, Reason, Refusal
from lycosa_lab.runs.memory_sink import MemorySink
from tests.collection.records import NOW, failed, fetched, link_to, page_record

URL = "http://a.example/"


@pytest.fixture(params=["memory", "disk"])
def sink(request, opened: Callable[[], CollectionWriter]):
    made: dict[str, Callable[[], Sink]] = {"memory": MemorySink, "disk": opened}
    return made[request.param]()


def save(sink: Sink, *records: Record) -> None:
    with sink.commit():
        for record in records:
            sink.save(record)


def test_counts_follow_what_was_saved(sink):
    """Every record is counted as what it is."""
    image = fetched("http://a.example/i.png", b"png", link=link_to("http://a.example/i.png", kind=Kind.IMAGE))
    gone = Record(
        at=NOW, fetched=fetched("http://a.example/gone", b"no", 404), refusal=Refusal(Reason.HTTP_ERROR)
    )
    body = len(f"<p>body of {URL}</p>")

    save(
        sink,
        page_record(URL),
        page_record("http://b.example/", relevant=False, explored=True),
        gone,
        Record(at=NOW, fetched=image),
        failed("http://c.example/"),
    )

    assert sink.counts() == Counts(
        fetched=3, judged=2, relevant=1, explored=1, refused=1, others=1, failed=1, bytes=2 * body + 5
    )


def test_a_body_is_known_once_a_page_with_it_was_kept(sink):
    """The first such page is found by its digest; refused, failed and empty ones never are."""
    body = b"<p>twice</p>"
    noindex = Refusal(Reason.NOINDEX)
    assert sink.kept_page(digest_of(body)) is None
    refused = page_record("http://a.example/", fetched=fetched("http://a.example/", body))
    save(sink, msgspec.structs.replace(refused, refusal=noindex))
    save(sink, Record(at=NOW, fetched=fetched("http://e.example/", body)))
    assert sink.kept_page(digest_of(body)) is None
    for number, name in enumerate("bcd"):
        url = f"http://{name}.example/"
        save(sink, page_record(url, fetched=fetched(url, body, at=NOW + number)))
    save(sink, Record(at=NOW, fetched=fetched("http://c.example/x", b"broken", 500)))
    save(sink, page_record("http://d.example/x", fetched=fetched("http://d.example/x", b"")))

    assert sink.kept_page(digest_of(body)) == "http://b.example/"
    assert sink.kept_page(digest_of(b"broken")) is None
    assert sink.kept_page(digest_of(b"")) is None


def test_explored_pages_can_join(sink):
    """Promoting counts each explored page once, and others not at all."""
    save(sink, page_record(URL, explored=True), page_record("http://b.example/"))

    with sink.commit():
        sink.promote([key_of(URL), key_of("http://b.example/"), 12345])
        sink.promote([key_of(URL)])

    assert sink.counts().explored == 0


def test_an_error_inside_a_commit_comes_out(sink):
    """A commit never swallows what went wrong."""
    with pytest.raises(ZeroDivisionError), sink.commit():
        raise ZeroDivisionError


def test_memory_keeps_the_order():
    """The lab reads the order of URLs, each once."""
    sink = MemorySink()
    save(sink, page_record("http://b.example/"), page_record(URL), page_record("http://b.example/"))

    assert sink.fetched == ["http://b.example/", URL]
    assert sink.judgements[key_of(URL)].relevant
