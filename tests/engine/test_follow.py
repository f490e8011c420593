"""What follows from a response besides judging it."""

from __future__ import annotations

from lycosa.engine.follow import Follow
from lycosa.spec.sections import ArchiveSpec, FetchSpec
from lycosa.urls import key_of
from lycosa.values import Fetched, Link, Memo

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
