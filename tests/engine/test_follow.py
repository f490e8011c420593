"""What follows from a response besides judging it."""

from __future__ import annotations

from lycosa.engine.rules.follow import Follow
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
    """Twice the time while nothing happens, sooner after a change; the words count, not the bytes."""
    follow = Follow(FetchSpec(), ArchiveSpec(revisit_after_h=1))
    waits, link, now = [], Link(URL, key_of(URL)), 1e9
    for status, body, content in (
        (200, b"one", 7),
        (200, b"one, at another time", 7),
        (304, b"", 0),
        (200, b"two", 8),
        (200, b"two", 8),
    ):
        fetched = Fetched(link, status, (), body, b"", b"", 0.0, 0.0)
        link, outcome = follow.revisit(fetched, (), now, content)
        assert outcome.again_at is not None
        waits.append(outcome.again_at - now)
        now = outcome.again_at

    assert waits == [3600.0, 7200.0, 14400.0, 10800.0, 16200.0]


def test_what_a_server_calls_old_is_asked_for_late_and_what_it_dates_as_changed_soon():
    """Last-Modified says for how long a page has not changed before we came, and when it did since."""
    follow = Follow(FetchSpec(), ArchiveSpec(revisit_after_h=1))
    day = 86_400.0
    old = (("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT"),)
    new = (("Last-Modified", "Fri, 02 Jan 1970 08:30:00 GMT"),)
    page = Fetched(Link(URL, key_of(URL)), 200, old, b"one", b"", b"", 0.0, 0.0)
    link, first = follow.revisit(page, (), day, 7)
    changed = Fetched(link, 200, new, b"two", b"", b"", 0.0, 0.0)
    _, then = follow.revisit(changed, (), day + 9 * 3600, 8)

    assert first.again_at == day + 8 * 3600
    assert then.again_at == day + 9 * 3600 + 8 * 3600  # (1 + 8 + 8.5) / 2 hours, but eight at most


def test_feeds_wait_again_by_how_often_they_change():
    """A list that a crawl has found is asked again as seeds are: after that time, then sooner or later by what it brought."""
    follow = Follow(FetchSpec(), ArchiveSpec(revisit_after_h=1.0))
    feed = Link("http://a.test/feed", 1, kind=Kind.LIST, depth=2)
    link, first = follow.revisit(Fetched(feed, 200, (), b"one", b"", b"", 0.0, 0.0), (), 1e6)
    link, same = follow.revisit(Fetched(link, 200, (), b"one", b"", b"", 0.0, 0.0), (), 1e6 + 3600)
    _, changed = follow.revisit(Fetched(link, 200, (), b"two", b"", b"", 0.0, 0.0), (), 1e6 + 10800)
    assert [first.again_at, same.again_at, changed.again_at] == [1e6 + 3600, 1e6 + 10800, 1e6 + 16200]
    page = Fetched(Link("http://a.test/page", 2, depth=2), 200, (), b"one", b"", b"", 0.0, 0.0)
    assert follow.revisit(page, (), 0.0)[1].again_at is None
    assert follow.revisit(page, (), 0.0, is_relevant=True)[1].again_at == 3600.0
