"""Split tags that are one text: "Tags: kite, wind" or "#kite #wind"."""

from __future__ import annotations

import re
from collections.abc import Iterable

SIGNS = (",", ";", "|", "·", "•", "/", "#")

_LABEL = re.compile(r"^\s*[^\W\d_]+(?: [^\W\d_]+)?:\s*")  # "Tags: ", "Filed under: "


def separator_of(texts: Iterable[str]) -> str:
    """The sign that most of the texts are lists by; '' if they are none.

    >>> separator_of(["kite, wind", "Tags: reed, dial"]), separator_of(["#kite #wind", "#reed"]), separator_of(["kite"])
    (',', '#', '')
    """
    some = [text for text in texts if text.strip()]
    for sign in SIGNS:
        found = sum((text.strip().startswith("#") if sign == "#" else sign in text) for text in some)
        if found > len(some) / 2:
            return sign
    return ""


def tags_in(text: str, sign: str) -> list[str]:
    """The tags of a text, without a label before them.

    >>> tags_in("Tags: kite, north wind", ","), tags_in("#kite #north-wind", "#"), tags_in("re: kites", "")
    (['kite', 'north wind'], ['kite', 'north-wind'], ['re: kites'])
    """
    if not sign:
        return [text]
    return [part for each in _LABEL.sub("", text).split(sign) if (part := each.strip(" \t\n,;|·•#"))]
