"""Which fetched pages a browser renders, and what becomes of them. In: a page as it was fetched. Out: a Visit, rendered where that gains.

A page is rendered if it shows signs of needing it, and its link or its site promises more than most; and only within a limit.
"""

from __future__ import annotations

import msgspec

from lycosa.engine.conclude import Tally, Visit
from lycosa.engine.processes.analysis import Analyser
from lycosa.engine.renderings import Renderings
from lycosa.fetch.browser.renderer import Renderer
from lycosa.page.signs.needs_browser import MORE_LINKS, NEEDS_BROWSER, RENDERED, Gain
from lycosa.urls import authority_of, source_of
from lycosa.values import Data, Fetched, Kind, Link, Page, Say

BAR = 0.8
"""A link is worth a browser if its priority is at least this share of what relevant pages had on average."""
FEW_LINKS, LOW_BAR = 10, 0.6
"""Before this many links have led to relevant pages, nobody knows what they have on average: this share is enough."""
KNOWN_SOURCE, GOOD_SOURCE = 5, 1.5
"""A source from which this many pages are known is promising if its share of relevant ones is this many times that of all sources."""
NOT_KNOWN, LED_ON = Gain(0, 0, 0, 0), Gain(0, 0, MORE_LINKS, 0)


class Rendering:
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

    async def visit(self, fetched: Fetched, page: Page, analyser: Analyser) -> Visit:
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
            return Visit(link, led, None, seen.exchanges, LED_ON)
        as_fetched = Visit(link, fetched, page, seen.exchanges, NOT_KNOWN)
        if not seen.html:
            return as_fetched
        rendered = msgspec.structs.replace(fetched, rendered=seen.html)
        again = await analyser.analyse(rendered)
        if not isinstance(again, Page):
            return as_fetched
        if again.wall:
            return Visit(link, rendered, again, seen.exchanges, NOT_KNOWN)
        told = again.evidence.get(RENDERED)
        gain = (told.read(Gain) if isinstance(told, Data) else None) or NOT_KNOWN
        if not gain.is_worth_it or gain.is_loss:
            noted = {**page.evidence, RENDERED: Data.of(gain)}
            in_vain = msgspec.structs.replace(page, evidence=noted)
            return Visit(link, fetched, in_vain, seen.exchanges, gain)
        return Visit(link, rendered, again, seen.exchanges, gain)


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
