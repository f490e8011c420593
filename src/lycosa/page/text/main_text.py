"""Extract the main text of a page: without navigation and boilerplate."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from lycosa.page.parsed import Parsed
from lycosa.page.text.layout import TEXT_ID, blocks_with_text, is_deep_throughout, is_deeper

MAX_DEPTH = 2_000
MAX_LEVELS = 20_000_000
"""Levels of nesting, summed over all elements: the extractor climbs from each to the body."""
MAX_WORK = 10_000_000_000
"""Bytes of text × blocks with text: at each block the extractor copies all text before it."""


def extract(parsed: Parsed) -> str:
    """The main text; '' if the extractor finds none, or if the elements are nested too deeply for it."""
    body = parsed.tree.body
    if body is None or _is_too_deep(parsed, body):
        return ""
    # Imported here: it is a second parser, and only exports and indexes need it.
    from resiliparse.extract.html2text import extract_plain_text

    found = extract_plain_text(
        parsed.bounded, main_content=True, alt_texts=False, links=False, form_fields=False, noscript=False
    )
    return str(found).strip()


def _is_too_deep(parsed: Parsed, body: LexborNode) -> bool:
    # The extractor's time grows with the square of the depth; a few tags cannot nest that deeply.
    return parsed.tags > MAX_DEPTH and (is_deeper(body, MAX_DEPTH) or is_deep_throughout(body, MAX_LEVELS))


def is_too_long(parsed: Parsed) -> bool:
    """Whether extraction would take many seconds."""
    if 4 * len(parsed.bounded) * parsed.tags <= MAX_WORK:
        return False
    if parsed.layout.is_cut:
        return True
    pieces = parsed.layout.without(_plain_options(parsed))  # the extractor drops these at once
    unseen = "".join([node.text() for node in parsed.tree.css("noembed,noframes")])  # and keeps these
    size = len("".join([*pieces, unseen]).encode("utf-8", "replace"))
    return size * blocks_with_text(pieces) > MAX_WORK


def _plain_options(parsed: Parsed) -> list[tuple[int, int]]:
    """The pieces of options with nothing but text; another parser may see other content elsewhere."""
    holding = ((node, node.first_child) for node in parsed.tree.css("option"))
    return [
        parsed.layout.span(node)
        for node, child in holding
        if child is None or (child.tag_id == TEXT_ID and child.next is None)
    ]
