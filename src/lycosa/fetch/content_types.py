"""Which content types are wanted. In: what a URL is fetched for, and its Content-Type. Out: yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from lycosa.values import Kind


def is_wanted(kind: Kind, content_type: str, of_pages: Sequence[str]) -> bool:
    """Whether a response of that type is what was asked for; `of_pages` are patterns in lower case.

    >>> is_wanted(Kind.PAGE, "Text/HTML; charset=utf-8", ["text/*"]), is_wanted(Kind.PAGE, "image/png", ["text/*"])
    (True, False)
    """
    said = content_type.partition(";")[0].strip().lower()
    if kind in (Kind.REQUISITE, Kind.LIST) or not said:
        return True
    if kind is Kind.IMAGE:
        return said.startswith("image/")
    return said in of_pages or any(fnmatchcase(said, pattern) for pattern in of_pages)
