"""Links and notes come back from SQLite as they were."""

from __future__ import annotations

import msgspec
import pytest

from lycosa.frontier.rows import packed_notes, read_link, read_notes
from lycosa.methods.baselines.shark_search import Inherited
from lycosa.values import Link, Notes

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
