"""The text that a page is read for. In: a document. Out: its main text without lists of links and legal notices.

The extractor of the main text goes by the markup; old pages have none that tells navigation from text. What is
left of it shows in the lines: all of a line is link. So at both ends such lines go, and in between where
several follow each other.
"""

from __future__ import annotations

import re
from itertools import groupby

from selectolax.lexbor import LexborNode

from lycosa.page.document import Document
from lycosa.page.layout import one_line

LIST = 3
"""This many lines of links in a row are a list of links, wherever they stand."""
NOTICE_CHARS = 300
DEPTH = 500

_NOTICE = re.compile(
    r"©|\bcopyright\b|\ball rights reserved\b|\balle rechte vorbehalten\b|\btous droits réservés\b"
    r"|\b(?:todos los|todos os|tutti i) d\w+ r\w+",
    re.IGNORECASE,
)
_has_word = re.compile(r"\w").search
_BULLETS = "•◦▪‣*-–|·» \t"


def prose_of(document: Document) -> str:
    """The main text without lists of links and notices; all of it where nothing else would be left."""
    is_link = _LinkLines(_link_lines(document))
    runs = _joined([(kind, list(lines)) for kind, lines in groupby(document.main_text.split("\n"), is_link)])
    last = len(runs) - 1
    kept = [
        line
        for number, (is_link, lines) in enumerate(runs)
        if not (is_link and (number in (0, last) or sum(map(bool, map(str.strip, lines))) >= LIST))
        for line in lines
    ]
    while kept and (not kept[-1].strip() or _is_notice(kept[-1])):
        kept.pop()
    text = "\n".join(kept)
    if "\n\n\n" in text:
        text = re.sub(r"\n{3,}", "\n\n", text)
    return text.strip("\n") or document.main_text


class _LinkLines:
    """Whether a line is one of those; None of an empty one."""

    def __init__(self, lines: frozenset[str]) -> None:
        self._lines = lines
        self._longest = max(map(len, lines), default=0)

    def __call__(self, line: str) -> bool | None:
        if not line or line.isspace():
            return None
        begin = _of_list(line[: 2 * self._longest + 1])
        if len(begin) > self._longest:
            return False  # a paragraph: the rest of it need not be looked at
        return _of_list(line) in self._lines


def _joined(runs: list[tuple[bool | None, list[str]]]) -> list[tuple[bool, list[str]]]:
    """Runs of lines that are all links, or all not; empty lines belong to the run before them."""
    joined: list[tuple[bool, list[str]]] = []
    for is_link, lines in runs:
        if joined and (is_link is None or joined[-1][0] == is_link):
            joined[-1][1].extend(lines)
        else:
            joined.append((bool(is_link), lines))
    return joined


def _is_notice(line: str) -> bool:
    return len(line) <= NOTICE_CHARS and _NOTICE.search(line) is not None


def _link_lines(document: Document) -> frozenset[str]:
    """The lines of the page that are nothing but links or stand in the site's own head or foot; no headings."""
    layout, tree = document.layout, document.tree
    bare, covered = layout.pieces.copy(), 0
    for start, end in sorted(map(layout.span, document.linked.anchors)):
        for at in range(max(start, covered), end):
            bare[at] = "\n" * bare[at].count("\n")
        covered = max(covered, end)
    lines = zip("".join(layout.pieces).split("\n"), "".join(bare).split("\n"), strict=True)
    bare_lines = {whole for whole, rest in lines if whole and not _has_word(rest)}
    at_ends: set[str] = set()
    for node in tree.css("header,footer")[:100]:
        if not is_within(node, "article", "main"):  # those of the site, not of an article
            start, end = layout.span(node)
            at_ends.update("".join(layout.pieces[start:end]).split("\n"))
    found = {_of_list(line) for line in bare_lines if not line.isspace()} | set(map(_of_list, at_ends))
    if not found:
        return frozenset()
    headings = {_of_list(node.text()) for node in tree.css("h1,h2,h3,h4,h5,h6")[:1000]}
    return frozenset(found - headings)


def is_within(node: LexborNode, *tags: str) -> bool:
    """Whether an element stands in one of these."""
    above = node.parent
    for _ in range(DEPTH):
        if above is None:
            return False
        if above.tag in tags:
            return True
        above = above.parent
    return False


def _of_list(line: str) -> str:
    """A line without what marks it as one of a list."""
    return one_line(line).strip(_BULLETS)
