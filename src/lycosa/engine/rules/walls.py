"""Hosts that answer with walls: they rest, twice as long each time, and are given up after some in a row.

Nothing tries to get past a wall. A host stays given up for the run, and for runs that follow within a day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lycosa.page.signs.needs_browser import NEEDS_BROWSER
from lycosa.page.signs.walls import BLOCK, CAPTCHA, CHALLENGE
from lycosa.urls import authority_of
from lycosa.values import Link, Page, Reason, Refusal

GIVEN_UP_AFTER = 5
"""Walls of one host in a row."""
FIRST_PAUSE = 30
"""The first rest, as a multiple of the host's usual one; each further one is twice as long."""
MAX_PAUSE_S = 3600.0
SAME_AGAIN = 6
"""From this many small pages in a row that are all the same, though their URLs are not, they are a wall."""
SMALL_WORDS = 60
REMEMBERED_S = 86_400.0
"""Walls that stand longer ago are forgotten at a restart: a host may have changed its mind."""
SAMENESS = "the same small page for every URL"
AT_THE_HOST = frozenset((CHALLENGE, CAPTCHA, BLOCK, SAMENESS))


class Walls:
    """What is known of the hosts of a run."""

    def __init__(self, usual_rest_s: float) -> None:
        self._usual_rest_s = usual_rest_s
        self._in_a_row: Counter[str] = Counter()
        self._same: dict[
            str, tuple[tuple[str, bytes], int]
        ] = {}  # the last small page, and how often in a row

    def kind_of(self, page: Page) -> str:
        """The kind of wall that a page is, alone or after the pages before it; '' for none, and its host has let us through."""
        authority = authority_of(page.url)
        kind = page.wall or (SAMENESS if self._is_same_again(authority, page) else "")
        if not kind:
            self._in_a_row.pop(authority, None)
        return kind

    def recall(self, in_a_row: Mapping[str, int]) -> None:
        """Begin with the walls that hosts answered with before a restart."""
        self._in_a_row.update(in_a_row)

    def pause_s(self, link: Link, kind: str) -> float:
        """How long the host rests for a wall. A page with a log-in of its own says nothing of its host."""
        if kind not in AT_THE_HOST:
            return 0.0
        authority = authority_of(link.url)
        self._in_a_row[authority] += 1
        longer: float = FIRST_PAUSE * 2.0 ** (self._in_a_row[authority] - 1)
        return min(MAX_PAUSE_S, self._usual_rest_s * longer)

    def refusal(self, link: Link) -> Refusal | None:
        """Why nothing more is asked of the link's host; None while it is."""
        if self._in_a_row[authority_of(link.url)] < GIVEN_UP_AFTER:
            return None
        return Refusal(Reason.WALL, f"its host was given up after {GIVEN_UP_AFTER} in a row")

    def _is_same_again(self, authority: str, page: Page) -> bool:
        is_frame = NEEDS_BROWSER in page.evidence  # that scripts fill: the same for all pages of such a site
        if page.words > SMALL_WORDS or not page.title or not page.sketch or is_frame:
            self._same.pop(authority, None)
            return False
        this = (page.title, page.sketch)
        last, times = self._same.get(authority, (this, 0))
        self._same[authority] = this, times + 1 if last == this else 1
        return self._same[authority][1] >= SAME_AGAIN
