"""Find the text around each link.

All contexts are slices of one text, so their cost does not grow with the number of links that share a parent. Their
terms are counted in the tokens of the page, which are read once.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from lycosa.page.text.layout import one_line, tag_ids

if TYPE_CHECKING:
    from lycosa.page.document import Document

CONTEXT_CHARS = 4_000
WINDOW_CHARS = 50
PAGE_CHARS = 400_000
"""Total context of a page; further aggregation nodes give only SHORT_CHARS each."""
SHORT_CHARS = 200
_SLACK = 4
"""Multiple of the wanted characters that is read, because white space is squeezed afterwards."""

Parents = tuple[int, ...]
"""The numbers of the elements that the links to one URL stand in."""

_OUTSIDE_IDS = tag_ids("html head")


def aggregation_contexts(document: Document, anchors: bool = False) -> list[str]:
    """For each link the text of its aggregation node, which is its parent.

    Without any anchor text, or with all of it (`anchors`). A URL that occurs several times
    gets the distinct contexts of its occurrences, one per line. Capped at CONTEXT_CHARS.
    """
    layout, linked = document.layout, document.linked
    anchor_spans = () if anchors else linked.anchors
    text, offsets = _text_and_offsets(layout.without([*document.hidden_spans, *anchor_spans]))
    shared: dict[int, str] = {}
    left = PAGE_CHARS
    contexts: list[list[str]] = [[] for _ in linked.links]
    for node, position in linked.occurrences:
        above = node.parent
        if above is None or above.tag_id in _OUTSIDE_IDS:
            continue
        context = shared.get(above.mem_id)
        if context is None:
            start, end = (offsets[at] for at in layout.span(above))
            context = _squeezed(text, start, end, max(SHORT_CHARS, min(CONTEXT_CHARS, left)))
            shared[above.mem_id] = context
            left -= len(context)
        contexts[position].append(context)
    return [_union(texts, "\n", CONTEXT_CHARS) for texts in contexts]


def whole_context_counts(document: Document) -> list[dict[str, int]]:
    """For each link the term counts of its context with anchors.

    Equals counting the texts of `aggregation_contexts(document, anchors=True)`, but reads the page's tokens once: a
    context is a range of them. Contexts of one URL with the same tokens count once.
    """
    around = _around(document)
    if around is None:
        return document.counts_of(document.whole_contexts)
    counts: dict[Parents, dict[str, int]] = {}
    for parents in around.of_links:
        if parents not in counts:
            ranges = around.ranges_of(parents)
            counts[parents] = document.stream.counts_in(ranges) if ranges else around.read(parents)
    return [counts[parents] for parents in around.of_links]


class _Around:
    """The parents of the links, with the characters and tokens of the page that each contains."""

    def __init__(self, document: Document, of_links: list[Parents], spans: list[tuple[int, int]]) -> None:
        self._document = document
        self.of_links = of_links
        self._spans = spans
        edges = np.fromiter(chain.from_iterable(spans), np.intp, 2 * len(spans))
        tokens = document.stream.tokens_before(edges)
        self.ranges = tokens.reshape(-1, 2)
        is_long = edges[1::2] - edges[::2] > CONTEXT_CHARS
        self.is_apart = is_long | (tokens[::2] < 0) | (tokens[1::2] < 0)
        """Whether a parent is too long, or begins or ends inside a word: then its text is read separately."""
        self._ranges: list[list[int]] = self.ranges.tolist()
        self._apart = {*np.flatnonzero(self.is_apart).tolist()}

    def ranges_of(self, parents: Parents) -> list[tuple[int, int]]:
        """The tokens around a URL with these parents; none if its context has to be read separately."""
        if not self._apart.isdisjoint(parents):
            return []
        if (
            len(parents) > 1
            and sum([self._spans[each][1] - self._spans[each][0] for each in parents]) > CONTEXT_CHARS
        ):
            return []
        return [(first, end) for first, end in map(self._ranges.__getitem__, parents)]

    def read(self, parents: Parents) -> dict[str, int]:
        """The term counts of a context that is read separately."""
        texts = [_squeezed(self._document.flow, *self._spans[each], CONTEXT_CHARS) for each in parents]
        (counted,) = self._document.counts_of([_union(texts, "\n", CONTEXT_CHARS)])
        return counted


def _around(document: Document) -> _Around | None:
    """The parents of all links; None if their text exceeds the limits."""
    of_links, spans = _parents(document)
    chars = sum([end - start for start, end in spans])
    if chars > PAGE_CHARS or max([end for _, end in spans], default=0) > len(document.flow):
        return None
    return _Around(document, of_links, spans)


def _parents(document: Document) -> tuple[list[Parents], list[tuple[int, int]]]:
    """For each link the numbers of its parents; and for each parent its span in the page's text."""
    layout, linked = document.layout, document.linked
    offsets = [0, *accumulate(map(len, document.seen_pieces))]
    numbers: dict[int, int] = {}  # by mark
    spans: list[tuple[int, int]] = []
    # Dictionaries, because one URL may have thousands of parents.
    of_links: list[dict[int, None]] = [{} for _ in linked.links]
    for node, position in linked.occurrences:
        parent = node.parent
        if parent is None or parent.tag_id in _OUTSIDE_IDS:
            continue
        mark = parent.mem_id
        number = numbers.get(mark)
        if number is None:
            number = numbers[mark] = len(spans)
            first, end = layout.span(parent)
            spans.append((offsets[first], offsets[end]))
        of_links[position][number] = None
    return [*map(tuple, of_links)], spans


