"""Link contexts. In: a Document. Out: for each of its links the text around it.

All contexts are slices of one text, so a page costs its length once, however many links share a parent; where
their terms are counted, they are slices of its tokens, which are read once for the page and all contexts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from lycosa.page.layout import one_line, tag_ids

if TYPE_CHECKING:
    from lycosa.page.document import Document

CONTEXT_CHARS = 4_000
PAGE_CHARS = 400_000
"""Beyond this much context on one page, further aggregation nodes give only SHORT_CHARS each."""
SHORT_CHARS = 200
_SLACK = 4
"""How many times the wanted characters are looked at, since white space is squeezed afterwards."""

_OUTSIDE_IDS = tag_ids("html head")


def aggregation_contexts(document: Document, levels: int = 1, anchors: bool = False) -> list[str]:
    """For each link the text below its aggregation node: the element `levels` above it.

    Without any anchor text, or, with `anchors`, with all of it. A URL that occurs several times
    gets the distinct contexts of its occurrences, one per line. Capped at CONTEXT_CHARS.
    """
    layout, linked = document.layout, document.linked
    anchor_spans = [] if anchors else [layout.span(node) for node, _ in linked.anchors]
    text, offsets = _text_and_offsets(layout.without([*document.hidden_spans, *anchor_spans]))
    shared: dict[int, str] = {}
    left = PAGE_CHARS
    contexts: list[list[str]] = [[] for _ in linked.links]
    for node, position in linked.occurrences:
        above = _ancestor(node, levels)
        if above is None:
            continue
        context = shared.get(above.mem_id)
        if context is None:
            start, end = (offsets[at] for at in layout.span(above))
            context = _squeezed(text, start, end, max(SHORT_CHARS, min(CONTEXT_CHARS, left)))
            shared[above.mem_id] = context
            left -= len(context)
        contexts[position].append(context)
    return [_union(texts, "\n", CONTEXT_CHARS) for texts in contexts]


def whole_context_counts(document: Document, naming: Set[str] | None = None) -> list[dict[str, int]]:
    """For each link how often each term occurs in its context with anchors.

    What counting the texts of `aggregation_contexts(document, anchors=True)` gives, without making them: a context
    is a range of the page's tokens. Contexts of one URL with the same tokens are one. With `naming` only contexts
    that have one of these terms, if the page has it, are counted; the others are empty.
    """
    named = None if naming is None else document.stream.tokens_naming(naming)
    if named is not None and not len(named):
        return [{}] * len(document.links)
    spans, marks = _parents(document)
    ends, chars = [end for _, end in spans.values()], sum([end - start for start, end in spans.values()])
    if chars > PAGE_CHARS or max(ends, default=0) > len(document.flow):
        return [_naming(document, naming, counts) for counts in document.counts_of(document.whole_contexts)]
    stream = document.stream
    edges = stream.tokens_before([edge for span in spans.values() for edge in span])
    ranges = dict(zip(spans, zip(edges[::2], edges[1::2], strict=True), strict=True))
    # Those that are too long, or begin or end within a word, are read by themselves.
    apart = {
        mark for mark, (start, end) in spans.items() if end - start > CONTEXT_CHARS or -1 in ranges[mark]
    }
    counts: dict[tuple[int, ...], dict[str, int]] = {}  # by the parents that a URL's occurrences have
    silent = set() if named is None else _silent(ranges, named)
    for parents in marks:
        if parents in counts:
            continue
        if silent.issuperset(parents):
            counts[parents] = {}
            continue
        is_short = (
            len(parents) == 1 or sum(spans[mark][1] - spans[mark][0] for mark in parents) <= CONTEXT_CHARS
        )
        if is_short and apart.isdisjoint(parents):
            counts[parents] = stream.counts_in([ranges[mark] for mark in parents])
        else:
            texts = [_squeezed(document.flow, *spans[mark], CONTEXT_CHARS) for mark in parents]
            (counted,) = document.counts_of([_union(texts, "\n", CONTEXT_CHARS)])
            counts[parents] = _naming(document, naming, counted)
    return [counts[parents] for parents in marks]


def _silent(ranges: Mapping[int, tuple[int, int]], named: NDArray[np.intp]) -> set[int]:
    """The ranges of tokens without any of those that are named; none that is not known."""
    before = np.searchsorted(named, np.array([*ranges.values()], np.intp).reshape(-1, 2))
    return {
        mark
        for (mark, span), (first, end) in zip(ranges.items(), before.tolist(), strict=True)
        if first == end and -1 not in span
    }


def _naming(document: Document, terms: Set[str] | None, counts: dict[str, int]) -> dict[str, int]:
    if terms is None or not (terms & document.terms.keys()).isdisjoint(counts):
        return counts
    return {}


def _parents(document: Document) -> tuple[dict[int, tuple[int, int]], list[tuple[int, ...]]]:
    """The elements that links stand in: where in the page's text each begins and ends; and for each link which."""
    layout, linked = document.layout, document.linked
    offsets = [0, *accumulate(map(len, document.seen_pieces))]
    spans: dict[int, tuple[int, int]] = {}
    marks: list[tuple[int, ...]] = [()] * len(linked.links)
    for node, position in linked.occurrences:
        parent = node.parent
        if parent is None or parent.tag_id in _OUTSIDE_IDS:
            continue
        mark = parent.mem_id
        if mark not in spans:
            first, end = layout.span(parent)
            spans[mark] = offsets[first], offsets[end]
        if mark not in marks[position]:
            marks[position] += (mark,)
    return spans, marks


def _squeezed(text: str, start: int, end: int, max_chars: int) -> str:
    return one_line(text[start : min(end, start + _SLACK * max_chars)])[:max_chars]


def window_contexts(document: Document, characters: int = 50) -> list[tuple[str, str]]:
    """For each link the text before and after it, up to the neighbouring links.

    A URL that occurs several times gets the windows of all its occurrences.
    """
    layout, linked = document.layout, document.linked
    text, offsets = _text_and_offsets(layout.without(document.hidden_spans))
    spans = sorted({layout.span(node) for node, _ in linked.anchors})
    before, after = _neighbours(spans)
    reach = _SLACK * characters
    windows: list[tuple[list[str], list[str]]] = [([], []) for _ in linked.links]
    for node, position in linked.occurrences:
        span = layout.span(node)
        if span not in before:
            continue  # a frame or a link of the head has no text around it
        start, end = offsets[span[0]], offsets[span[1]]
        earliest, latest = offsets[before[span]], offsets[min(after[span], len(offsets) - 1)]
        left = one_line(text[max(earliest, start - reach) : start])[-characters:]
        right = one_line(text[end : min(latest, end + reach)])[:characters]
        windows[position][0].append(left)
        windows[position][1].append(right)
    limit = _SLACK * characters
    return [(_union(left, " ", limit), _union(right, " ", limit)) for left, right in windows]


def _neighbours(
    spans: list[tuple[int, int]],
) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
    """Where the link before each link ends, and where the link after it begins."""
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


def _ancestor(node: LexborNode, levels: int) -> LexborNode | None:
    for _ in range(levels):
        parent = node.parent
        if parent is None or parent.tag in ("html", "head"):
            return node if node.tag == "body" else None
        node = parent
    return node


def _union(texts: Iterable[str], separator: str, max_chars: int) -> str:
    """The distinct texts that are not empty, joined."""
    distinct = [text for text in dict.fromkeys(texts) if text]
    if len(distinct) == 1:
        return distinct[0]  # the same object for all links of a parent, which is what makes it cheap
    return separator.join(distinct[:100])[:max_chars]
