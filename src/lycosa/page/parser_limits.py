"""Markup made safe to parse. In: a page's text. Out: markup on which the parser takes bounded time and memory.

An HTML parser must reopen unclosed formatting elements in every paragraph, look through all open
elements at many tags, and compare each attribute with the others of its tag: 100 KB of hostile
markup can cost it gigabytes, 1 MB minutes. Ordinary pages pass unchanged.
"""

from __future__ import annotations

import re

HTML_CHARS = 4_000_000
TAGS = 30_000
REOPENED = 1_000_000
"""Formatting tags × tags: an upper bound of the elements that the parser may have to make."""
TAG_CHARS = 20_000

_FORMATTING = re.compile(
    r"</?(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^<>]*>?", re.IGNORECASE
)
# A start tag about whose end there can be no doubt: no stray quotes, no ">" outside of quotes.
_CLEAR_TAG = re.compile(
    r"""/?[a-z][^\s"'<>/=]*+(?:\s++[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>=`]++))?+)*+\s*+/?>""",
    re.IGNORECASE,
)
_ENDS_ANY_TAG = "\"'>"  # whether the tag is in a name, a value, or either kind of quotes


def bounded(html: str) -> str:
    """The markup, cut and thinned out where it could stall the parser.

    >>> bounded("<p>a<b>c")
    '<p>a<b>c'
    """
    html = html[:HTML_CHARS]
    tags = html.count("<")
    if tags > TAGS:
        html = "<".join(html.split("<", TAGS)[:TAGS])
    # F formatting tags among n tags make at most F·(n − F) ≤ n²/4 elements.
    if tags * tags > 4 * REOPENED and len(_FORMATTING.findall(html)) * min(tags, TAGS) > REOPENED:
        html = _FORMATTING.sub("", html)
    return _with_short_tags(html) if len(html) > TAG_CHARS else html


def _with_short_tags(html: str) -> str:
    parts = html.split("<")
    changed = False
    for at, part in enumerate(parts):
        if at and len(part) > TAG_CHARS and (part[0].isalpha() or part[0] == "/"):
            tag = _CLEAR_TAG.match(part, 0, TAG_CHARS)
            if tag is None:
                pieces = [part[start : start + TAG_CHARS] for start in range(0, len(part), TAG_CHARS)]
                parts[at] = _ENDS_ANY_TAG.join(pieces)
                changed = True
    return "<".join(parts) if changed else html
