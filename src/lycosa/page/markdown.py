"""The text of a page as Markdown. In: a document. Out: the same text as `prose`, with its headings, lists, tables and code.

What belongs to the text is decided once, in `prose`; here each of its lines gets the mark of the element that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from lycosa.page.document import Document
from lycosa.page.layout import one_line
from lycosa.page.prose import is_within, prose_of

MARKED = 5_000
"""Elements of one page that are looked at, of each kind."""
CELLS = 50

Block = tuple[str, str]
"""The kind of a line, and the line as Markdown."""

_OUTSIDE = ("nav", "header", "footer", "aside", "form", "ul", "table")
_NOT_WORDS = re.compile(r"\W+")
_NUMBER = re.compile(r"^\s*\d{1,4}[.)]\s+")
_LINE_CHARS = 20_000


def markdown_of(document: Document) -> str:
    """The text of a page, its structure kept."""
    prose = prose_of(document)
    if document.is_all_text:
        return prose.replace("\n", "\n\n")
    marks = dict(_marks(document))
    lines = [line for line in prose.split("\n") if line.strip()]
    left_out = _lists_left_out(document, {_bare(line) for line in lines})
    blocks: list[Block] = []
    for line in lines:
        bare = _bare(line)
        blocks.append(marks.get(bare) or marks.get(_bare(_NUMBER.sub("", line))) or ("", line.strip()))
        blocks += left_out.pop(bare, ())
    return _joined(blocks)


def _lists_left_out(document: Document, kept: set[str]) -> dict[str, list[Block]]:
    """Lists between the lines that were kept, by the line before them: the extractor takes all of them for navigation."""
    found: dict[str, list[Block]] = {}
    before = ""
    for node in document.tree.css("h1,h2,h3,h4,h5,h6,p,ul")[:MARKED]:
        if node.tag != "ul":
            before = bare if (bare := _bare(_text(node))) in kept else before
            continue
        items = [_text(item) for item in node.css("li")[:MARKED]]
        linked = sum(len(_bare(_text(link))) for link in node.css("a")[:MARKED])
        is_text = items and 2 * linked < len(_bare("".join(items))) and not is_within(node, *_OUTSIDE)
        if before and is_text and not kept & {*map(_bare, items)}:
            found.setdefault(before, []).extend(("ul", f"- {item}") for item in items if item)
    return found


def _marks(document: Document) -> Iterator[tuple[str, Block]]:
    """For the lines that stand in marked elements, by their letters: the kind, and the line as Markdown."""
    tree = document.tree
    for level in range(1, 7):
        for node in tree.css(f"h{level}")[:MARKED]:
            text = _text(node)
            yield _bare(text), (f"h{level}", f"{'#' * level} {text}")
    for kind, mark in (("ul", "-"), ("ol", "1.")):
        for item in tree.css(f"{kind} > li")[:MARKED]:
            own = _text(item, "ul,ol")
            yield _bare(own), (kind, f"{mark} {own}")
    for row in tree.css("tr")[:MARKED]:
        cells = [_text(cell).replace("|", r"\|") for cell in row.css("td,th")[:CELLS]]
        if len(cells) > 1:
            yield _bare("".join(cells)), (f"table {len(cells)}", f"| {' | '.join(cells)} |")
    for block in tree.css("pre")[:MARKED]:
        for line in block.text()[:_LINE_CHARS].split("\n"):
            if _bare(line):
                yield _bare(line), ("code", line.rstrip())


def _joined(blocks: list[Block]) -> str:
    """Lines of the same list, table or code follow each other; all others are paragraphs."""
    lines: list[str] = []
    last = ""
    for kind, line in [*blocks, ("", "")]:
        if last == "code" and kind != "code":
            lines.append("```")
        together = kind == last and kind.startswith(("ul", "ol", "table", "code"))
        if lines and not together and line:
            lines.append("")
        if kind == "code" and last != "code":
            lines.append("```")
        if line:
            lines.append(line)
        if kind.startswith("table") and not together:
            lines.append("|" + " --- |" * int(kind.partition(" ")[2]))
        last = kind
    return "\n".join(lines)


def _text(node: LexborNode, without: str = "") -> str:
    """The text of an element in one line, without those elements in it."""
    text = node.text(separator=" ")[:_LINE_CHARS]
    for inner in node.css(without)[:MARKED] if without else ():
        text = text.replace(inner.text(separator=" ")[:_LINE_CHARS], " ", 1)
    return one_line(text)


def _bare(line: str) -> str:
    """The letters and digits of a line, by which it is known again however it was spaced."""
    return _NOT_WORDS.sub("", line).lower()
