"""Read the text of a tree in document order, in pieces that belong to elements.

One walk over the tree serves the page's text, the anchors and all link contexts, in time linear in the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

NODES = 300_000

_BLOCKS = (
    "address article aside blockquote br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol optgroup "
    "option p pre section select summary table tbody td textarea tfoot th thead tr ul"
)
_UNSEEN = "iframe noembed noframes script style title"  # their text is not text of the page


def tag_ids(names: str) -> frozenset[int]:
    """The parser's numbers of some element names."""
    tree = LexborHTMLParser("<body>")
    return frozenset(tree.create_node(name).tag_id for name in names.split())


BLOCK_IDS = tag_ids(_BLOCKS)
_UNSEEN_IDS = tag_ids(_UNSEEN)
(A_ID,) = tag_ids("a")
(IMG_ID,) = tag_ids("img")
(NOSCRIPT_ID,) = tag_ids("noscript")
TEXT_ID = LexborHTMLParser("<body>x").body.first_child.tag_id  # type: ignore[union-attr]

_NOTED = (
    "a area article audio base embed footer frame h1 h2 h3 h4 h5 h6 header iframe img link meta noscript object pre "
    "script template title video"
)
_NOTED_IDS = tag_ids(_NOTED)
OUTSIDE = -1
NEAR, NEAR_LEVELS = 200, 5
"""Pieces searched for the end of an element before the whole page is indexed, and levels searched upwards for what
follows it."""

SAMPLED = 100
"""Sample the depth of every Nth element."""


Noted = tuple[int, LexborNode, int]
"""An element that somebody asks for: its tag, itself, and which piece is the first of its own, or OUTSIDE of the body."""


def noted_elements(tree: LexborHTMLParser, layout: Layout) -> list[Noted]:
    """All elements of a tree that anybody asks for, in document order: a query for each kind would be a walk for each."""
    if layout.is_cut:
        return [(node.tag_id, node, OUTSIDE) for node in tree.css(_NOTED.replace(" ", ","))]
    body, root = tree.body, tree.root
    found: list[Noted] = []
    for part in root.iter() if root is not None else ():
        if body is not None and part.mem_id == body.mem_id:
            found += layout.noted
        else:
            found += [(tag, node, OUTSIDE) for node in part.traverse() if (tag := node.tag_id) in _NOTED_IDS]
    return found


