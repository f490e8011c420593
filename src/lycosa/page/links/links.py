"""Find the links and images of a page, each URL once, in document order.

A URL that occurs several times keeps its first position and gets the anchors of all its occurrences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from lycosa import urls
from lycosa.page.text.layout import A_ID, IMG_ID, OUTSIDE, TEXT_ID, Layout, Noted, one_line, tag_ids
from lycosa.urls import URL_CHARS
from lycosa.values import Image, Link

MAX_LINKS = 5_000
MAX_IMAGES = 1_000
MAX_LICENCES = 5
ANCHOR_CHARS = 500
ANCHOR_NODES = 200
"""Nodes read per anchor, so that nested links stay linear."""
URLS_CHARS = 2_000_000
"""Total characters of the URLs of a page's links, and of its images: short references to a long base could multiply the page."""
ATTRIBUTE_CHARS = 200
CACHED_CHARS = 400
"""Longer bases and references are not cached."""
CACHED_TARGETS = 1 << 16

COUNTED = "video audio object embed pre article"
_COUNTED_IDS = tag_ids(COUNTED)
_OTHER_IDS = tag_ids("area frame iframe link meta")
_REFRESH = re.compile(r"\s*+[\d.]*+\s*+[;,]?\s*+url\s*+=\s*+[\"']?([^\"']++)", re.IGNORECASE)
_STEERING = frozenset(("next", "prev", "previous"))
_STYLE_SIZE = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*(\d{1,5})(?:\.\d+)?\s*px", re.IGNORECASE)
_PIXELS = re.compile(r"\s*(\d{1,5})(?:\.\d+)?\s*(?:px\s*)?$")
_LAZY = ("data-src", "data-original", "data-lazy-src")

_COMMONS = "creativecommons.org/"
_COMMONS_LICENCES = (f"{_COMMONS}licenses/", f"{_COMMONS}publicdomain/")
_NO_BASE = "http://base.invalid"

Attributes = dict[str, str | None]


class Linked(NamedTuple):
    """The links of a page, and where in the tree they and the images are."""

    links: tuple[Link, ...]
    occurrences: tuple[tuple[LexborNode, int], ...]  # (element, which of the links)
    anchors: tuple[tuple[int, int], ...]  # the pieces of all a[href], those that lead nowhere too
    images: tuple[tuple[LexborNode, int], ...]  # (element, the last link before it or -1)
    elements: Mapping[str, int]  # how many there are of `COUNTED` and of frames, for genres: the same pass
    licences: tuple[
        str, ...
    ] = ()  # addresses that are said to be, or look like, the page's licence: the first few


class _Targets(dict[str, tuple[str, int] | None]):
    """What references on pages with one base lead to, and the keys of that; resolved once."""

    def __init__(self, base: str, folding: urls.Folding, known: KnownTargets) -> None:
        self._base = base
        self._folding = folding
        self._known = known

    def __missing__(self, reference: str) -> tuple[str, int] | None:
        url = urls.join(self._base, reference)
        target = None if url is None or len(url) > URL_CHARS else (url, urls.key_of(url, self._folding))
        if len(self._base) + len(reference) <= CACHED_CHARS:
            self[reference] = target
            self._known.count += 1
        return target


class KnownTargets:
    """Those of all bases that were met lately: the pages of a site link to each other again and again."""

    def __init__(self) -> None:
        self.count = 0
        self._by_base: dict[tuple[str, urls.Folding], _Targets] = {}

    def of(self, base: str, folding: urls.Folding) -> _Targets:
        if self.count > CACHED_TARGETS:
            self.count = 0
            self._by_base.clear()
        found = self._by_base.get((base, folding))
        if found is None:
            self.count += 1
            found = _Targets(base, folding, self)
            if len(base) <= CACHED_CHARS:
                self._by_base[base, folding] = found
        return found


_known = KnownTargets()


