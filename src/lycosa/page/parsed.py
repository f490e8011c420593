"""Parse markup once, with its size limited, and index its elements."""

from __future__ import annotations

from functools import cached_property

from selectolax.lexbor import LexborHTMLParser

from lycosa.page.parser_limits import part_read, thinned
from lycosa.page.text.layout import NOSCRIPT_ID, Layout, Noted, noted_elements


class Parsed:
    """Markup as a tree, the layout of its text, and its elements by kind."""

    def __init__(self, html: str) -> None:
        part, self.tags = part_read(html)
        self.length = len(part)
        self.bounded = thinned(part, self.tags)
        self.tree = LexborHTMLParser(self.bounded)
        self.layout = Layout(self.tree.body)
        self.elements = noted_elements(self.tree, self.layout)
        self.kinds: dict[int, list[Noted]] = {}
        for element in self.elements:
            self.kinds.setdefault(element[0], []).append(element)

    @cached_property
    def hidden_spans(self) -> list[tuple[int, int]]:
        """The pieces of text that a reader does not see."""
        unscripted = [self.layout.span_from(node, at) for _, node, at in self.kinds.get(NOSCRIPT_ID, ())]
        return unscripted + [self.layout.span(node) for node in self.tree.css("[hidden]")]
