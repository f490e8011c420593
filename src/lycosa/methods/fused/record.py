"""What is known of a waiting URL: 122 bytes, made of one link and merged with every other link to it.

A record holds no probabilities of pages but names the pages: their probabilities are looked up when the URL is
scored, so that a page which is judged otherwise later on counts otherwise. Only what goes beyond its room
(parents after the sixth) is a sum that stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PARTS = ("parents", "context", "anchor", "url", "siblings", "extra")
"""What a score is the sum of, in the order in which a record keeps them."""
PARENTS, NEIGHBOURS, WORDS = 6, 3, 8
"""Room for pages that link to it, links beside it (at distance 1, and at 2), and words of its URL."""
MAX_LINKS = 65_535
"""Links beyond this number are not counted any more."""

_SUMS = Struct("<HHHffff")
_WORDS = Struct(f"<{WORDS}H")
_TAGS = Struct(f"<{PARENTS}I")
_KEYS = Struct(f"<{NEIGHBOURS}q")
RECORD = np.dtype(
    [
        ("links", "<u2"),  # from different pages
        ("extras", "<u2"),  # of these, how many a method has told something of
        ("known", "<u2"),  # its place among what training pages link to; 0: none does
        ("beyond", "<f4"),  # beyond the first PARENTS links: sum of their pages' probabilities
        ("anchor", "<f4"),  # sum of what the anchors say
        ("context", "<f4"),  # sum of what the texts around the links say
        ("extra", "<f4"),  # sum of what a method says of the links
        ("words", "<u2", (WORDS,)),  # of the URL, as buckets; 0: none
        ("parts", "<f2", (len(PARTS),)),  # of the score as it was made last
        ("parents", "<u4", (PARENTS,)),  # tags of the first pages that link to it; 0: none
        ("near", "<i8", (NEIGHBOURS,)),  # keys of the links next to it on these pages; 0: none
        ("far", "<i8", (NEIGHBOURS,)),  # keys of the next but one
    ]
)
_AT_WORDS, _AT_PARTS, _AT_PARENTS, _AT_NEAR, _AT_FAR = (
    RECORD.fields[name][1]  # type: ignore[index]
    for name in ("words", "parts", "parents", "near", "far")
)

Records = NDArray[np.void]


def tag_of(key: int) -> int:
    """A page's key in four bytes, never 0: enough to tell the pages of a crawl apart.

    >>> tag_of(-1), tag_of(1 << 32)
    (4294967295, 1)
    """
    return key & 0xFFFFFFFF or 1


class Offer(NamedTuple):
    """What one link says of a URL."""

    parent: int  # key of its page
    relevance: float  # probability of its page
    anchor: float
    context: float
    words: Sequence[int]
    near: Sequence[int] = ()
    far: Sequence[int] = ()
    extra: float | None = None
    known: int = 0
    counts: bool = True  # False: its page has been counted beforehand, as a training page


_NO_PARTS = bytes(2 * len(PARTS))
_NO_MORE_PARENTS = bytes(4 * (PARENTS - 1))


def record_of(offer: Offer) -> bytes:
    """The record of a URL that one link leads to. Its page's probability waits in `beyond`.

    >>> one = record_of(Offer(7, 0.9, 0.5, 0.25, [3, 9], near=[11]))
    >>> read = read_records([one])[0]
    >>> int(read["links"]), float(read["anchor"]), read["words"][:3].tolist(), read["near"].tolist()
    (1, 0.5, [3, 9, 0], [11, 0, 0])
    """
    parent, relevance, anchor, context, words, near, far, extra, known, counts = offer
    if not counts:
        sums, tag = _SUMS.pack(0, 0, known, 0.0, 0.0, 0.0, 0.0), 0
    elif extra is None:
        sums, tag = _SUMS.pack(1, 0, known, relevance, anchor, context, 0.0), tag_of(parent)
    else:
        sums, tag = _SUMS.pack(1, 1, known, relevance, anchor, context, extra), tag_of(parent)
    return b"".join(
        (
            sums,
            _WORDS.pack(*_filled(words, WORDS)),
            _NO_PARTS,
            tag.to_bytes(4, "little"),
            _NO_MORE_PARENTS,
            _KEYS.pack(*_filled(near, NEIGHBOURS)),
            _KEYS.pack(*_filled(far, NEIGHBOURS)),
        )
    )


def _filled(values: Sequence[int], room: int) -> Sequence[int]:
    return (*values[:room], *(0,) * (room - len(values)))


def merged(known: bytes, offered: bytes) -> bytes:
    """The record of a URL with one link more.

    A page that is fetched once more counts once. Links beyond MAX_LINKS are not counted.

    >>> first, second = (record_of(Offer(page, 0.9, 0.5, 0.0, [], near=[5, page])) for page in (7, 8))
    >>> both = read_records([merged(first, second)])[0]
    >>> int(both["links"]), float(both["anchor"]), both["parents"][:3].tolist(), both["near"].tolist()
    (2, 1.0, [7, 8, 0], [5, 7, 8])
    >>> merged(first, first) == first
    True
    """
    links, extras, at, beyond, anchor, context, extra = _SUMS.unpack_from(known)
    more, more_extras, more_at, relevance, more_anchor, more_context, more_extra = _SUMS.unpack_from(offered)
    parents = _TAGS.unpack_from(known, _AT_PARENTS)
    tag = int.from_bytes(offered[_AT_PARENTS : _AT_PARENTS + 4], "little")
    if not more or tag in parents or links >= MAX_LINKS:
        return known
    tags, far_end = known[_AT_PARENTS:_AT_NEAR], known[_AT_NEAR:]
    if parents[-1]:
        beyond = relevance if links == PARENTS else beyond + relevance
    else:
        place = 4 * parents.index(0)
        tags = tags[:place] + offered[_AT_PARENTS : _AT_PARENTS + 4] + tags[place + 4 :]
    if far_end[-8:] == _NOBODY:
        far_end = _joined(known, offered, _AT_NEAR) + _joined(known, offered, _AT_FAR)
    sums = _SUMS.pack(
        links + 1,
        extras + more_extras,
        at or more_at,
        beyond,
        anchor + more_anchor,
        context + more_context,
        extra + more_extra,
    )
    return b"".join((sums, known[_AT_WORDS:_AT_PARENTS], tags, far_end))


_NOBODY = bytes(8)


def _joined(known: bytes, offered: bytes, start: int) -> bytes:
    keys = dict.fromkeys((*_KEYS.unpack_from(known, start), *_KEYS.unpack_from(offered, start)))
    return _KEYS.pack(*_filled([key for key in keys if key], NEIGHBOURS))


def neighbours_in(record: bytes) -> list[int]:
    """The keys of the links beside a URL on the pages that link to it."""
    if len(record) != RECORD.itemsize:
        return []
    keys = (*_KEYS.unpack_from(record, _AT_NEAR), *_KEYS.unpack_from(record, _AT_FAR))
    return [key for key in keys if key]


def read_records(stored: Sequence[bytes]) -> Records:
    """Records as a table, of which the caller may change his own copy."""
    return np.frombuffer(bytearray(b"".join(stored)), RECORD)


def parts_in(record: bytes) -> dict[str, float] | None:
    """What the score of a URL was the sum of when it was made last; None where this is no such record."""
    if len(record) != RECORD.itemsize:
        return None
    return dict(zip(PARTS, map(float, read_records([record])[0]["parts"]), strict=True))
