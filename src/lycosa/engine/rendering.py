"""Which fetched pages a browser renders, what becomes of them, and where rendering is worth its cost.

A page is rendered, within a limit, if it shows signs of needing it, if its link or its site promises more than most, and if
rendering has gained something in its section of the site.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

import msgspec

from lycosa.engine.processes.analysis import Analyser
from lycosa.engine.rules.limits import Tally
from lycosa.engine.rules.patterns import kinds_of
from lycosa.fetch.browser.proxy import Ask
from lycosa.fetch.browser.renderer import Renderer
from lycosa.fetch.browser.start import renderer_for
from lycosa.page.signs.needs_browser import MORE_LINKS, NEEDS_BROWSER, RENDERED, Gain
from lycosa.spec.sections import Spec
from lycosa.urls import authority_of, source_of
from lycosa.values import Data, Fetched, Kind, Link, NotFetched, Page, Say

BAR = 0.8
"""A link is worth a browser if its priority is at least this share of what relevant pages had on average."""
FEW_LINKS, LOW_BAR = 10, 0.6
"""Before this many links have led to relevant pages, nobody knows what they have on average: this share is enough."""
KNOWN_SOURCE, GOOD_SOURCE = 5, 1.5
"""A source from which this many pages are known is promising if its share of relevant ones is this many times that of all sources."""
NOT_KNOWN, LED_ON = Gain(0, 0, 0, 0), Gain(0, 0, MORE_LINKS, 0)
RENDERINGS = "renderings"
"""The catalogue's fact that keeps what was learned."""
IN_VAIN = 3
"""Renderings without gain after which a section is given up;"""
PER_WORTHY = 4
"""and this many more for each with gain."""
CHECKED_AGAIN = 10
"""In a section that was given up, one in this many pages is still rendered."""
MAX_SECTIONS = 2_000


class RenderedVisit(NamedTuple):
    """The result of rendering a response: the response and page to conclude, and the browser's requests."""

    fetched: Fetched
    page: Page | None
    exchanges: tuple[Fetched | NotFetched, ...] = ()
    gain: Gain | None = None


class Learned(msgspec.Struct, frozen=True):
    """The state of rendering, which the collection keeps for a resumed crawl."""

    rendered: int = 0
    sections: dict[str, tuple[int, int]] = {}  # how often it was worth it, and how often not


NOTHING_LEARNED = Learned()


def learned_in(packed: bytes | None) -> Learned:
    """Restore a stored state."""
    return msgspec.msgpack.decode(packed, type=Learned) if packed else NOTHING_LEARNED


class Renderings:
    """Rendered pages and their gains. `keep` receives the packed state after every change."""

    def __init__(
        self, learned: Learned = NOTHING_LEARNED, keep: Callable[[bytes], None] = lambda _: None
    ) -> None:
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


class NoRendering:
    """Renders nothing."""

    def is_wanted(self, fetched: Fetched, page: Page, tally: Tally) -> bool:
        """No."""
        return False

    async def visit(self, fetched: Fetched, page: Page, analyser: Analyser) -> RenderedVisit:
        """The page as it was fetched."""
        return RenderedVisit(fetched, page)


class Rendering(NoRendering):
    """Renders pages for a crawl. `mode` is fetch.render, `limit` limits.rendered."""

    def __init__(
        self, renderer: Renderer, renderings: Renderings, mode: str, limit: int | None, note: Say
    ) -> None:
        self._renderer = renderer
        self._renderings = renderings
        self._mode = mode
        self._limit = limit
        self._note = note
        self._under_way = 0

    def is_wanted(self, fetched: Fetched, page: Page, tally: Tally) -> bool:
        """Whether a page that was fetched and analysed is to be rendered."""
        link = page.link
        if link.kind is not Kind.PAGE or fetched.status != 200 or fetched.archived or page.wall:
            return False
        if self._limit is not None and self._renderings.rendered + self._under_way >= self._limit:
            return False
        if self._mode == "always":
            return "html" in fetched.header("content-type").lower()
        if NEEDS_BROWSER not in page.evidence:
            return False
        return self._renderings.is_promising(link) and is_worth_a_browser(link, tally)

    async def visit(self, fetched: Fetched, page: Page, analyser: Analyser) -> RenderedVisit:
        """The visit of a page, rendered; as it was fetched where the browser saw no more or failed."""
        link = page.link
        self._under_way += 1
        try:
            seen = await self._renderer.render(fetched)
        finally:
            self._under_way -= 1
        if seen.failed:
            self._note(f"Not rendered: {link.url}: {seen.failed}")
        if seen.moved_to:
            led = msgspec.structs.replace(fetched, script_target=seen.moved_to)
            return RenderedVisit(led, None, seen.exchanges, LED_ON)
        as_fetched = RenderedVisit(fetched, page, seen.exchanges, NOT_KNOWN)
        if not seen.html:
            return as_fetched
        rendered = msgspec.structs.replace(fetched, rendered=seen.html)
        again = await analyser.analyse(rendered)
        if not isinstance(again, Page):
            return as_fetched
        if again.wall:
            return RenderedVisit(rendered, again, seen.exchanges, NOT_KNOWN)
        told = again.evidence.get(RENDERED)
        gain = (told.read(Gain) if isinstance(told, Data) else None) or NOT_KNOWN
        if not gain.is_worth_it or gain.is_loss:
            noted = {**page.evidence, RENDERED: Data.of(gain)}
            in_vain = msgspec.structs.replace(page, evidence=noted)
            return RenderedVisit(fetched, in_vain, seen.exchanges, gain)
        return RenderedVisit(rendered, again, seen.exchanges, gain)


def is_worth_a_browser(link: Link, tally: Tally) -> bool:
    """Whether a page's link or the record of its source lets it expect something relevant."""
    if not tally.relevant_links:
        return link.depth <= 1
    if link.depth == 0:
        return True
    bar = BAR if tally.relevant_links >= FEW_LINKS else LOW_BAR
    if link.priority >= bar * tally.relevant_priority / tally.relevant_links:
        return True
    good, bad = tally.sources.get(source_of(authority_of(link.url)), (0.0, 0.0))
    overall = tally.relevant / max(1, tally.pages)
    return good + bad >= KNOWN_SOURCE and good / (good + bad) >= GOOD_SOURCE * overall


@asynccontextmanager
async def rendering_of(spec: Spec, ask: Ask, renderings: Renderings, note: Say) -> AsyncIterator[NoRendering]:
    """The renderer of a crawl's pages; its browser requests through the crawl's own fetcher."""
    if spec.fetch.render == "never":
        yield NoRendering()
        return
    async with renderer_for(spec.fetch, ask) as renderer:
        if renderer is not None:
            yield Rendering(renderer, renderings, spec.fetch.render, spec.limits.rendered, note)
