"""Which content types are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from lycosa.values import Kind


def is_wanted(kind: Kind, content_type: str, of_pages: Sequence[str]) -> bool:
    """Whether a response of this type is wanted for a link of this kind; `of_pages` are lower-case patterns.

    >>> is_wanted(Kind.PAGE, "Text/HTML; charset=utf-8", ["text/*"]), is_wanted(Kind.PAGE, "image/png", ["text/*"])
    (True, False)
    """
    said = content_type.partition(";")[0].strip().lower()
    if kind in (Kind.REQUISITE, Kind.LIST) or not said:
        return True
    if kind is Kind.IMAGE:
        return said.startswith("image/")
    return said in of_pages or any(fnmatchcase(said, pattern) for pattern in of_pages)
