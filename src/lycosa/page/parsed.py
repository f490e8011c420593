"""Parse markup once, with its size limited, and index its elements."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from lycosa.page.parser_limits import part_read, thinned
from lycosa.page.text.layout import Layout, Noted, noted_elements


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
