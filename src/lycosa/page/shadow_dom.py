"""Show the content of declared shadow trees.

Browsers show `<template shadowrootmode>`; a parser that runs no scripts does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lycosa.page.text.layout import Noted, tag_ids

(TEMPLATE_ID,) = tag_ids("template")

# A tag ends at its ">" outside of quotes; every repetition is bounded and gives nothing back: linear on any page.
_TEMPLATE = re.compile(
    r"""<(/?)template(?=[\s/>])((?:[^"'<>]{1,500}+|"[^"]{0,500}+"|'[^']{0,500}+'){0,20}+)>""",
    re.IGNORECASE,
)
_SHADOW = frozenset(("shadowroot", "shadowrootmode"))
_DECLARES = re.compile(r"\bshadowroot(?:mode)?\s*+=", re.IGNORECASE)


def declares_shadow_tree(kinds: Mapping[int, Iterable[Noted]]) -> bool:
    """Whether one of a page's elements is such a template."""
    return any(not _SHADOW.isdisjoint(node.attributes) for _, node, _ in kinds.get(TEMPLATE_ID, ()))


def with_shadow_trees(html: str) -> str:
    """The markup with declared shadow trees as ordinary elements; templates that scripts would use stay inert.

    >>> with_shadow_trees('<x-a><template shadowrootmode="open"><p>b</p></template></x-a><template>c</template>')
    '<x-a><div shadowrootmode="open"><p>b</p></div></x-a><template>c</template>'
    """
    shown: list[bool] = []

    def tag(match: re.Match[str]) -> str:
        if match[1]:
            return "</div>" if shown and shown.pop() else match[0]
        shown.append(_DECLARES.search(match[2]) is not None)
        return f"<div{match[2]}>" if shown[-1] else match[0]

    return _TEMPLATE.sub(tag, html)
