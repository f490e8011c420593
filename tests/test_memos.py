"""What strategies leave on links: their own, small, and never mistaken for another's."""

from __future__ import annotations

import pytest

from lycosa.errors import StrategyError
from lycosa.values import MEMO_BYTES, Link, Memo, Notes

LINK = Link("http://a.example/", 1)


class Mine(Memo, frozen=True, tag="mine"):
    words: str
    count: int = 0


class Later(Memo, frozen=True, tag="mine"):
    words: str
    count: int = 0
    more: bool = False


class Stricter(Memo, frozen=True, tag="mine"):
    number: int


class Others(Memo, frozen=True, tag="others"):
    words: str


def test_a_memo_comes_back():
    """It takes the place of the memo before, and leaves the engine's notes."""
    link = Mine("second", 2).on(Mine("first").on(LINK.note(via=(3,), etag="e")))
    assert Mine.of(link) == Mine("second", 2)
    assert (link.notes.via, link.notes.etag) == ((3,), "e")
    assert Mine.of(LINK) is None


def test_another_writers_memo_is_none():
    """Nor is one of a version that does not fit, or what is no memo at all, an error."""
    link = Mine("words").on(LINK)
    assert Others.of(link) is None
    assert Later.of(link) == Later("words")
    assert Mine.of(Later("words", 1, more=True).on(LINK)) == Mine("words", 1)
    assert Stricter.of(link) is None
    assert Mine.of(Link("http://a.example/", 1, noted=Notes(memo=b"\xc1"))) is None


def test_a_large_memo_is_refused_where_it_is_written():
    """The error says how much is allowed, and where the rest belongs."""
    assert Mine("x" * (MEMO_BYTES - 30)).on(LINK)
    with pytest.raises(StrategyError, match=r"1,0\d\d bytes.*at most 1,024.*evidence"):
        Mine("x" * MEMO_BYTES).on(LINK)
