"""Read the data in a page's scripts, for pages that show hardly any text without running them.

Many such pages contain their content as JSON-LD, as the state of a framework (such as `__NEXT_DATA__`) or as JSON in a
script. Reading it is much cheaper than running a browser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from lycosa.page.parser_limits import bounded
from lycosa.page.text.layout import NOSCRIPT_ID, Layout, Noted, tag_ids

(SCRIPT_ID,) = tag_ids("script")
(LINK_ID,) = tag_ids("link")
FEW_WORDS = 60
"""A page that shows more than these by itself is read as it is."""
SHOWN_CHARS = 10_000
SCRIPTS = 50
SCRIPT_CHARS = 2_000_000
VALUES = 50_000
"""Of all data of a page that are looked at."""
CHARS = 500_000
LINKS = 500
SENTENCE_WORDS = 5
TITLE_CHARS = 300
URL_CHARS = 2_000

_JSON = "application/json"
_ARTICLE = '"articleBody"'
_has_state = re.compile(
    r"_(?:_(?:NEXT|NUXT|INITIAL|PRELOADED|APOLLO|remix|STATE|DATA)|(?:STATE|DATA)__)"
).search
_JSON_TYPES = ("application/ld+json", _JSON)
_ASSIGNED = re.compile(r"\b__[A-Za-z0-9_]{2,40}\s{0,5}=\s{0,5}(?=[{\[])")
_PARSED = re.compile(r"""\b__[A-Za-z0-9_]{2,40}\s{0,5}=\s{0,5}JSON\.parse\(\s{0,5}(?=")""")
_TITLES = ("title", "headline", "name", "label")
_ADDRESSES = frozenset(
    "url href link path permalink canonicalurl canonical_url weburl web_url to @id uri".split()
)
_NO_PAGE = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|svg|ico|css|js|mjs|json|woff2?|mp[34])(?:[?#]|$)", re.IGNORECASE
)
_CODE = re.compile(r"[{};]\s|=>|\bfunction\b|^\s*[.#@][\w-]+\s*\{")
_MARKUP = re.compile(r"</(?:p|a|div|h\d|li|span|strong|em)>", re.IGNORECASE)


def may_hold_data(kinds: Mapping[int, Sequence[Noted]]) -> bool:
    """Whether any script of a page may hold such data: few do, and only they are looked at closely."""
    scripts, links = kinds.get(SCRIPT_ID, ()), kinds.get(LINK_ID, ())
    return any(_is_telling(node.text()) for _, node, _ in scripts) or any(
        (node.attributes.get("type") or "").strip().lower() == _JSON for _, node, _ in (*scripts, *links)
    )


def shows_text(kinds: Mapping[int, Sequence[Noted]], layout: Layout) -> bool:
    """Whether a page clearly shows more than a few words by itself; where it does, nothing else need be looked at."""
    unscripted = [layout.span_from(node, at) for _, node, at in kinds.get(NOSCRIPT_ID, ())]
    return len(" ".join(layout.without(unscripted))[:SHOWN_CHARS].split()) > FEW_WORDS


def _is_telling(script: str) -> bool:
    return _ARTICLE in script or _has_state(script) is not None


def embedded_markup(html: str) -> str:
    """The texts and links of a page's embedded data as markup; '' where it has none, or shows text by itself.

    >>> page = '<div id=app></div><script>window.__STATE__ = {"title": "Owls", "url": "/owls", "text": "Owls hunt by night and sleep."}</script>'
    >>> embedded_markup(page)
    '<main><p><a href="/owls">Owls</a></p><p>Owls hunt by night and sleep.</p></main>'
    >>> embedded_markup("<p>Owls")
    ''
    """
    tree = LexborHTMLParser(bounded(html))
    states = [*_states(tree)]
    if not states or _shows_text(tree):
        return ""
    parts, room = [], CHARS
    for part in _parts(states):
        room -= len(part)
        if room < 0:
            break
        parts.append(part)
    return f"<main>{''.join(parts)}</main>" if parts else ""


def _shows_text(tree: LexborHTMLParser) -> bool:
    tree.strip_tags(["script", "style", "noscript", "template"])
    return tree.body is not None and len(tree.body.text(separator=" ")[:SHOWN_CHARS].split()) > FEW_WORDS


def _states(tree: LexborHTMLParser) -> Iterator[Any]:
    """The data of a page's scripts, one after the other."""
    for node in tree.css("script")[:SCRIPTS]:
        text = node.text()
        if not text.strip() or len(text) > SCRIPT_CHARS:
            continue
        if (node.attributes.get("type") or "").strip().lower() in _JSON_TYPES:
            yield from _decoded(text.strip(), 0)
            continue
        for assigned in _ASSIGNED.finditer(text):
            yield from _decoded(text, assigned.end())
        for parsed in _PARSED.finditer(text):
            for inner in _decoded(text, parsed.end()):
                yield from _decoded(inner, 0) if isinstance(inner, str) else ()


def _decoded(text: str, at: int) -> Iterator[Any]:
    try:
        yield json.JSONDecoder().raw_decode(text, at)[0]
    except (
        ValueError,
        RecursionError,
    ):  # no JSON, such as JavaScript with names without quotes; or nested to hurt
        return


def _parts(states: list[Any]) -> Iterator[str]:
    """Paragraphs of the data, in its order; what occurs twice, once."""
    waiting: list[tuple[str, Any]] = [("", state) for state in reversed(states)]
    seen: set[str] = set()
    links = 0
    for _ in range(VALUES):
        if not waiting:
            return
        key, value = waiting.pop()
        if isinstance(value, dict):
            address = _address(value)
            title = next((value[name] for name in _TITLES if isinstance(value.get(name), str)), "")[
                :TITLE_CHARS
            ]
            if address and address not in seen and links < LINKS:
                links += 1
                seen |= {address, title}
                yield f'<p><a href="{escape(address)}">{escape(title)}</a></p>'
            waiting += [(str(name), inner) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in reversed(value[:VALUES])]
        elif isinstance(value, str) and value not in seen and _is_prose(key, value):
            seen.add(value)
            yield value if _MARKUP.search(value) else f"<p>{escape(value)}</p>"


def _address(value: dict[str, Any]) -> str:
    """Where an object of the data leads: a path or URL that it names as its own."""
    for name, said in value.items():
        if not isinstance(said, str) or name.lower() not in _ADDRESSES or len(said) > URL_CHARS:
            continue
        if said.startswith(("/", "http://", "https://")) and " " not in said and not _NO_PAGE.search(said):
            return said
    return ""


def _is_prose(key: str, text: str) -> bool:
    """Whether a text is one for readers: a title, or words in a row that are no program."""
    if key in _TITLES:
        return 0 < len(text) <= TITLE_CHARS and "/" not in text
    is_sentence = text.count(" ") >= SENTENCE_WORDS - 1 or (
        len(text) > 20 and not text.isascii() and "/" not in text
    )
    return is_sentence and (_MARKUP.search(text) is not None or _CODE.search(text[:2_000]) is None)
