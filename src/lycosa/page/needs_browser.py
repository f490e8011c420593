"""Pages that scripts make. In: a page as it was fetched. Out: what shows that a browser would see more of it.

The signs may be wrong now and then: whether rendering gains anything is learned from the pages that were rendered.
"""

from __future__ import annotations

import re

from lycosa.page.document import Document

NEEDS_BROWSER = "needs a browser"
"""Noted as evidence on a page of which a browser would probably see more: by which sign."""
FEW_WORDS = 100
"""A page with more words than these is no empty frame for scripts."""
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
_SCRIPT = re.compile("<script", re.IGNORECASE)
_JAVASCRIPT = re.compile(r"java\s?script", re.IGNORECASE)
_MORE = (
    *(
        "infinite-scroll",
        "infinite_scroll",
        "infinitescroll",
        "endless-scroll",
        "load-more",
        "load_more",
        "loadmore",
    ),
    *("data-next-page", "data-next-url", "intersectionobserver"),
)
_CUSTOM = re.compile(r"<([a-z][a-z0-9]*-[a-z0-9-]*)(?:\s[^<>]*)?>\s*</\1>", re.IGNORECASE)
_NOWHERE = ("", "#", "#!", "javascript:")


def sign_of_need(document: Document) -> str:
    """What shows that scripts make this page; '' where nothing does.

    >>> sign_of_need(Document(b"<div id=root></div><script src=/app.js></script>", "http://a.test/"))
    'an empty place that scripts fill'
    >>> sign_of_need(Document(b"<p>All is here.</p>", "http://a.test/"))
    ''
    """
    if document.is_all_text or _SCRIPT.search(document.html) is None:
        return ""
    tree = document.tree
    if document.words <= FEW_WORDS:
        if any(_JAVASCRIPT.search(node.html or "") for node in tree.css("noscript")[:NOSCRIPTS]):
            return ASKS
        if tree.css_first(_MOUNTS) is not None or _CUSTOM.search(document.html):
            return MOUNT
        if _leads_nowhere(document):
            return DEAD
    low = document.html.lower()
    return SCROLLS if any(word in low for word in _MORE) else ""


def _leads_nowhere(document: Document) -> bool:
    """Whether its links have no addresses that anybody could follow."""
    if document.links:
        return False
    said = [(node.attributes.get("href") or "").strip().lower() for node in document.tree.css("a")[:100]]
    return sum(address in _NOWHERE or address.startswith("javascript:") for address in said) >= DEAD_LINKS
