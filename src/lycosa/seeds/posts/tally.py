"""Count posted URLs by page and source in bounded memory: the counts are in a temporary SQLite file."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from lycosa import urls
from lycosa.seeds.posts.expansion import is_short
from lycosa.seeds.posts.keywords import Keywords
from lycosa.seeds.posts.post import Mention

BATCH = 50_000
PLATFORMS = frozenset("twitter.com x.com t.co twimg.com bsky.app bsky.social".split())
"""Sources that are posts themselves, or their pictures: counted, never seeds."""

_TABLES = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000;
CREATE TABLE mention (key INTEGER PRIMARY KEY, url TEXT, long TEXT, times INTEGER);
CREATE TABLE long (key INTEGER PRIMARY KEY);
CREATE TABLE page (key INTEGER PRIMARY KEY, url TEXT, source TEXT, times INTEGER, best INTEGER, about INTEGER);
"""
_ADD_MENTION = """
INSERT INTO mention VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
SET times = times + excluded.times, long = CASE WHEN long = '' THEN excluded.long ELSE long END
"""
_ADD_PAGE = """
INSERT INTO page VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
SET times = times + excluded.times, about = max(about, excluded.about),
    url = CASE WHEN (excluded.best, excluded.url) > (best, url) THEN excluded.url ELSE url END,
    best = max(best, excluded.best)
"""


class SourceCount(NamedTuple):
    """A source, how many of its URLs were posted, and how often in all."""

    source: str
    urls: int
    times: int


class Counted(NamedTuple):
    """What became of the mentions."""

    unusable: int  # not http(s) URLs
    not_expanded: int
    platform: int  # unique long URLs of the platforms themselves


class UrlTally:
    """Counts mentions, then pages. Use it with `with`; the file goes when the block ends."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lycosa-seeds-")
        self._db = sqlite3.connect(Path(self._folder.name) / "urls.db", isolation_level=None)
        self._db.executescript(_TABLES)
        self._db.create_function("is_short", 1, is_short, deterministic=True)
        self._batch: dict[str, list[str | int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()
        self._folder.cleanup()

    def add(self, mentions: Iterable[Mention]) -> None:
        """Count the URLs of a post."""
        for mention in mentions:
            counted = self._batch.get(mention.url)
            if counted is None:
                self._batch[mention.url] = [mention.expanded, 1]
            else:
                counted[0] = counted[0] or mention.expanded
                counted[1] += 1  # type: ignore[operator]
        if len(self._batch) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        rows = sorted((urls.hash_of(url), url, long, times) for url, (long, times) in self._batch.items())
        self._many(_ADD_MENTION, rows)
        self._batch.clear()

    def _many(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        self._db.execute("BEGIN")
        self._db.executemany(statement, rows)
        self._db.execute("COMMIT")

    def unique_mentions(self) -> int:
        """How many different URLs the posts have."""
        self._flush()
        return self._number("SELECT COUNT(*) FROM mention")

    def short(self, limit: int) -> list[str]:
        """The URLs that still need expanding, the most frequent first, at most `limit`."""
        self._flush()
        rows = self._db.execute(
            "SELECT coalesce(nullif(long, ''), url) AS end FROM mention WHERE is_short(end) "
            "GROUP BY end ORDER BY SUM(times) DESC, end LIMIT ?",
            (limit,),
        )
        return [str(url) for (url,) in rows]

    def expanded(self, ends: Iterable[tuple[str, str]]) -> None:
        """Take over what short URLs were found to lead to: (short, long)."""
        self._flush()
        self._db.execute("CREATE TEMP TABLE ends (short TEXT PRIMARY KEY, long TEXT)")
        self._many("INSERT OR REPLACE INTO ends VALUES (?, ?)", ends)
        self._db.execute(
            "UPDATE mention SET long = (SELECT ends.long FROM ends WHERE short = coalesce(nullif(mention.long, ''), url)) "
            "WHERE coalesce(nullif(long, ''), url) IN (SELECT short FROM ends)"
        )
        self._db.execute("DROP TABLE ends")

    def settle(self, keywords: Keywords) -> Counted:
        """Make pages of the mentions: normalised, each once, with source and whether a keyword is in the URL."""
        self._flush()
        unusable = not_expanded = 0
        rows = self._db.execute("SELECT coalesce(nullif(long, ''), url), times FROM mention")
        while some := rows.fetchmany(BATCH):
            longs, pages = [], []
            for found, times in some:
                url = urls.parse(found)
                if url is None:
                    unusable += 1
                elif is_short(url):
                    not_expanded += 1
                else:
                    longs.append((urls.hash_of(url),))
                    identity = urls.identity(url)
                    # One page answers to http and https: as two seeds of a source it would be wasted.
                    key = urls.hash_of(identity.partition("://")[2])
                    source = urls.source_of(urls.authority_of(url))
                    about = source not in PLATFORMS and keywords.found_in(url)
                    pages.append((key, without_tracking(url), source, times, times, about))
            self._many("INSERT OR IGNORE INTO long VALUES (?)", sorted(longs))
            self._many(_ADD_PAGE, sorted(pages))
        marks = ",".join("?" * len(PLATFORMS))
        platform = self._number(f"SELECT COUNT(*) FROM page WHERE source IN ({marks})", *PLATFORMS)
        self._db.execute("CREATE INDEX by_source ON page (source, times) WHERE about")
        return Counted(unusable, not_expanded, platform)

    def unique_long(self) -> int:
        """How many different long URLs there are."""
        return self._number("SELECT COUNT(*) FROM long")

    def pages(self, *, about: bool = False) -> int:
        """How many different pages there are, all or only with a keyword in the URL."""
        return self._number(f"SELECT COUNT(*) FROM page{' WHERE about' if about else ''}")

    def sources_with(self, least: int) -> int:
        """How many sources have at least this many pages."""
        return self._number(
            "SELECT COUNT(*) FROM (SELECT 1 FROM page GROUP BY source HAVING COUNT(*) >= ?)", least
        )

    def top_sources(self) -> Iterator[SourceCount]:
        """The sources of pages with a keyword: those with most pages first, then those posted most."""
        rows = self._db.execute(
            "SELECT source, COUNT(*), SUM(times) FROM page WHERE about GROUP BY source ORDER BY 2 DESC, 3 DESC, 1"
        )
        return map(SourceCount._make, rows)

    def top_pages(self, source: str, limit: int) -> list[tuple[str, int]]:
        """(URL, how often it was posted) of a source's pages with a keyword, most frequent first."""
        return self._db.execute(
            "SELECT url, times FROM page WHERE about AND source = ? ORDER BY times DESC, length(url), url LIMIT ?",
            (source, limit),
        ).fetchall()

    def _number(self, statement: str, *values: object) -> int:
        return int(self._db.execute(statement, values).fetchone()[0])


def without_tracking(url: str) -> str:
    """The URL as found, without the parameters that say only who came from where.

    >>> without_tracking("http://a.example/b/?utm_source=x&id=3")
    'http://a.example/b/?id=3'
    """
    rest, _, query = url.partition("?")
    if not query:
        return rest
    kept = "&".join(pair for pair in query.split("&") if not urls.is_tracking(pair))
    return f"{rest}?{kept}" if kept else rest