def _squeezed(text: str, start: int, end: int, max_chars: int) -> str:
    return one_line(text[start : min(end, start + _SLACK * max_chars)])[:max_chars]


def window_contexts(document: Document) -> list[tuple[str, str]]:
    """For each link the text before and after it, up to the neighbouring links.

    A URL that occurs several times gets the windows of all its occurrences.
    """
    layout, linked = document.layout, document.linked
    text, offsets = _text_and_offsets(layout.without(document.hidden_spans))
    spans = sorted({*linked.anchors})
    before, after = _neighbours(spans)
    reach = _SLACK * WINDOW_CHARS
    windows: list[tuple[list[str], list[str]]] = [([], []) for _ in linked.links]
    for node, position in linked.occurrences:
        span = layout.span(node)
        if span not in before:
            continue  # a frame or a link of the head has no text around it
        start, end = offsets[span[0]], offsets[span[1]]
        earliest, latest = offsets[before[span]], offsets[min(after[span], len(offsets) - 1)]
        left = one_line(text[max(earliest, start - reach) : start])[-WINDOW_CHARS:]
        right = one_line(text[end : min(latest, end + reach)])[:WINDOW_CHARS]
        windows[position][0].append(left)
        windows[position][1].append(right)
    return [(_union(left, " ", reach), _union(right, " ", reach)) for left, right in windows]


def _neighbours(
    spans: list[tuple[int, int]],
) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
    """The end of the link before each link, and the start of the link after it."""
    before: dict[tuple[int, int], int] = {}
    after: dict[tuple[int, int], int] = {}
    ended = 0
    for span in spans:
        before[span] = min(ended, span[0])
        ended = max(ended, span[1])
    begins = 1 << 62
    for span in reversed(spans):
        after[span] = max(begins, span[1])
        begins = span[0]
    return before, after


def _text_and_offsets(pieces: list[str]) -> tuple[str, list[int]]:
    return "".join(pieces), [0, *accumulate(map(len, pieces))]


def _union(texts: Iterable[str], separator: str, max_chars: int) -> str:
    """The distinct non-empty texts, joined."""
    distinct = [text for text in dict.fromkeys(texts) if text]
    if len(distinct) == 1:
        return distinct[0]  # all links of a parent share one string
    return separator.join(distinct[:100])[:max_chars]
