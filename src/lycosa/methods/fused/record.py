"""The record of a waiting URL: 124 bytes, made from one link and merged with every other link to it.

A record refers to pages instead of storing their probabilities, so that a later verdict counts when the URL is
scored. Only parents after the sixth are summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.values import Floats, Merge

MAX_URLS = 60_000
"""URLs of which training pages may say something; links beyond are passed over."""


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of known relevance: what its words and links say, one number a link."""

    key: int
    relevance: float
    targets: Sequence[int]
    anchors: Sequence[float]
    contexts: Sequence[float]


@dataclass(slots=True)
class Known:
    """What known pages say of URLs. `sums` has a row for each URL of `places`: links, relevance, anchors, contexts."""

    pages: frozenset[int] = frozenset()
    places: dict[int, int] = field(default_factory=dict)
    near: dict[int, list[int]] = field(default_factory=dict)
    far: dict[int, list[int]] = field(default_factory=dict)
    sums: Floats = field(default_factory=lambda: np.zeros((1, 4)))  # row 0: of what nothing is said

    @classmethod
    def of(cls, pages: Sequence[KnownPage]) -> Known:
        """What the pages say, in this order.

        >>> known = Known.of([KnownPage(1, 1.0, [5, 6], [0.5, 0.0], [0.25, 0.0]), KnownPage(2, 0.0, [6], [1.0], [0.0])])
        >>> known.sums[known.places[6]].tolist(), known.near[5]
        ([2.0, 1.0, 1.0, 0.0], [6])
        """
        known = cls(frozenset(page.key for page in pages))
        rows: list[list[float]] = [[0.0] * 4]
        for page in pages:
            for at, target in enumerate(page.targets):
                if target not in known.places:
                    if len(rows) > MAX_URLS:
                        continue
                    known.places[target] = len(rows)
                    rows.append([0.0] * 4)
                row = rows[known.places[target]]
                said = (1.0, page.relevance, page.anchors[at], page.contexts[at])
                row[:] = [old + new for old, new in zip(row, said, strict=True)]
                known.near.setdefault(target, []).extend(beside(page.targets, at, 1))
                known.far.setdefault(target, []).extend(beside(page.targets, at, 2))
        known.sums = np.array(rows)
        return known


def beside(keys: Sequence[int], at: int, distance: int) -> list[int]:
    """The keys a number of places before and after one.

    >>> beside([5, 6, 7, 8], 1, 1), beside([5, 6, 7, 8], 0, 2)
    ([5, 7], [7])
    """
    return [keys[place] for place in (at - distance, at + distance) if 0 <= place < len(keys)]


PARTS = ("parents", "context", "anchor", "url", "siblings", "extra")
"""What a score is the sum of, in the order in which a record keeps them."""
PARENTS, NEIGHBOURS, WORDS, EXTRAS = 6, 3, 8, 4
"""Maximum number of linking pages, neighbouring links (at distance 1 or 2), URL words, and kinds of method evidence."""
GUIDE = 0
"""Where a record keeps what a guide says, among the kinds of evidence of methods."""
MAX_LINKS = 65_535
"""Links beyond this number are not counted any more."""

_KEYS = Struct(f"<{NEIGHBOURS}q")
_WORDS = Struct(f"<{WORDS}H")
_NO_WORDS = (0,) * WORDS
RECORD = np.dtype(
    [
        ("links", "<u2"),  # from different pages
        ("extras", "<u2"),  # of these, how many have evidence of a method
        ("known", "<u2"),  # its place among what training pages link to; 0: none does
        ("beyond", "<f4"),  # beyond the first PARENTS links: sum of their pages' probabilities
        ("anchor", "<f2"),  # mean of what the anchors say
        ("context", "<f2"),  # mean of what the texts around the links say
        ("extra", "<f2", (EXTRAS,)),  # means of what methods say of the links, one a kind of evidence
        ("words", "<u2", (WORDS,)),  # of the URL, as buckets; 0: none
        ("version", "<u2"),  # of the judge when the score was made last; 0: of one that does not learn
        ("parts", "<f2", (len(PARTS),)),  # of the score as it was made last
        ("parents", "<u4", (PARENTS,)),  # tags of the first pages that link to it; 0: none
        ("near", "<i8", (NEIGHBOURS,)),  # keys of the links next to it on these pages; 0: none
        ("far", "<i8", (NEIGHBOURS,)),  # keys of the next but one
    ]
)
_AT_NEAR, _AT_FAR = (
    RECORD.fields[name][1]  # type: ignore[index]
    for name in ("near", "far")
)

_BYTES = RECORD.itemsize
_EMPTY = bytes(_BYTES)
_BESIDE = np.dtype(
    {
        "names": ["beside"],
        "formats": [("<i8", (2 * NEIGHBOURS,))],
        "offsets": [_AT_NEAR],
        "itemsize": _BYTES,
    }
)
"""The same, with the keys of all neighbours in one field."""

