"""Where rendering is worth its cost. In: pages that look as if they needed a browser, and what rendering gained. Out: whether to render one.

Learned for each section of a site: where a browser saw no more several times, it is asked only now and then whether that still holds.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from lycosa.engine.rules.patterns import kinds_of
from lycosa.page.signs.needs_browser import Gain
from lycosa.values import Link

RENDERINGS = "renderings"
"""The catalogue's fact that keeps what was learned."""
IN_VAIN = 3
"""Renderings that gained nothing, before a section is given up;"""
PER_WORTHY = 4
"""and this many more for each that did gain."""
CHECKED_AGAIN = 10
"""One of this many pages of a section that was given up is rendered all the same."""
MAX_SECTIONS = 2_000


class Learned(msgspec.Struct, frozen=True):
    """What is known of rendering: kept with the collection, so that a resumed crawl goes on with it."""

    rendered: int = 0
    sections: dict[str, tuple[int, int]] = {}  # how often it was worth it, and how often not


def learned_in(packed: bytes | None) -> Learned:
    """What `Renderings` had kept."""
    return msgspec.msgpack.decode(packed, type=Learned) if packed else Learned()


class Renderings:
    """What was rendered so far and what it brought. `keep` is given all of it, packed, whenever it changes."""

    def __init__(self, learned: Learned, keep: Callable[[bytes], None]) -> None:
        self.rendered = learned.rendered
        self._sections = dict(learned.sections)
        self._keep = keep

    def is_promising(self, link: Link) -> bool:
        """Whether rendering the pages of a link's section has been worth it, as far as is known."""
        worthy, in_vain = self._sections.get(_section_of(link), (0, 0))
        return in_vain < IN_VAIN + PER_WORTHY * worthy or link.key % CHECKED_AGAIN == 0

    def learn(self, link: Link, gain: Gain) -> None:
        """Note what rendering a page has gained; inside the commit of its page."""
        section = _section_of(link)
        worthy, in_vain = self._sections.pop(section, (0, 0))
        is_worthy = gain.is_worth_it
        self._sections[section] = worthy + is_worthy, in_vain + (not is_worthy)
        if len(self._sections) > MAX_SECTIONS:  # the one that was not rendered for longest
            del self._sections[next(iter(self._sections))]
        self.rendered += 1
        self._keep(msgspec.msgpack.encode(Learned(self.rendered, self._sections)))


def _section_of(link: Link) -> str:
    return kinds_of(link.url)[1]
