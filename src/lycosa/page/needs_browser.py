"""Pages that scripts make. In: a page as it was fetched. Out: what shows that a browser would see more of it.

The signs may be wrong now and then: whether rendering gains anything is learned from the pages that were rendered.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np

from lycosa.page.document import Document

RENDERED = "rendered"
"""Noted as evidence on a page that was read as a browser had made it: what that gained, as a Gain."""
NEEDS_BROWSER = "needs a browser"
"""Noted as evidence on a page of which a browser would probably see more: by which sign."""
FEW_WORDS = 100
"""A page with more words than these is no empty frame for scripts."""
MORE_WORDS, MORE_LINKS = 20, 2
DEAD_LINKS = 3
NOSCRIPTS = 20

ASKS = "it asks for JavaScript"
MOUNT = "an empty place that scripts fill"
DEAD = "links that only scripts follow"
SCROLLS = "more is loaded by scrolling"

_MOUNTS = (
    "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#q-app,#ember-app,#react-root,#main-app,#mount,app-root,"
    "[data-reactroot],[ng-app],[data-ng-app],[ng-version],[v-cloak],[data-v-app],[data-server-rendered]"
)
_JAVASCRIPT = re.compile(r"java\s?script", re.IGNORECASE)
_MORE = (
    b"infinite-scroll", b"infinite_scroll", b"infinitescroll", b"endless-scroll", b"load-more", b"load_more",
    b"loadmore", b"data-next-page", b"data-next-url", b"intersectionobserver",
)  # fmt: skip
"""What shows that more is loaded."""
# Each of those words has one of these fours, and few pages have any: as numbers all are looked for in the time of two words.
_OF_MORE = [np.frombuffer(four, "<u4")[0] for four in (b"crol", b"ad-m", b"ad_m", b"admo", b"a-ne", b"nobs")]
_CUSTOM = re.compile(r"<([a-z][a-z0-9]*-[a-z0-9-]*)(?:\s[^<>]*)?>\s*</\1>", re.IGNORECASE)
_NOWHERE = ("", "#", "#!", "javascript:")


class Gain(msgspec.Struct, frozen=True, tag_field="type", tag="rendered"):
    """What a page has as a browser made it, and what it had as it was fetched."""

    words: int
    words_before: int
    links: int
    links_before: int

    @property
    def is_worth_it(self) -> bool:
        """Whether the browser has seen clearly more.

        >>> Gain(400, 12, 9, 0).is_worth_it, Gain(130, 120, 7, 6).is_worth_it
        (True, False)
        """
        return (
            self.words >= 1.3 * self.words_before + MORE_WORDS
            or self.links >= 1.1 * self.links_before + MORE_LINKS
        )

    @property
    def is_loss(self) -> bool:
        """Whether the scripts have taken away from the page: one that fails in a browser without them."""
        return self.words < 0.7 * self.words_before


def gain_of(rendered: Document, fetched: Document) -> Gain:
    """What rendering has gained."""
    return Gain(rendered.words, fetched.words, len(rendered.links), len(fetched.links))


def sign_of_need(document: Document) -> str:
    """What shows that scripts make this page; '' where nothing does.

    >>> sign_of_need(Document(b"<div id=root></div><script src=/app.js></script>", "http://a.test/"))
    'an empty place that scripts fill'
    >>> sign_of_need(Document(b"<p>All is here.</p>", "http://a.test/"))
    ''
    """
    if document.is_all_text or b"<script" not in document.low_markup:
        return ""
    tree = document.tree
    if document.words <= FEW_WORDS:
        if any(_JAVASCRIPT.search(node.html or "") for node in tree.css("noscript")[:NOSCRIPTS]):
            return ASKS
        if tree.css_first(_MOUNTS) is not None or _CUSTOM.search(document.html):
            return MOUNT
        if _leads_nowhere(document):
            return DEAD
    return SCROLLS if _loads_more(document.low_markup) else ""


def _loads_more(markup: bytes) -> bool:
    """Whether markup in lower case has one of those words.

    >>> _loads_more(b"<p class=load-more>"), _loads_more(b"<p>Load more bricks, and scroll on")
    (True, False)
    """
    for shift in range(4):
        fours = np.frombuffer(markup[shift:], "<u4", max(0, len(markup) - shift) // 4)
        if any(np.count_nonzero(fours == four) for four in _OF_MORE):
            return any(word in markup for word in _MORE)
    return False


def _leads_nowhere(document: Document) -> bool:
    """Whether its links have no addresses that anybody could follow."""
    if document.links:
        return False
    said = [(node.attributes.get("href") or "").strip().lower() for node in document.tree.css("a")[:100]]
    return sum(address in _NOWHERE or address.startswith("javascript:") for address in said) >= DEAD_LINKS
