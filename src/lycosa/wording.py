"""Numbers in sentences, said alike wherever users read them. In: numbers. Out: words."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """So many of something, in the plural unless it is one.

    >>> counted(1, "page"), counted(2300, "page"), counted(0, "list of seeds")
    ('1 page', '2,300 pages', '0 lists of seeds')
    """
    first, of, rest = what.partition(" of ")
    return f"{number:,} {first}{'s' if number != 1 else ''}{of}{rest}"