Records = NDArray[np.void]
add, every, some = np.add.reduce, np.logical_and.reduce, np.logical_or.reduce
_BEFORE = np.tri(2 * NEIGHBOURS, k=-1, dtype=np.bool_)
"""Of a key's place in a row (the first index) those before it."""


def tag_of(key: int) -> int:
    """A page's key in four bytes, never 0: enough to identify a page within a crawl.

    >>> tag_of(-1), tag_of(1 << 32)
    (4294967295, 1)
    """
    return key & 0xFFFFFFFF or 1


def tags_of(keys: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The tags of many keys (`tag_of`); 0 for none.

    >>> tags_of(np.array([-1, 1 << 32, 0])).tolist()
    [4294967295, 1, 0]
    """
    tags: NDArray[np.uint32] = np.maximum(keys.astype(np.uint32), (keys != 0).astype(np.uint32))
    return tags


def packed_words(buckets: Sequence[int]) -> bytes:
    """The words of a URL as a record keeps them; `words_in` reads them.

    >>> packed_words([3, 9])[:6], words_in(packed_words([3, 9]))
    (b'\\x03\\x00\\t\\x00\\x00\\x00', [3, 9])
    """
    return _WORDS.pack(*buckets, *_NO_WORDS[len(buckets) :])


def words_in(packed: bytes) -> list[int]:
    """The words of a URL (`packed_words`)."""
    return [word for word in _WORDS.unpack(packed) if word]


class Offers(NamedTuple):
    """What the links of one page say of the URLs that they lead to: one entry a link, in their order."""

    parent: int  # key of the page
    relevance: float  # probability of the page
    keys: Sequence[int]
    anchors: Sequence[float]
    contexts: Sequence[float]
    words: Sequence[bytes]  # of its URL (`packed_words`)
    extras: Sequence[Sequence[float]] = ()  # of each kind of evidence of methods; empty: there is none
    counts: bool = True  # False: the page has been counted beforehand, as a training page


def records_of(offers: Offers, known: Known) -> list[bytes]:
    """A record for each link's URL. The page's probability waits in `beyond`.

    >>> words = [*map(packed_words, ([3, 9], [], []))]
    >>> first, second, third = records_of(Offers(7, 0.9, [5, 6, 8], [0.5, 0.0, 0.0], [0.0] * 3, words), Known())
    >>> read = read_records([first])[0]
    >>> int(read["links"]), float(read["anchor"]), read["words"][:3].tolist(), read["parents"][:2].tolist()
    (1, 0.5, [3, 9, 0], [7, 0])
    >>> read["near"].tolist(), read["far"].tolist(), read_records([second])[0]["near"].tolist()
    ([6, 0, 0], [8, 0, 0], [5, 8, 0])
    """
    if not offers.keys:
        return []
    table = np.zeros(len(offers.keys), RECORD)
    keys = np.array(offers.keys, np.int64)
    if offers.counts:
        table["links"], table["parents"][:, 0], table["beyond"] = 1, tag_of(offers.parent), offers.relevance
        table["anchor"], table["context"] = offers.anchors, offers.contexts
        if len(offers.extras):
            table["extras"] = 1
            for at, told in enumerate(offers.extras):  # those beyond the available places share the last one
                table["extra"][:, min(at, EXTRAS - 1)] += told
    table["words"] = np.frombuffer(b"".join(offers.words), "<u2").reshape(-1, WORDS)
    for name, distance in (("near", 1), ("far", 2)):
        beside = table[name]
        beside[distance:, 0] = keys[:-distance]
        after = np.arange(len(keys)) >= distance  # the first ones have nothing before them
        beside[np.arange(len(keys) - distance), after[: len(keys) - distance].astype(np.intp)] = keys[
            distance:
        ]
    for at in [at for at, key in enumerate(offers.keys) if key in known.places]:
        key, row = offers.keys[at], table[at]
        row["known"] = known.places[key]
        row["near"] = _first((*known.near[key], *row["near"].tolist()))
        row["far"] = _first((*known.far[key], *row["far"].tolist()))
    return rows_of(table)


def _first(keys: Sequence[int]) -> list[int]:
    """As many keys as there is room for; 0 stands for none."""
    found = [key for key in keys if key][:NEIGHBOURS]
    return found + [0] * (NEIGHBOURS - len(found))


def rows_of(table: Records) -> list[bytes]:
    """Each row of a table as bytes."""
    whole, size = table.tobytes(), table.itemsize
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def merged(known: Sequence[bytes], offered: Sequence[bytes], *, guided: Merge | None = None) -> list[bytes]:
    """The record of each URL with one link more.

    A page that is fetched once more counts once. Links beyond MAX_LINKS are not counted. Of what a guide says the last
    word counts, or the best (`BaseStrategy.log_odds`).

    >>> first, second = (
    ...     records_of(Offers(page, 0.9, [1, 5, page], [0.5] * 3, [0.0] * 3, [packed_words([])] * 3), Known())[1]
    ...     for page in (7, 8)
    ... )
    >>> both = read_records(merged([first], [second]))[0]
    >>> int(both["links"]), float(both["anchor"]), both["parents"][:3].tolist(), both["near"].tolist()
    (2, 0.5, [7, 8, 0], [1, 7, 8])
    >>> merged([first, b"of an earlier version"], [first, first]) == [first, first]
    True
    """
    before, told = read_records(known), read_records(offered)
    said = before["extra"][:, GUIDE].copy()
    tags = told["parents"][:, 0]
    is_new = every(before["parents"] != tags[:, None], 1) & (told["links"] > 0)
    is_new &= before["links"] < MAX_LINKS
    are_all_new = is_new.all()  # as they nearly always are: then nothing has to be picked out
    rows, more = (before, told) if are_all_new else (before[is_new], told[is_new])
    tags = tags[is_new]
    links, parents, extras = rows["links"].astype(np.float64), rows["parents"], rows["extras"]
    places = add(parents > 0, 1)
    has_room = places < PARENTS
    parents[has_room.nonzero()[0], places[has_room]] = tags[has_room]
    beyond = np.where(links > PARENTS, rows["beyond"], 0.0) + more["beyond"]
    rows["beyond"] = np.where(has_room, rows["beyond"], beyond)
    for name in ("anchor", "context"):
        mean = rows[name].astype(np.float64)
        rows[name] = mean + (more[name] - mean) / (links + 1.0)
    if (has_extra := more["extras"] > 0).any():
        means = rows["extra"].astype(np.float64)
        moved = means + (more["extra"] - means) / (extras + 1.0)[:, None]
        rows["extra"] = np.where(has_extra[:, None], moved, means)
        rows["extras"] = extras + more["extras"]
    rows["known"] = np.where(rows["known"], rows["known"], more["known"])
    rows["links"] += 1
    if len(open_ended := (rows["far"][:, -1] == 0).nonzero()[0]):
        beside = keys_beside(rows)
        halves = (table[open_ended].reshape(-1, NEIGHBOURS) for table in (beside, keys_beside(more)))
        beside[open_ended] = _joined(*halves).reshape(-1, 2 * NEIGHBOURS)
    if not are_all_new:
        before[is_new] = rows
    if guided:
        now = told["extra"][:, GUIDE]
        before["extra"][:, GUIDE] = now if guided is Merge.REPLACE else np.maximum(said, now)
    return [
        row if len(old) == _BYTES else new
        for row, old, new in zip(rows_of(before), known, offered, strict=True)
    ]


def _joined(known: NDArray[np.int64], offered: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each row the first different keys, as many as there is room for; 0 stands for none.

    >>> _joined(np.array([[5, 0, 0]]), np.array([[5, 6, 7]])).tolist()
    [[5, 6, 7]]
    """
    keys = np.concatenate((known, offered), axis=1)
    is_first = (keys != 0) & ~some((keys[:, :, None] == keys[:, None, :]) & _BEFORE, 2)
    rows, columns = is_first.nonzero()
    places = np.add.accumulate(is_first, 1)[rows, columns] - 1
    has_room = places < NEIGHBOURS
    joined = np.zeros_like(known)
    joined[rows[has_room], places[has_room]] = keys[rows[has_room], columns[has_room]]
    return joined


def with_guide(record: bytes, log_odds: float) -> bytes:
    """A record, or none yet, with what a guide says now.

    >>> extras_in(with_guide(b"", 2.5))[0]
    [2.5, 0.0, 0.0, 0.0]
    """
    table = read_records([record])
    table["extra"][:, GUIDE] = log_odds
    return table.tobytes()


def neighbours_in(record: bytes) -> list[int]:
    """The keys of a URL's neighbours: the links next to it on the pages that link to it."""
    if len(record) != _BYTES:
        return []
    keys = (*_KEYS.unpack_from(record, _AT_NEAR), *_KEYS.unpack_from(record, _AT_FAR))
    return [key for key in keys if key]


def read_records(stored: Sequence[bytes]) -> Records:
    """Records as a table, a copy that the caller may change. One of another layout (an earlier version's) says nothing.

    >>> read_records([b"of an earlier version"])["links"].tolist()
    [0]
    """
    return np.frombuffer(
        bytearray(b"".join([one if len(one) == _BYTES else _EMPTY for one in stored])), RECORD
    )


def extras_in(record: bytes) -> tuple[list[float], int]:
    """What each kind of evidence of methods says of the links to a URL, on the mean; and the version of the judge."""
    read = read_records([record])[0]
    return [float(mean) for mean in read["extra"]], int(read["version"])


def keys_beside(records: Records) -> NDArray[np.int64]:
    """The keys of the links next to each URL, then of the next but one; 0: none."""
    keys: NDArray[np.int64] = records.view(_BESIDE)["beside"]
    return keys


def parts_in(record: bytes) -> dict[str, float] | None:
    """What the score of a URL was the sum of when it was made last; None where this is no such record."""
    if len(record) != _BYTES:
        return None
    return dict(zip(PARTS, map(float, read_records([record])[0]["parts"]), strict=True))