class ReferenceResolver:
    """References on one page to URLs and keys, sharing work between pages where the base allows it."""

    def __init__(self, base: str, folding: urls.Folding) -> None:
        self.base = base
        self._of_page = _known.of(base, folding)
        self._of_authority = _known.of(urls.authority_of(base), folding)
        self._of_folder = _known.of(base.partition("?")[0].rpartition("/")[0] + "/", folding)
        self._of_any = _known.of(_NO_BASE, folding)

    def __call__(self, reference: str) -> tuple[str, int] | None:
        """The absolute URL without fragment, and its key; None if it is not http(s)."""
        if reference in self._of_any:  # it was met before: nothing of it need be looked at
            return self._of_any[reference]
        if len(reference) > URL_CHARS:
            return None
        reference = reference.strip()
        if reference.startswith(("http://", "https://")):
            return self._of_any[reference]  # it leads to the same place from every page
        first = reference[:1]
        if first == "/":
            return self._of_authority[reference]
        return self._of_page[reference] if first in ("", "?", "#") else self._of_folder[reference]


def find_links(elements: Iterable[Noted], layout: Layout, resolve: ReferenceResolver, own_key: int) -> Linked:
    """All links of a page but those to itself; `layout` has the text of its body."""
    positions: dict[int, int] = {}  # by key
    found: list[tuple[str, str]] = []  # url and rel of each
    texts: list[list[str]] = []  # the anchors of each
    occurrences: list[tuple[LexborNode, int]] = []
    anchors: list[tuple[int, int]] = []
    images: list[tuple[LexborNode, int]] = []
    counts: Counter[str] = Counter()
    licences: list[str] = []
    last, bare, room = -1, None, URLS_CHARS
    pieces, is_plain = layout.pieces, False
    for tag, node, at in elements:
        reference: str | None
        if tag == A_ID:
            attributes = node.attributes
            reference = attributes.get("href")
            if reference is None:
                if "href" not in attributes and "xlink:href" not in attributes:
                    continue
                reference = ""
            rel = attributes.get("rel") or ""
            child = node.first_child
            is_plain = at != OUTSIDE and child is not None and child.tag_id == TEXT_ID and child.next is None
            anchors.append((at, at + 2) if is_plain else layout.span_from(node, at))
            if (rel or _COMMONS in reference) and _is_licence(reference, attributes):
                licences.append(reference)
        elif tag == IMG_ID:
            if len(images) < MAX_IMAGES:
                images.append((node, last))
            if bare is not None and (alt := _alt_within(node, bare[0])):
                texts[bare[1]].append(alt)
                bare = None
            continue
        elif tag in _OTHER_IDS:
            attributes = node.attributes
            name = node.tag or ""
            counts["iframe"] += name == "iframe" and "src" in attributes
            reference, rel = _other_reference(name, attributes)
            if name == "link" and "href" in attributes and "license" in rel_of(attributes):
                licences.append(attributes["href"] or "")
            if reference is None:
                continue
        else:
            if tag in _COUNTED_IDS:
                counts[node.tag or ""] += 1
            continue
        bare = None
        target = resolve(reference)
        if target is None:
            continue
        url, key = target
        if key == own_key:
            continue
        position = positions.get(key, -1)
        if position < 0:
            if len(found) >= MAX_LINKS or room <= 0:
                continue
            room -= len(url)
            position = positions[key] = len(found)
            found.append((url, rel[:ATTRIBUTE_CHARS]))
            texts.append([])
        last = position
        occurrences.append((node, position))
        if tag != A_ID or at == OUTSIDE:
            text = _text_within(node)
        elif is_plain:
            text = pieces[at + 1]
        else:
            start, end = anchors[-1]
            text = "".join(pieces[start : min(end, start + ANCHOR_NODES)])
        if anchor := _anchor_of(text, attributes):
            texts[position].append(anchor)
        else:
            bare = (node, position)
    links = [
        Link(url, key, each[0] if len(each) == 1 else _joined(each), rel, position)
        for position, (key, (url, rel), each) in enumerate(zip(positions, found, texts, strict=True))
    ]
    return Linked(
        tuple(links),
        tuple(occurrences),
        tuple(anchors),
        tuple(images),
        counts,
        tuple(licences[:MAX_LICENCES]),
    )


def _is_licence(reference: str, attributes: Attributes) -> bool:
    return "license" in rel_of(attributes) or any(said in reference for said in _COMMONS_LICENCES)


def _other_reference(tag: str, attributes: Attributes) -> tuple[str | None, str]:
    if tag == "link":
        steers = not _STEERING.isdisjoint(rel_of(attributes))
        return (attributes.get("href") if steers else None), (attributes.get("rel") or "").lower()
    if tag == "meta":
        if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
            return None, ""
        refresh = _REFRESH.match((attributes.get("content") or "")[:URL_CHARS])
        return (refresh[1] if refresh else None), "refresh"
    if tag == "area":
        return (attributes["href"] or "" if "href" in attributes else None), attributes.get("rel") or ""
    return attributes.get("src"), ""  # a frame without an address shows nothing


