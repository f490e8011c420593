"""Read how a crawl went: counts, runs, harvest and what was not taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from lycosa.collection import Counts
from lycosa.collection.catalogue.facts import number_or_nan
from lycosa.collection.catalogue.page_filter import COLLECTED_SQL, JUDGED_SQL
from lycosa.collection.catalogue.queries import Queries

LAST_PAGES = 100
"""Number of last judged pages whose kept share tells whether a crawl is worth continuing."""
PAUSED = "paused"
"""The fact that holds the seconds that the crawl was paused."""

_COLLECTED, _JUDGED = COLLECTED_SQL.format("pages"), JUDGED_SQL.format("pages")


class CrawlRun(msgspec.Struct, frozen=True):
    """One run of a crawl. `reason` is '' while it runs, and if it was killed."""

    started: float
    ended: float
    pages: int
    reason: str


class PageJudgement(msgspec.Struct, frozen=True):
    """The judgement of a page of the collection."""

    id: int
    key: int
    url: str
    title: str
    relevant: bool
    score: float
    at: float


class ReasonCounts(msgspec.Struct, frozen=True):
    """How often something was not taken, by the name of the Reason."""

    pages: dict[str, int]  # responses that were not kept
    requests: dict[str, int]  # URLs without a response and without another attempt to come
    links: dict[str, int]  # links refused, each time they were found


class Progress(Queries):
    """Queries on the course of a crawl."""

    def counts(self) -> Counts:
        """Return the totals as of the last commit."""
        packed = self._fact("counts")
        return msgspec.msgpack.decode(packed, type=Counts) if packed else Counts()

    def collected(self) -> int:
        """Count the relevant pages of the collection, without explored ones."""
        return self._number(f"SELECT count(*) FROM pages WHERE {_COLLECTED}")

    def counts_by_reason(self) -> ReasonCounts:
        """Count what was not taken, by reason."""
        return ReasonCounts(
            pages=self._tally("SELECT refusal, count(*) FROM pages WHERE refusal IS NOT NULL GROUP BY 1"),
            requests=self._tally("SELECT reason, count(*) FROM outcomes WHERE NOT again GROUP BY 1"),
            links=self._tally("SELECT reason, links FROM refused_links"),
        )

    def useless(self) -> int:
        """Count the requests without a page: no response, an error, or unwanted content."""
        answered = f"SELECT count(*) FROM pages WHERE kind = 'page' AND refusal IS NOT NULL AND NOT {_JUDGED}"
        return self._number(answered) + self._number("SELECT count(*) FROM outcomes WHERE NOT again")

    def refusal_times(self, since: float) -> list[tuple[str, str, float]]:
        """Return what was not taken since a time: "requests" or "pages", the name of the reason, and when."""
        return list(
            self._rows(
                "SELECT 'requests', reasons.text, at FROM outcomes JOIN reasons ON reasons.id = reason"
                " WHERE NOT again AND at >= ?1 UNION ALL"
                " SELECT 'pages', reasons.text, at FROM pages JOIN reasons ON reasons.id = refusal WHERE at >= ?1",
                since,
            )
        )

    def harvest_curve(self, points: int = 200) -> list[tuple[int, int]]:
        """Return (pages judged, of these collected) along the crawl, at about `points` places and at the end."""
        rows = self._rows(f"SELECT {_COLLECTED} FROM pages WHERE {_JUDGED} ORDER BY id")
        return curve_of([collected for (collected,) in rows], points)

    def judged_at(self) -> list[tuple[float, bool]]:
        """Return when each judged page was fetched, and whether it was collected."""
        rows = self._rows(f"SELECT at, {_COLLECTED} FROM pages WHERE {_JUDGED}")
        return [(at, bool(collected)) for at, collected in rows]

    def judgements(self) -> Iterator[PageJudgement]:
        """Return the judgement of every page that is kept and not only explored."""
        return self._judgements("relevant", f"{_JUDGED} AND NOT explored AND refusal IS NULL")

    def latest(self, limit: int) -> list[PageJudgement]:
        """Return the last judged pages, newest first."""
        return list(self._judgements(_COLLECTED, f"{_JUDGED} ORDER BY id DESC LIMIT {limit}"))

    def _judgements(self, relevant: str, condition: str) -> Iterator[PageJudgement]:
        rows = self._rows(f"SELECT id, key, url, title, {relevant}, score, at FROM pages WHERE {condition}")
        for number, key, url, title, is_relevant, score, at in rows:
            yield PageJudgement(number, key, url, title, bool(is_relevant), number_or_nan(score), at)

    def page_times(self, since: float) -> list[float]:
        """Return when pages were fetched since a time, in order."""
        rows = self._rows("SELECT at FROM pages WHERE at >= ? AND kind = 'page' ORDER BY at", since)
        return [at for (at,) in rows]

    def runs(self) -> list[CrawlRun]:
        """Return all runs, oldest first."""
        rows = self._rows("SELECT started, ended, pages, coalesce(reason, '') FROM runs ORDER BY id")
        return [CrawlRun(*row) for row in rows]

    def seconds(self) -> float:
        """Return how long the crawl has run, without pauses."""
        return sum(run.ended - run.started for run in self.runs()) - float(self._fact(PAUSED) or 0.0)

    def _tally(self, sql: str) -> dict[str, int]:
        names = dict(self._rows("SELECT id, text FROM reasons"))
        return {names[reason]: number for reason, number in self._rows(sql)}


def curve_of(collected: Sequence[bool], points: int) -> list[tuple[int, int]]:
    """Return (pages, of these collected) at about `points` places and at the end.

    >>> curve_of([True, False, True, True], 2)
    [(2, 1), (4, 3)]
    """
    step = max(1, len(collected) // max(1, points))
    curve, found = [], 0
    for number, is_collected in enumerate(collected, start=1):
        found += is_collected
        if number % step == 0 or number == len(collected):
            curve.append((number, found))
    return curve
