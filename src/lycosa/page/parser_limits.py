"""Limit markup so that the parser takes bounded time and memory.

An HTML parser reopens unclosed formatting elements in every paragraph, searches all open elements at many tags,
compares each attribute with the others of its tag, and checks at each option which of its list is selected. 100 KB of
hostile markup can cost it gigabytes, 1 MB minutes. Ordinary pages pass unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

HTML_CHARS = 4_000_000
TAGS = 30_000
"""This many are always read: even nested in each other they take the parser a second or two."""
FLAT_TAGS = 400_000
"""This many are read where they are not nested deeply: a table of a hundred thousand cells is a page like any other."""
NESTING = TAGS * TAGS // 2
"""Open elements, summed over all tags: at each tag the parser may look through all that are open."""
REOPENED = 1_000_000
"""Formatting tags × tags: an upper bound of the elements that the parser may have to make."""
OPTIONS = 5_000
"""On a page with more of them nobody asks which is selected: for that the parser looks through all of a list at each."""
TAG_CHARS = 20_000

# The letters that they begin with come first: most tags have others, and are passed over in half the time.
_FORMATTING = re.compile(
    r"</?(?=[bcefinstu])(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^<>]*>?",
    re.IGNORECASE,
)
# Written so, and not with IGNORECASE, each "<" is found at once.
_OPTION = re.compile(r"<[oO][pP][tT][iI][oO][nN][\s/>]")
_SELECT = re.compile(r"(<[sS][eE][lL][eE][cC][tT])(?=[\s/>])")
# A start tag about whose end there can be no doubt: no stray quotes, no ">" outside of quotes.
_CLEAR_TAG = re.compile(
    r"""/?[a-z][^\s"'<>/=]*+(?:\s++[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'<>=`]++))?+)*+\s*+/?>""",
    re.IGNORECASE,
)
_ENDS_ANY_TAG = "\"'>"  # whether the tag is in a name, a value, or either kind of quotes


# Elements that have no end, or that the next of their kind ends: they are not nested by being left open.
_NEVER_OPEN = frozenset(
    "area base br col embed hr img input link meta source track wbr"
    " body caption colgroup dd dt head html li optgroup option p rp rt tbody td tfoot th thead tr".split()
)
_TAG = re.compile(r"<(/?)([a-z][^\s/>]{0,20})(?:[^<>]*?(/?)>)?", re.IGNORECASE)


def part_read(html: str) -> tuple[str, int]:
    """The markup that is read, as far as the parser takes bounded time; and how many tags that can have.

    >>> part_read("<p>a<b>c")
    ('<p>a<b>c', 2)
    """
    part = html[:HTML_CHARS]
    tags = part.count("<")
    if tags <= TAGS or (length := _length_read(part)) == len(part):
        return part, tags
    return part[:length], part.count("<", 0, length)


def _length_read(html: str) -> int:
    open_elements: dict[str, int] = {}
    tags = depth = nesting = 0
    for tag in _TAG.finditer(html):
        tags += 1
        nesting += depth
        if tags > FLAT_TAGS or (nesting > NESTING and tags > TAGS):
            return tag.start()
        name = tag[2].lower()
        # Within drawings and formulas every element is open until it is closed, be it by its own "/>".
        foreign = open_elements.get("svg") or open_elements.get("math")
        if tag[3] if foreign else name in _NEVER_OPEN:
            continue
        # An end tag closes elements of its own name only; wherever else it stands it is passed over.
        count = open_elements.get(name, 0)
        change = 1 if not tag[1] else -1 if count else 0
        open_elements[name] = count + change
        depth += change
    return len(html)


def bounded(html: str) -> str:
    """The markup, cut and thinned out where it could stall the parser.

    >>> bounded("<p>a<b>c")
    '<p>a<b>c'
    """
    return thinned(*part_read(html))


def thinned(html: str, tags: int) -> str:
    """The markup (with at most this many tags), thinned out where it could stall the parser."""
    # F formatting tags among n tags make at most F·(n − F) ≤ n²/4 elements.
    if tags * tags > 4 * REOPENED and len(_FORMATTING.findall(html)) * tags > REOPENED:
        html = _FORMATTING.sub("", html)
    if tags > OPTIONS and len(_OPTION.findall(html)) > OPTIONS:
        html = _SELECT.sub(r"\1 multiple", html)  # of a list where several may be, the parser asks nothing
    return _with_short_tags(html)


def long_parts(html: str) -> Iterator[tuple[int, int]]:
    """What stands between a "<" and the next, where that is more than TAG_CHARS: few steps, however many tags there are."""
    at = html.find("<")
    while 0 <= at < len(html) - TAG_CHARS - 1:
        last = html.rfind("<", at + 1, at + TAG_CHARS + 2)
        if last < 0:
            last = html.find("<", at + TAG_CHARS + 2)
            yield at + 1, last if last >= 0 else len(html)
        at = last


def _with_short_tags(html: str) -> str:
    parts, done = [], 0
    for start, end in long_parts(html):
        may_be_tag = html[start].isalpha() or html[start] == "/"
        if may_be_tag and _CLEAR_TAG.match(html, start, start + TAG_CHARS) is None:
            pieces = [html[at : min(at + TAG_CHARS, end)] for at in range(start, end, TAG_CHARS)]
            parts += [html[done:start], _ENDS_ANY_TAG.join(pieces)]
            done = end
    return "".join([*parts, html[done:]]) if parts else html