def rel_of(attributes: Attributes) -> list[str]:
    """The values of an element's rel attribute, in lower case."""
    return (attributes.get("rel") or "").lower().split()


def _text_within(node: LexborNode) -> str:
    """The text of an element outside of the layout."""
    child = node.first_child
    if child is None:
        return ""
    is_text = child.tag_id == TEXT_ID and child.next is None
    return child.text_content or "" if is_text else "".join(Layout(node, ANCHOR_NODES).pieces)


def _anchor_of(text: str, attributes: Attributes) -> str:
    """The text of a link in one line, else what its attributes say of it; '' if neither."""
    if said := " ".join(text[: 4 * ANCHOR_CHARS].split()):
        return said if len(said) <= ANCHOR_CHARS else said[:ANCHOR_CHARS].rstrip()
    told = attributes.get("title") or attributes.get("alt") or attributes.get("aria-label") or ""
    return one_line(told[:ANCHOR_CHARS])


def _alt_within(image: LexborNode, link: LexborNode) -> str:
    alt = image.attributes.get("alt")
    parent = image.parent
    for _ in range(4):
        if not alt or parent is None:
            return ""
        if parent.mem_id == link.mem_id:
            return one_line(alt[:ANCHOR_CHARS])
        parent = parent.parent
    return ""


def _joined(texts: list[str]) -> str:
    if len(texts) < 2:
        return texts[0] if texts else ""
    return " ".join(dict.fromkeys(texts[:ANCHOR_CHARS]))[:ANCHOR_CHARS]


def find_images(linked: Linked, resolve: ReferenceResolver) -> tuple[Image, ...]:
    """The images of a page, each URL once, with the size that the markup declares."""
    images: dict[int, Image] = {}
    room = URLS_CHARS
    for node, after_link in linked.images:
        attributes = node.attributes
        target = resolve(image_source(attributes))
        if target is None or target[1] in images or room <= 0:
            continue
        room -= len(target[0])
        width, height = declared_size(attributes)
        alt = one_line((attributes.get("alt") or "")[:ANCHOR_CHARS])
        images[target[1]] = Image(target[0], target[1], alt, width, height, len(images), after_link)
    return tuple(images.values())


def image_source(attributes: Attributes) -> str:
    """Where an img is loaded from: its src; if that is missing or a placeholder, what a script would load.

    >>> image_source({"src": "data:image/gif;base64,R0", "data-src": "a.jpg"})
    'a.jpg'
    >>> image_source({"srcset": "s.jpg 320w, l.jpg 1024w"})
    'l.jpg'
    """
    source = attributes.get("src") or ""
    if source and source[:5].lower() != "data:":
        return source
    for name in _LAZY:
        if lazy := attributes.get(name):
            return lazy
    return best_of_srcset(attributes.get("srcset") or attributes.get("data-srcset") or "") or "data:"


def best_of_srcset(srcset: str) -> str:
    """The candidate with the largest width or density; the first of equals.

    >>> best_of_srcset("a.jpg, b.jpg 2x")
    'b.jpg'
    """
    best, largest = "", 0.0
    for candidate in srcset[:URL_CHARS].split(", "):
        url, _, size = candidate.strip().strip(",").partition(" ")
        try:
            value = float(size.strip()[:-1] or 1)
        except ValueError:
            value = 1.0
        if url and value > largest:
            best, largest = url, value
    return best


def declared_size(attributes: Attributes) -> tuple[int, int]:
    """Width and height by attributes, else by inline style; 0 for what is not said in pixels.

    >>> declared_size({"width": "120", "style": "width:5px; height: 60.5px"})
    (120, 60)
    """
    sizes = {
        name: int(said[1])
        for name in ("width", "height")
        if (said := _PIXELS.match(attributes.get(name) or ""))
    }
    if len(sizes) < 2 and (style := attributes.get("style")):
        for name, pixels in _STYLE_SIZE.findall(style[:1000]):
            sizes.setdefault(name.lower(), int(pixels))
    return sizes.get("width", 0), sizes.get("height", 0)
