"""Links and notes on disk: they come back as they were, also those that earlier versions wrote."""

from __future__ import annotations

import msgspec
import pytest

from lycosa.frontier.stored_links import packed_notes, read_link, read_notes
from lycosa.methods.baselines.shark_search import Inherited
from lycosa.methods.genre.strategy import FoundOn
from lycosa.methods.multimedia.strategy import Scored
from lycosa.methods.profile.memo import ProfileMemo
from lycosa.values import Link, Memo, Notes

URL = "http://a.example/"
LINK = Link(URL, 1)
pack = msgspec.msgpack.encode


@pytest.mark.parametrize(
    "noted",
    [
        None,
        Inherited(0.25).on(LINK).noted,
        Inherited(0.25).on(LINK.note(via=(3, -4))).noted,
        Notes(etag="e", last_modified="Mon"),
        Notes(in_stylesheet=True),
        Notes(opened_by=7),
    ],
    ids=str,
)
def test_notes_come_back_as_they_were(noted):
    """Alone, as the frontier stores them, and in a link, as holds and the catalogue do."""
    assert read_notes(packed_notes(noted)) == noted
    link = Link(URL, 1, noted=noted, record=b"r")
    assert read_link(pack(link)) == link


def test_a_memo_alone_is_stored_without_the_engines_notes():
    """There is one for every waiting URL of some strategies: nothing is stored around it."""
    link = Inherited(0.25).on(LINK)
    assert packed_notes(link.noted) == link.notes.memo


OLD: list[tuple[dict[str, object], Memo]] = [
    ({"inherited": 0.4}, Inherited(0.4)),
    ({"class": "relevant news"}, FoundOn("relevant news")),
    ({"u": -5}, ProfileMemo(-5)),
    ({"u": 5, "l": 1}, ProfileMemo(5, listed=True)),
    ({"u": 5, "is": "list"}, ProfileMemo(5, "list")),
    ({"is": "profile"}, ProfileMemo(leads_to="profile")),
    ({"t": 0.5, "d": 1, "i": [[9, -1], [8, 4]]}, Scored(0.5, 1, ((9, -1), (8, 4)))),
]


def old_link(memo):
    """A link as version 0.1 stored it: a list that ended with the memo, a map."""
    return pack([URL, 1, "an anchor", "", 3, "page", 2, 0, 0, 0, 0.5, 9, memo])


@pytest.mark.parametrize(("old", "memo"), OLD, ids=str)
def test_memos_of_earlier_versions_are_read(old, memo):
    """They did not say whose they were."""
    assert type(memo).of(Link(URL, 1, noted=read_notes(pack(old)))) == memo
    assert type(memo).of(read_link(old_link(old))) == memo
    assert type(memo).of(read_link(old_link(old | {"via": [4], "etag": "e"}))) == memo


def test_what_the_engine_wrote_into_old_memos_becomes_notes():
    """Redirects, validators, stylesheets, and the image that opened a link."""
    old = {"via": [4, -6], "etag": "e", "last_modified": "Mon", "by": "stylesheet"}
    assert read_notes(pack(old)) == Notes(b"", (4, -6), True, "e", "Mon")
    assert read_notes(pack({"by": "page"})) is None
    link = read_link(old_link({"t": 0.5, "d": 0, "v": 77}))
    assert (link.notes.opened_by, link.anchor, link.parent) == (77, "an anchor", 9)
    assert read_link(old_link({})) == Link(URL, 1, "an anchor", "", 3, depth=2, priority=0.5, parent=9)
