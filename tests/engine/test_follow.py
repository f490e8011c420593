"""What follows from a response besides judging it."""

from __future__ import annotations

from lycosa.engine.follow import Follow
from lycosa.spec.sections import ArchiveSpec, FetchSpec
from lycosa.urls import key_of
from lycosa.values import Fetched, Kind, Link, Memo

URL = "http://a.example/old"


class Told(Memo, frozen=True, tag="told"):
    words: str


def test_a_redirect_takes_the_memo_along_but_no_validators():
    """An ETag is that of one URL: asked by it, another that was never fetched could be answered with 304."""
    link = Told("words").on(Link(URL, key_of(URL), noted=None)).note(etag='"1"', last_modified="Mon")
    follow = Follow(FetchSpec(), ArchiveSpec())
    moved = Fetched(link, 301, (("Location", "/new"),), b"", b"", b"", 0.0, 0.0)

    leads = follow.response(moved, None)

    assert (leads.refusal, leads.again) == (None, None)
    (decision,) = leads.decisions
    onward = decision.link
    assert onward.url == "http://a.example/new"
    assert (onward.notes.etag, onward.notes.last_modified) == ("", "")
    assert onward.notes.via == (link.key,)
    assert Told.of(onward) == Told("words")


def test_a_page_is_asked_again_by_how_often_it_changes():
    """Twice the time while nothing happens, half of it after a change; the words count, not the bytes."""
    follow = Follow(FetchSpec(), ArchiveSpec(revisit_after_h=1))
    waits, link = [], Link(URL, key_of(URL))
    for status, body, content in (
        (200, b"one", 7),
        (200, b"one, at another time", 7),
        (304, b"", 0),
        (200, b"two", 8),
        (200, b"two", 8),
    ):
        fetched = Fetched(link, status, (), body, b"", b"", 0.0, 0.0)
        link, outcome = follow.revisit(fetched, (), 0.0, content)
        waits.append(outcome.again_at)

    assert waits == [3600.0, 7200.0, 14400.0, 7200.0, 14400.0]


def test_feeds_wait_again_by_how_often_they_change():
    """A list that a crawl has found is asked again as seeds are: after that time, then sooner or later by what it brought."""
    follow = Follow(FetchSpec(), ArchiveSpec(revisit_after_h=1.0))
    feed = Link("http://a.test/feed", 1, kind=Kind.LIST, depth=2)
    link, first = follow.revisit(Fetched(feed, 200, (), b"one", b"", b"", 0.0, 0.0), (), 0.0)
    link, same = follow.revisit(Fetched(link, 200, (), b"one", b"", b"", 0.0, 0.0), (), 0.0)
    _, changed = follow.revisit(Fetched(link, 200, (), b"two", b"", b"", 0.0, 0.0), (), 0.0)
    assert [first.again_at, same.again_at, changed.again_at] == [3600.0, 7200.0, 3600.0]
    page = Fetched(Link("http://a.test/page", 2, depth=2), 200, (), b"one", b"", b"", 0.0, 0.0)
    assert follow.revisit(page, (), 0.0)[1].again_at is None
