"""Write plain text, PDF and office files as HTML, so that the code for pages finds their links, dates and language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from itertools import islice

import msgspec

LINKS = 2_000
"""Of one text."""

_URL = re.compile(r"https?://[^\s<>\"'`{}|\\^\[\]]{1,2000}")
_AFTER_URL = ".,;:!?)*_"


class TextLink(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A link of a text: where it leads, and the words that it stands on."""

    url: str
    words: str


class Section(msgspec.Struct, frozen=True, array_like=True):
    """Some paragraphs, whose lines stay lines, and the links in them."""

    paragraphs: tuple[str, ...]
    links: tuple[TextLink, ...] = ()


def html_of(title: str, sections: Iterable[Section], date: str = "") -> str:
    """A page of these sections; each link stands on its words, or behind its section where they are not found.

    >>> html_of("Owls", [Section(("See <here>",), (TextLink("http://a.test/", "here"),))])
    '<title>Owls</title><body><p>See &lt;<a href="http://a.test/">here</a>&gt;</p>'
    """
    head = f'<meta name="date" content="{escape(date)}">' if date else ""
    body, room = [], LINKS
    for section in sections:
        waiting = list(section.links[:room])
        room -= len(waiting)
        body += [f"<p>{_linked(paragraph, waiting)}</p>" for paragraph in section.paragraphs]
        body += [f"<p>{_anchor(link)}</p>" for link in waiting]
    return f"<title>{escape(title)}</title>{head}<body>{''.join(body)}"


def html_of_text(text: str) -> str:
    """Plain text as a page: its first line is the title, and the URLs that it names are links.

    >>> html_of_text("Owls\\n\\nSee http://a.test/b.").partition("<body>")[2]
    '<p>Owls</p><p>See <a href="http://a.test/b">http://a.test/b</a>.</p>'
    """
    paragraphs = [part for part in re.split(r"\n[ \t\r]*\n", text) if part.strip()]
    title = paragraphs[0].strip().partition("\n")[0] if paragraphs else ""
    return html_of(title, (Section((part,), urls_in(part)) for part in paragraphs))


def urls_in(text: str) -> tuple[TextLink, ...]:
    """The URLs that a text names."""
    found = dict.fromkeys(match.group().rstrip(_AFTER_URL) for match in islice(_URL.finditer(text), LINKS))
    return tuple(TextLink(url, url) for url in found)


def _linked(paragraph: str, waiting: list[TextLink]) -> str:
    """The paragraph as markup, with those of the waiting links whose words are in it; they wait no more."""
    found = sorted(
        (at, link.words, link) for link in waiting if link.words and (at := paragraph.find(link.words)) >= 0
    )
    parts, end = [], 0
    for at, words, link in found:
        if at >= end:
            parts += [_text(paragraph[end:at]), _anchor(link)]
            end = at + len(words)
            waiting.remove(link)
    return "".join([*parts, _text(paragraph[end:])])


def _anchor(link: TextLink) -> str:
    return f'<a href="{escape(link.url)}">{_text(link.words)}</a>'


def _text(text: str) -> str:
    return escape(text, quote=False).replace("\n", "<br>")