class Layout:
    """`pieces` of text, one for each node, with line breaks at block elements; `span`: those of a node."""

    def __init__(self, top: LexborNode | None, nodes: int = NODES) -> None:
        self.pieces: list[str] = []
        self.noted: list[Noted] = []
        self.is_cut = False
        """Whether there are more nodes than were read."""
        self._marks: list[int] = []
        self._ends: dict[int, int] = {}
        if top is not None:
            self._walk(top, nodes)

    def _walk(self, top: LexborNode, nodes: int) -> None:
        # The innermost loop of the crawler: a lookup more here costs as much as a database row.
        add, mark_next, note, pieces = self.pieces.append, self._marks.append, self.noted.append, self.pieces
        text_id, blocks, unseens, noted = TEXT_ID, BLOCK_IDS, _UNSEEN_IDS, _NOTED_IDS
        breaks: set[int] = set()  # nodes that follow a block
        unseen = 0
        for node in islice(top.traverse(include_text=True), nodes):
            mark = node.mem_id
            mark_next(mark)
            tag = node.tag_id
            if tag == text_id:
                piece = "" if mark == unseen else node.text_content
                add("\n" + piece if mark in breaks else piece)  # type: ignore[operator, arg-type]
                continue
            if tag in noted:
                note((tag, node, len(pieces)))
            if tag in blocks:
                add("\n")
                following = node.next or _after_inline_parents(node)
                if following is not None:
                    breaks.add(following.mem_id)
            else:
                add("\n" if mark in breaks else "")
                if tag in unseens and (child := node.first_child) is not None:
                    unseen = child.mem_id
        self.is_cut = len(pieces) >= nodes

    @cached_property
    def _starts(self) -> dict[int, int]:
        return dict(zip(self._marks, range(len(self._marks)), strict=True))

    def span(self, node: LexborNode) -> tuple[int, int]:
        """The range of `pieces` that a node holds; empty for what is not in the body."""
        starts = self._starts
        start = starts.get(node.mem_id)
        if start is None:
            return 0, 0
        following = node.next
        end = starts.get(following.mem_id) if following is not None else None
        return start, self._end(node) if end is None else end

    def span_from(self, node: LexborNode, at: int) -> tuple[int, int]:
        """The same of a noted element: quicker where it is small, as most are."""
        if at == OUTSIDE:
            return self.span(node)
        child = node.first_child
        if child is None:
            return at, at + 1
        if child.tag_id == TEXT_ID and child.next is None:
            return at, at + 2
        following, above = node.next, node
        for _ in range(NEAR_LEVELS):
            if following is not None or (parent := above.parent) is None:
                break
            following, above = parent.next, parent
        if following is not None:
            with suppress(ValueError):
                return at, self._marks.index(following.mem_id, at + 1, at + NEAR)
        return self.span(node)

    def _end(self, node: LexborNode) -> int:
        # What follows a last child follows its parent, too; remembering that keeps nested links linear.
        ends, climbed = self._ends, []
        current: LexborNode | None = node
        end = None
        while current is not None and end is None:
            end = ends.get(current.mem_id)
            if end is None:
                climbed.append(current.mem_id)
                following = current.next
                if following is not None:
                    end = self._starts.get(following.mem_id)
                    if end is None:
                        break  # beyond the cap of nodes, or after the body
                current = current.parent
        if end is None:
            end = len(self.pieces)
        for mark in climbed:
            ends[mark] = end
        return end

    def without(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        """The pieces, those of the spans replaced by a space."""
        pieces = self.pieces.copy()
        covered = 0  # spans within spans are done with the outer one
        for start, end in sorted(spans):
            if covered <= start < end:
                pieces[start:end] = [" "] + [""] * (end - start - 1)
                covered = end
        return pieces


def is_deeper(top: LexborNode, levels: int) -> bool:
    """Whether elements are nested more than this many levels below a node."""
    # A node is at most one level below the one before it: if no sampled node is that deep, none is.
    if not any(_has_ancestors(node, levels // 2) for node in islice(top.traverse(), 0, NODES, levels // 2)):
        return False
    depths = {top.mem_id: 0}
    for node in islice(top.traverse(), 1, NODES):
        parent = node.parent
        depth = depths[parent.mem_id] + 1 if parent is not None else 0
        if depth > levels:
            return True
        depths[node.mem_id] = depth
    return False


def is_deep_throughout(top: LexborNode, levels: int) -> bool:
    """Whether the elements below a node are nested so deeply that their levels add up to more than this."""
    # The next nodes are hardly deeper than one that is looked at: a node is at most one level below the one before it.
    left = levels // SAMPLED
    for node in islice(top.traverse(), 0, NODES, SAMPLED):
        above = node.parent
        while above is not None:
            left -= 1
            if left < 0:
                return True
            above = above.parent
    return False


def _has_ancestors(node: LexborNode, count: int) -> bool:
    above = node.parent
    for _ in range(count):
        if above is None:
            return False
        above = above.parent
    return above is not None


def _after_inline_parents(node: LexborNode) -> LexborNode | None:
    parent = node.parent
    while parent is not None and parent.tag_id not in BLOCK_IDS:
        if (following := parent.next) is not None:
            return following
        parent = parent.parent
    return None


def blocks_with_text(pieces: Iterable[str]) -> int:
    """How many stretches of text there are with no block within them.

    >>> blocks_with_text(["\\n", "a\\nb", "", "c", "\\n", "\\n", " ", "d"])
    2
    """
    blocks, begins = 0, True
    for piece in pieces:
        begins = begins or piece.startswith("\n")
        if begins and piece and not piece.isspace():
            blocks, begins = blocks + 1, False
    return blocks


def lines_of(text: str) -> str:
    """The text without empty lines and without spaces at the edges of lines.

    >>> lines_of(" a  b \\n\\n   \\nc")
    'a  b\\nc'
    """
    filled = filter(None, text.split("\n"))  # most lines of a page are empty from the start
    return "\n".join(filter(None, map(str.strip, filled)))


def one_line(text: str) -> str:
    """The text with every run of white space made one space.

    >>> one_line(" a\\n  b ")
    'a b'
    """
    return " ".join(text.split())


# White space that is not ASCII: str.split knows it, bytes.split does not.
_WIDE_SPACES = "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def with_plain_spaces(text: str) -> str:
    """The text with every kind of space made a plain one; each character stays at its place.

    >>> with_plain_spaces("10\xa0km")
    '10 km'
    """
    if not text.isascii():
        for space in _WIDE_SPACES:
            text = text.replace(space, " ")
    return text
