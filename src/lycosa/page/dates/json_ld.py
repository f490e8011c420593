"""Read dates from the JSON-LD of a page."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from lycosa.page.dates.spelled_days import TEXT_CHARS, date_in

_LD_KINDS = 20  # types of one node
_LD_NODES = 500
_LD_CHARS = 500_000
_ARTICLE = re.compile(r"article|posting|report|recipe|story", re.IGNORECASE)
_NOT_THE_PAGE = frozenset(
    "comment comments review reviews itemlistelement haspart offers author publisher mentions citation "
    "suggestedanswer acceptedanswer track image logo potentialaction video subjectof".split()
)
_BROKEN_LD = re.compile(r'"(datePublished|dateModified)"\s*:\s*"([^"]{4,40})"')


def json_ld_votes(tree: LexborHTMLParser, today: date) -> Iterator[tuple[date, str]]:
    """The days that JSON-LD names, each with the place of the page that names it."""
    for script in tree.css('script[type="application/ld+json"]')[:20]:
        for node in _ld_nodes(script.text()[:_LD_CHARS]):
            published = "json-ld" if _is_article(node.get("@type")) else "json-ld of page"
            for key, place in (
                ("datePublished", published),
                ("datePosted", "json-ld of page"),  # of an offer of work
                ("dateModified", "json-ld, changed"),
            ):
                value = node.get(key)
                if isinstance(value, str) and (day := date_in(value, today)):
                    yield day, place


def _is_article(kind: object) -> bool:
    # A type is a name or a list of names; what else is nested in its place is not read.
    kinds = kind[:_LD_KINDS] if isinstance(kind, list) else [kind]
    return any(isinstance(one, str) and _ARTICLE.search(one[:TEXT_CHARS]) for one in kinds)


def _ld_nodes(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-LD text that can describe the page itself, the outermost first."""
    try:
        waiting: deque[Any] = deque([msgspec.json.decode(text.strip())])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        waiting = deque({key: value} for key, value in _BROKEN_LD.findall(text)[:4])
    for _ in range(_LD_NODES):
        if not waiting:
            return
        node = waiting.popleft()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            yield node
            waiting.extend(
                value
                for key, value in node.items()
                if isinstance(value, dict | list) and key.lower() not in _NOT_THE_PAGE
            )
