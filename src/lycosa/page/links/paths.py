"""Path strings of the texts and images of a page [Zhang & Nasraoui, 4.1].

A path string names the elements from a text up to the root with their *display* attributes (class, align, size,
color …, never href, src or id). Texts that look alike share one.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.page.text.layout import IMG_ID, TEXT_ID, one_line, tag_ids

DISPLAY = tuple(
    "align background bgcolor border cellpadding cellspacing class color colspan dir face "
    "frame height hspace nowrap rowspan rules size text type valign vspace width".split()
)
"""Attributes that affect the display. Inline `style` is left out: it often holds computed numbers."""

NODES = 50_000
LEVELS = 64
STRING_CHARS = 2_000
STRINGS = 2_000
TEXT_CHARS = 300
MARK_CHARS = 80
CLASSES = 12

Shown = str | tuple[tuple[str, str | None], ...] | None
"""The class of an element as written; all its display attributes, if it has others too."""

_DISPLAY = frozenset(DISPLAY)
_BUT_CLASS = _DISPLAY - {"class"}
_UNREAD_IDS = tag_ids("head noscript script style template")


class Outline(msgspec.Struct, frozen=True, array_like=True):
    """A page as path strings: plain data, in document order.

    Element e has the path string `strings[paths[e]]`, the parent `parents[e]` (-1: the root) and stands in
    link `links[e]` of the page (-1: in none). A leaf is (element, text) for a text of that element, and
    (element, "") for an image in it.
    """

    strings: tuple[str, ...] = ()
    parents: tuple[int, ...] = ()
    paths: tuple[int, ...] = ()
    links: tuple[int, ...] = ()
    leaves: tuple[tuple[int, str], ...] = ()

    def pairs(self) -> list[tuple[str, str]]:
        """The PSNV pairs: (path string, text) of every text, in document order."""
        strings, paths = self.strings, self.paths
        return [(strings[paths[element]], text) for element, text in self.leaves if text]


def path_step(tag: str, attributes: Mapping[str, str | None]) -> str:
    """One element of a path string; neither the order of attributes nor that of classes matters.

    >>> path_step("tr", {"id": "x7", "class": "people odd", "align": "LEFT"})
    '<tr-align/left-class/odd-class/people>'
    """
    marks = []
    for name in attributes:
        if name in _DISPLAY and (value := attributes[name]):
            if name == "class":
                marks += [f"-class/{each[:MARK_CHARS]}" for each in set(value.split()[:CLASSES])]
            else:
                marks.append(f"-{name}/{one_line(value[:MARK_CHARS]).lower()}")
    if not marks:
        return f"<{tag}>"
    marks.sort()
    return f"<{tag}{''.join(marks).replace('<', '').replace('>', '')}>"


def outline_of(tree: LexborHTMLParser, link_of: Mapping[int, int]) -> Outline:
    """The outline of a page; `link_of` tells for an element (by `mem_id`) which of the page's links it is."""
    if tree.root is None:
        return Outline()
    parents: list[int] = []
    paths: list[int] = []
    links: list[int] = []
    levels: list[int] = []
    strings: list[str] = []
    known: dict[tuple[int, int, Shown], int] = {}  # (parent's path, tag, what shows as written) -> path
    steps: dict[tuple[int, Shown], str] = {}
    numbers: dict[tuple[int, str], int] = {}  # (parent's path, step) -> path
    leaves: list[tuple[int, str]] = []
    later: list[tuple[LexborNode, int]] = []  # what follows the elements that we are in
    node: LexborNode | None = tree.root
    parent = outer = link = level = -1
    left = NODES
    while left:
        if node is None:
            if not later:
                break
            node, parent = later.pop()
            outer, link, level = paths[parent], links[parent], levels[parent]
        left -= 1
        tag = node.tag_id
        if tag == TEXT_ID:
            text = node.text_content or ""
            # White space between elements is half of all texts.
            if not text.isspace() and (text := one_line(text[: 2 * TEXT_CHARS])[:TEXT_CHARS]):
                leaves.append((parent, text))
        elif tag == IMG_ID:
            leaves.append((parent, ""))
        elif tag not in _UNREAD_IDS and node.is_element_node:
            attributes = node.attributes
            shown: Shown = attributes.get("class")
            if attributes and not _BUT_CLASS.isdisjoint(attributes):
                shown = tuple([pair for pair in attributes.items() if pair[0] in _DISPLAY])
            path = known.get((outer, tag, shown))
            if path is None:
                step = steps.get((tag, shown)) or path_step(node.tag or "", attributes)
                steps[tag, shown] = step
                path = numbers.get((outer, step))
                if path is None:
                    path = numbers[(outer, step)] = _extended(strings, outer, step, level + 1)
                known[(outer, tag, shown)] = path
            element = len(parents)
            parents.append(parent)
            paths.append(path)
            links.append(own if (own := link_of.get(node.mem_id)) is not None else link)
            levels.append(level + 1)
            if (inside := node.first_child) is not None:
                if (following := node.next) is not None:
                    later.append((following, parent))
                node, parent, outer, link, level = inside, element, path, links[-1], level + 1
                continue
        node = node.next
    return Outline(tuple(strings), tuple(parents), tuple(paths), tuple(links), tuple(leaves))


def _extended(strings: list[str], outer: int, step: str, level: int) -> int:
    """The number of a new path string that begins with a step; beyond the caps that of the outer element."""
    if outer >= 0:
        if level > LEVELS or len(step) + len(strings[outer]) > STRING_CHARS or len(strings) >= STRINGS:
            return outer
        step += strings[outer]
    strings.append(step)
    return len(strings) - 1
