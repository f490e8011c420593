"""Write the text of a page as Markdown, with headings, lists, tables and code.

`prose` decides which lines belong to the text; here each line gets the mark of its element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lycosa.page.document import Document
from lycosa.page.text.prose import LINE_CHARS, MARKED, bare, depth_of, prose_of, text_of

CELLS = 50

Block = tuple[str, str]
"""The kind of a line, and the line as Markdown."""

_NUMBER = re.compile(r"^\s*\d{1,4}[.)]\s+")


def markdown_of(document: Document) -> str:
    """The text of a page, its structure kept."""
    prose = prose_of(document, lists=True)
    if document.is_all_text:
        return prose.replace("\n", "\n\n")
    marks = dict(_marks(document))
    lines = [line for line in prose.split("\n") if line.strip()]
    found = (marks.get(bare(line)) or marks.get(bare(_NUMBER.sub("", line))) for line in lines)
    return _joined([mark or ("", line.strip()) for mark, line in zip(found, lines, strict=True)])


def _marks(document: Document) -> Iterator[tuple[str, Block]]:
    """For the lines that stand in marked elements, by their letters: the kind, and the line as Markdown."""
    tree = document.tree
    for level in range(1, 7):
        for node in tree.css(f"h{level}")[:MARKED]:
            text = text_of(node)
            yield bare(text), (f"h{level}", f"{'#' * level} {text}")
    for kind, mark in (("ul", "-"), ("ol", "1.")):
        for item in tree.css(f"{kind} > li")[:MARKED]:
            own, depth = text_of(item, "ul", "ol"), depth_of(item)
            yield bare(own), (f"list {kind} {depth}", f"{'    ' * depth}{mark} {own}")
    for row in tree.css("tr")[:MARKED]:
        if row.css_first("table") is not None:  # it lays out the page, and is no line of it
            continue
        cells = [text_of(cell).replace("|", r"\|") for cell in row.css("td,th")[:CELLS]]
        if len(cells) > 1:
            yield bare("".join(cells)), (f"table {len(cells)}", f"| {' | '.join(cells)} |")
    for block in tree.css("pre")[:MARKED]:
        for line in block.text()[:LINE_CHARS].split("\n"):
            if bare(line):
                yield bare(line), ("code", line.rstrip())


def _joined(blocks: list[Block]) -> str:
    """Lines of the same list, table or code follow each other; all others are paragraphs."""
    lines: list[str] = []
    last = ""
    for kind, line in [*blocks, ("", "")]:
        if last == "code" and kind != "code":
            lines.append("```")
        is_inner = all(one.startswith("list") for one in (kind, last)) and (kind[-1], last[-1]) != ("0", "0")
        together = is_inner or (kind == last and kind.startswith(("list", "table", "code")))
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
