"""Recognise pages that need a browser: scripts make their content.

The signs can be wrong. Whether rendering helps is learned from the pages that were rendered.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np

from lycosa.page.document import Document
from lycosa.page.embedded_state import SCRIPT_ID

RENDERED = "rendered"
"""Evidence on a page that a browser rendered: what that gained, as a Gain."""
NEEDS_BROWSER = "needs a browser"
"""Evidence on a page that probably needs a browser: the sign that says so."""
FEW_WORDS = 100
"""A page with more words than these is no empty frame for scripts."""
MORE_WORDS, MORE_LINKS = 20, 2
DEAD_LINKS = 3
NOSCRIPTS = 20
LIKELY = 500
"""Places of one page that are looked at one by one."""

ASKS = "it asks for JavaScript"
MOUNT = "an empty place that scripts fill"
DEAD = "links that only scripts follow"
SCROLLS = "more is loaded by scrolling"

_MOUNTS = (
    "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#q-app,#ember-app,#react-root,#main-app,#mount,app-root,"
    "[data-reactroot],[ng-app],[data-ng-app],[ng-version],[v-cloak],[data-v-app],[data-server-rendered]"
)
_JAVASCRIPT = re.compile(r"java\s?script", re.IGNORECASE)
_MORE = {
    b"infinite-scroll": 7, b"infinite_scroll": 7, b"infinitescroll": 7, b"endless-scroll": 6, b"load-more": 1,
    b"load_more": 1, b"loadmore": 1, b"data-next-page": 2, b"data-next-url": 2, b"intersectionobserver": 10,
}  # fmt: skip
"""What shows that more is loaded, each with a place in it from which on no four bytes are common."""
# From that place on four fours begin, one of them at a multiple of four, wherever the word stands: only those are looked for.
_FOURS = b"".join([word[at : at + 4] for word, first in _MORE.items() for at in range(first, first + 4)])
_SMALL = np.uint32(
    0x20202020
)  # bits that make capitals small; other signs that they change are told apart later
_MIXER, _TOP = np.uint32(0x9E3779B1), np.uint32(16)
_LONGEST = max(map(len, _MORE))
_IS_LIKELY = np.zeros(1 << 16, np.bool_)
_IS_LIKELY[(np.frombuffer(_FOURS, "<u4") | _SMALL) * _MIXER >> _TOP] = True
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
    if document.is_all_text or SCRIPT_ID not in document.kinds:
        return ""
    tree = document.tree
    if document.words <= FEW_WORDS:
        if any(_JAVASCRIPT.search(node.html or "") for node in tree.css("noscript")[:NOSCRIPTS]):
            return ASKS
        if tree.css_first(_MOUNTS) is not None or _CUSTOM.search(document.html):
            return MOUNT
        if _leads_nowhere(document):
            return DEAD
    return SCROLLS if _loads_more(document.html.encode("utf-8", "replace")) else ""


def _loads_more(markup: bytes) -> bool:
    """Whether markup has one of those words.

    >>> _loads_more(b"<p class=Load-More>"), _loads_more(b"<p>Load more bricks, and scroll on")
    (True, False)
    """
    fours = np.frombuffer(markup, "<u4", len(markup) // 4) | _SMALL
    likely = 4 * np.flatnonzero(_IS_LIKELY.take(fours * _MIXER >> _TOP))
    if len(likely) > LIKELY:
        near = markup
    else:
        near = b"\0".join([markup[max(0, at - _LONGEST) : at + _LONGEST] for at in likely.tolist()])
    low = near.lower()
    return any(word in low for word in _MORE)


def _leads_nowhere(document: Document) -> bool:
    """Whether its links have no addresses that anybody could follow."""
    if document.links:
        return False
    said = [(node.attributes.get("href") or "").strip().lower() for node in document.tree.css("a")[:100]]
    return sum(address in _NOWHERE or address.startswith("javascript:") for address in said) >= DEAD_LINKS
