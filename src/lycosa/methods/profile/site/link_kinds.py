"""The kinds of links of a sharing site, and the uploader that each detail link belongs to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum
from itertools import groupby

from lycosa.page.links.paths import Outline

_NEXT = frozenset("next older more previous prev newer » › > >> « ‹ < << → ←".split())


class LinkKind(IntEnum):
    """What a link of a sharing site leads to."""

    ELSE = 0
    LIST = 1
    PROFILE = 2
    DETAIL = 3


def turns_page(text: str) -> bool:
    """Whether a link's text says that it leads to another page of the same list.

    >>> [turns_page(text) for text in ("2", "Next »", "older posts", "a small kite")]
    [True, True, True, False]
    """
    words = text.lower().split()
    return len(words) <= 2 and (words[0] in _NEXT or words[-1] in _NEXT or (text.isdigit() and len(text) < 5))


def nearest_profiles(outline: Outline, kinds: Sequence[LinkKind]) -> tuple[int, ...]:
    """For each detail link the profile link that is nearest to it in the tree; -1 if there is none.

    Nearest: within the smallest element that holds both. Where this holds as many names as items, as in a table
    with names a row below their pictures, they go together in their order; else the one fewest elements away.
    """
    names = _within(outline, kinds)
    nearest = [-1] * len(kinds)
    shared: dict[
        int, list[int]
    ] = {}  # element with names -> elements of the detail links that it is the smallest for
    for element, _ in outline.leaves:
        link = outline.links[element]
        if link < 0 or kinds[link] is not LinkKind.DETAIL:
            continue
        above = element
        while above >= 0 and above not in names:
            above = outline.parents[above]
        if above >= 0:
            shared.setdefault(above, []).append(element)
    for above, elements in shared.items():
        firsts = list({outline.links[element]: element for element in reversed(elements)}.values())[::-1]
        paired = _paired(names[above], len(firsts), outline)
        for number, element in enumerate(firsts):
            link = outline.links[element]
            if nearest[link] < 0:
                name = paired[number] if paired else _closest(names[above], element)
                nearest[link] = outline.links[name]
    return tuple(nearest)


def _within(outline: Outline, kinds: Sequence[LinkKind]) -> dict[int, list[int]]:
    """For each element the elements within it that are in profile links, in document order."""
    names: dict[int, list[int]] = {}
    for element in sorted({element for element, _ in outline.leaves}):
        link = outline.links[element]
        if link >= 0 and kinds[link] is LinkKind.PROFILE:
            above = element
            while above >= 0:
                names.setdefault(above, []).append(element)
                above = outline.parents[above]
    return names


def _paired(names: Sequence[int], items: int, outline: Outline) -> list[int]:
    """One name for each item in their order, if there are as many; a picture and a name in a row may be one."""
    for each in (list(names), [next(run) for _, run in groupby(names, key=lambda e: outline.links[e])]):
        if len(each) == items:
            return each
    return []


def _closest(ascending: Sequence[int], to: int) -> int:
    at = bisect_left(ascending, to)
    return min(ascending[max(0, at - 1) : at + 1], key=lambda each: abs(each - to))
