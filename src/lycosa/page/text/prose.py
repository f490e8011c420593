"""Clean the main text of a page: drop lists of links and legal notices, and restore bulleted lists.

The extractor of the main text relies on markup, and old pages have none that separates navigation from text. Lines that
are all link are dropped at both ends of the text, and inside it where several follow each other. The extractor also takes
every bulleted list for navigation; lists that are text are put back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import groupby

from selectolax.lexbor import LexborNode

from lycosa.page.document import Document
from lycosa.page.text.layout import one_line, tag_ids

LIST = 3
"""This many lines of links in a row are a list of links, wherever they stand."""
NOTICE_CHARS = 300
DEPTH = 500
MARKED = 5_000
"""Elements of one page that are looked at, of each kind."""
LINE_CHARS = 20_000
DEEPEST = 8
"""How deeply an item is indented at most."""

_NOTICE = re.compile(
    r"©|\bcopyright\b|\ball rights reserved\b|\balle rechte vorbehalten\b|\btous droits réservés\b"
    r"|\b(?:todos los|todos os|tutti i) d\w+ r\w+",
    re.IGNORECASE,
)
_has_word = re.compile(r"\w").search
_OUTSIDE = ("nav", "header", "footer", "aside", "form", "ul", "ol", "table")
_ENDS_IDS = tag_ids("header footer")
_HEADING_IDS = tag_ids("h1 h2 h3 h4 h5 h6")
_NOT_WORDS = re.compile(r"\W+")
_BULLETS = "•◦▪‣*-–|·» \t"


def prose_of(document: Document, *, lists: bool = False) -> str:
    """The main text without lists of links and notices; all of it where nothing else would be left.

    With `lists`, also the bulleted lists that are text. To find them costs three times as much as all the rest.
    """
    is_link = _LinkLines(document)
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
    text = "\n".join(_with_lists(kept, document) if lists else kept)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip("\n") or document.main_text


class _LinkLines:
    """Whether a line is nothing but links, or stands in the site's own head or foot; None of an empty one."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._at_ends = _lines_at_ends(document)
        self._lines = self._with_ends(_linked_lines(document))
        self._longest = max(map(len, self._lines), default=0)

    def _with_ends(self, lines: Iterable[str]) -> set[str]:
        # A head is mostly links: what is the same is looked at once.
        return {_of_list(line) for line in {line for line in lines if not line.isspace()} | self._at_ends}

    @cached_property
    def _wordless(self) -> set[str]:
        # Few pages have a line without any word in their main text.
        whole = "".join(self._document.layout.pieces).split("\n")
        return self._with_ends(line for line in whole if line and not _has_word(line))

    @cached_property
    def _headings(self) -> set[str]:
        headings = [element for tag in _HEADING_IDS for element in self._document.kinds.get(tag, ())[:1000]]
        return {_of_list(node.text()) for _, node, _ in headings}

    def __call__(self, line: str) -> bool | None:
        if not line or line.isspace():
            return None
        if not _has_word(line):
            lines, said = self._wordless, _of_list(line)
        else:
            lines, start = self._lines, line[: 2 * self._longest + 1]
            said = _of_list(start)
            if len(said) > self._longest:
                return False  # a paragraph: the rest of it need not be looked at
            if len(start) < len(line):
                said = _of_list(line)
        return said in lines and said not in self._headings


def _with_lists(kept: list[str], document: Document) -> list[str]:
    """The lines that were kept, and behind them the bulleted lists that follow them on the page and are text."""
    lists = {node.mem_id: items for node in document.tree.css("ul")[:MARKED] if (items := _items(node))}
    if not lists or document.is_all_text:
        return kept
    there, before, left_out = {bare(line) for line in kept}, "", dict[str, list[str]]()
    for node in document.tree.css("h1,h2,h3,h4,h5,h6,p,ul")[:MARKED]:
        if node.tag != "ul":
            before = line if (line := bare(text_of(node))) in there else before
        elif before and (items := lists.get(node.mem_id, [])) and not there & set(map(bare, items)):
            left_out.setdefault(before, []).extend(items)
    found: list[str] = []
    for line in kept:
        items = left_out.pop(bare(line), []) if left_out else []
        found += [line, "", *items, ""] if items else [line]
    return found


def _items(node: LexborNode) -> list[str]:
    """The lines of a list that is text; none where it stands outside of any, or where most of it is links."""
    if is_within(node, *_OUTSIDE):
        return []
    items = [(depth_of(item), text_of(item, "ul", "ol")) for item in node.css("li")[:MARKED]]
    linked = sum(len(bare(text_of(link))) for link in node.css("a")[:MARKED])
    if 2 * linked >= sum(len(bare(text)) for _, text in items):
        return []
    return [f"{'  ' * depth}• {text}" for depth, text in items if text]


def depth_of(item: LexborNode) -> int:
    """How many lists an item stands in besides its own."""
    depth, above = -1, item.parent
    for _ in range(DEPTH):
        if above is None or depth == DEEPEST:
            break
        depth += above.tag in ("ul", "ol")
        above = above.parent
    return max(0, depth)


def text_of(node: LexborNode, *without: str) -> str:
    """The text of an element in one line, without that of these elements in it."""
    if not without:
        return one_line(node.text(separator=" ")[:LINE_CHARS])
    # What is left out is not walked into: in a list of lists of lists every item would be read once for each around it.
    pieces: list[str] = []
    chars, waiting = 0, [node.child]
    while waiting and chars < LINE_CHARS:
        here = waiting.pop()
        if here is None:
            continue
        waiting.append(here.next)
        if piece := here.text_content:
            pieces.append(piece)
            chars += len(piece)
        elif here.tag not in without:
            waiting.append(here.child)
    return one_line(" ".join(pieces)[:LINE_CHARS])


def bare(line: str) -> str:
    """The letters and digits of a line, which identify it whatever its spacing."""
    return _NOT_WORDS.sub("", line).lower()


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


def _linked_lines(document: Document) -> set[str]:
    """The lines of the page with links that have no word outside of them."""
    # NUL marks where links begin and end: no parser of HTML leaves one in a text.
    marked, covered = document.layout.pieces.copy(), 0
    for start, end in sorted(document.linked.anchors):
        for at in range(max(start, covered), end):
            if piece := marked[at]:
                marked[at] = f"\0{piece}\0" if "\n" not in piece else _marked_lines(piece)
        covered = max(covered, end)
    parts = f"{''.join(marked)}\n".split("\0")  # what links say, between what they do not
    line = outside = parts[0].rpartition("\n")[2]
    found = set()
    for inside, after in zip(parts[1::2], parts[2::2], strict=True):
        line += inside
        rest, is_end, further = after.partition("\n")
        line += rest
        outside += rest
        if is_end:
            if not _has_word(outside):
                found.add(line)
            line = outside = further.rpartition("\n")[2]
    return found


def _marked_lines(piece: str) -> str:
    return "\n".join([f"\0{part}\0" for part in piece.split("\n")])


def _lines_at_ends(document: Document) -> set[str]:
    """The lines of the site's own head and foot: not of those of an article."""
    found: set[str] = set()
    ends = [element for tag in _ENDS_IDS for element in document.kinds.get(tag, ())[:100]]
    for _, node, at in ends:
        if not is_within(node, "article", "main"):
            start, end = document.layout.span_from(node, at)
            found.update("".join(document.layout.pieces[start:end]).split("\n"))
    return found


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
