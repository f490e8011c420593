"""One contract for every store."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from lycosa.collection import Counts, Record, Store
from lycosa.collection.archive.warc import digest_of
from lycosa.collection.memory import MemoryStore
from lycosa.collection.writer import CollectionWriter
from lycosa.urls import key_of
from lycosa.values import Kind, Reason, Refusal
from tests.collection.records import NOW, failed, fetched, link_to, page_record

URL = "http://a.example/"


@pytest.fixture(params=["memory", "disk"])
def store(request, opened: Callable[[], CollectionWriter]):
    made: dict[str, Callable[[], Store]] = {"memory": MemoryStore, "disk": opened}
    return made[request.param]()


def save(store: Store, *records: Record) -> None:
    with store.commit():
        for record in records:
            store.save(record)


def test_counts_follow_what_was_saved(store):
    """Every record is counted as what it is."""
    image = fetched("http://a.example/i.png", b"png", link=link_to("http://a.example/i.png", kind=Kind.IMAGE))
    gone = Record(
        at=NOW, fetched=fetched("http://a.example/gone", b"no", 404), refusal=Refusal(Reason.HTTP_ERROR)
    )
    body = len(f"<p>body of {URL}</p>")

    save(
        store,
        page_record(URL),
        page_record("http://b.example/", relevant=False, explored=True),
        gone,
        Record(at=NOW, fetched=image),
        failed("http://c.example/"),
    )

    assert store.counts() == Counts(
        fetched=3, judged=2, relevant=1, explored=1, refused=1, others=1, failed=1, bytes=2 * body + 5
    )


def test_a_body_is_known_once_a_page_with_it_was_kept(store):
    """The first such page is found by its digest; refused, failed and empty ones never are."""
    body = b"<p>twice</p>"
    noindex = Refusal(Reason.NOINDEX)
    assert store.kept_page(digest_of(body)) is None
    refused = page_record("http://a.example/", fetched=fetched("http://a.example/", body))
    save(store, msgspec.structs.replace(refused, refusal=noindex))
    save(store, Record(at=NOW, fetched=fetched("http://e.example/", body)))
    assert store.kept_page(digest_of(body)) is None
    for number, name in enumerate("bcd"):
        url = f"http://{name}.example/"
        save(store, page_record(url, fetched=fetched(url, body, at=NOW + number)))
    save(store, Record(at=NOW, fetched=fetched("http://c.example/x", b"broken", 500)))
    save(store, page_record("http://d.example/x", fetched=fetched("http://d.example/x", b"")))

    assert store.kept_page(digest_of(body)) == "http://b.example/"
    assert store.kept_page(digest_of(b"broken")) is None
    assert store.kept_page(digest_of(b"")) is None


def test_explored_pages_can_join(store):
    """Promoting counts each explored page once, and others not at all."""
    save(store, page_record(URL, explored=True), page_record("http://b.example/"))

    with store.commit():
        store.promote([key_of(URL), key_of("http://b.example/"), 12345])
        store.promote([key_of(URL)])

    assert store.counts().explored == 0


def test_settling_is_accepted(store):
    """What was held can be settled, known or not."""
    record = page_record(URL)
    save(store, record)

    with store.commit():
        store.settle(record.decisions[-1:])
        store.settle(())


def test_an_error_inside_a_commit_comes_out(store):
    """A commit never swallows what went wrong."""
    with pytest.raises(ZeroDivisionError), store.commit():
        raise ZeroDivisionError


def test_memory_keeps_the_order():
    """The lab reads the order of URLs, each once."""
    store = MemoryStore()
    save(store, page_record("http://b.example/"), page_record(URL), page_record("http://b.example/"))

    assert store.fetched == ["http://b.example/", URL]
    assert store.judgements[key_of(URL)].relevant
