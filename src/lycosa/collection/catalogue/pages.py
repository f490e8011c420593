"""Read pages, links, captures and outcomes, also while a crawl is writing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec

from lycosa.collection.archive.warc import Capture
from lycosa.collection.catalogue.facts import (
    FACT,
    LINK_FACTS,
    StoredLinkFacts,
    number_or_nan,
    stored_fact,
    stored_link_facts,
    unpacked_terms,
)
from lycosa.collection.catalogue.page_filter import JUDGED_SQL, PageFilter, condition_of
from lycosa.collection.catalogue.queries import Queries
from lycosa.collection.catalogue.schema import UNINDEXED
from lycosa.collection.catalogue.spec_text import folding_in
from lycosa.collection.search.phrases import as_written
from lycosa.frontier.rows import read_link
from lycosa.urls import Folding, key_of
from lycosa.values import (
    ANALYSIS_FAILED,
    Fact,
    Judgement,
    Kind,
    Link,
    LinkPartners,
    Reason,
    Refusal,
    Terms,
)

_JUDGED = JUDGED_SQL.format("pages")
_PAGES = """
    SELECT pages.id, link, kind, status, content_type, source, authority, title, language, date, words,
        canonical, explored, relevant, score, rules.text, reasons.text, detail, simhash,
        near_duplicate_of, at, elapsed_s, bytes, warcs.text, offset, length, digest, date_source, doubtful_date
    FROM pages LEFT JOIN rules ON rules.id = rule LEFT JOIN reasons ON reasons.id = refusal
        LEFT JOIN warcs ON warcs.id = warc"""
_LINKS = """
    SELECT pages.key, position, target, links.url, anchor, priority, reasons.text, links.detail, hold,
        rules.text
    FROM links JOIN pages ON pages.id = links.page
        LEFT JOIN rules ON rules.id = links.rule LEFT JOIN reasons ON reasons.id = links.refusal"""


class StoredPage(msgspec.Struct, frozen=True):
    """A page as stored. `capture` is the newest one that it was judged by."""

    id: int
    link: Link
    kind: Kind
    status: int
    content_type: str
    source: str
    authority: str
    title: str
    language: str
    date: str
    words: int
    canonical: str
    explored: bool
    judgement: Judgement | None
    refusal: Refusal | None
    simhash: int  # unsigned
    near_duplicate_of: int
    at: float
    elapsed_s: float
    bytes: int
    capture: Capture
    date_source: str
    doubtful_date: str


class StoredLink(msgspec.Struct, frozen=True):
    """A link and the decision on it. `url` is stored for refused links only; the frontier has the others."""

    page: int  # key of the page it is on
    position: int
    target: int
    url: str
    anchor: str
    priority: float
    refusal: Refusal | None
    hold: str
    rule: str


class StoredOutcome(msgspec.Struct, frozen=True):
    """The last attempt of a URL without a response. `again`: another attempt waits."""

    key: int
    url: str
    parent: int
    refusal: Refusal
    at: float
    attempts: int
    again: bool


class StoredCapture(msgspec.Struct, frozen=True):
    """One capture of a page."""

    at: float
    status: int
    capture: Capture


class PageTitle(msgspec.Struct, frozen=True):
    """A page in a list of pages."""

    id: int
    url: str
    title: str


class PageReader(Queries):
    """Rows of the catalogue, as they were saved."""

    @cached_property
    def folding(self) -> Folding:
        """Return which URLs are one page in this collection, by its spec."""
        return folding_in((self._fact("spec") or b"").decode("utf-8", "replace"))

    def key_of(self, url: str) -> int:
        """Return the key of a URL in this collection, known or not."""
        return key_of(url, self.folding)

    def page(self, key: int) -> StoredPage | None:
        """Return the page with this key, if it was ever fetched."""
        return next(self._pages("WHERE key = ?", key), None)

    def page_by_id(self, number: int) -> StoredPage | None:
        """Return the page with this id; None for any other number."""
        return None if number >> 63 else next(self._pages("WHERE pages.id = ?", number), None)

    def pages(self, after: int = 0) -> Iterator[StoredPage]:
        """Return all responses in the order of first commits, after the page with that id."""
        return self._pages("WHERE pages.id > ? ORDER BY pages.id", after)

    def selected(self, wanted: PageFilter) -> Iterator[StoredPage]:
        """Return the pages that a filter selects, in the order of first commits."""
        chosen = condition_of(wanted)
        return self._pages(f"WHERE {chosen.sql} ORDER BY pages.id", *chosen.values)

    def _pages(self, condition: str, *values: object) -> Iterator[StoredPage]:
        return map(_page, self._rows(f"{_PAGES} {condition}", *values))

    def terms_of(self, page: int) -> Terms:
        """Return the stored terms of a page (by its id)."""
        row = next(self._rows("SELECT counts FROM terms WHERE page = ?", page), None)
        return unpacked_terms(row[0]) if row else Terms()

    def original(self, digest: bytes) -> Capture | None:
        """Return the first capture with a body of this digest, which revisits refer to."""
        rows = self._rows(
            "SELECT warcs.text, offset, length FROM captures JOIN warcs ON warcs.id = warc"
            " WHERE digest = ? AND revisit = 0 AND status = 200 ORDER BY at LIMIT 1",
            digest,
        )
        return next((Capture(file, offset, length, digest) for file, offset, length in rows), None)

    def evidence(self, page: int) -> dict[str, Fact]:
        """Return the evidence on a page (by its id)."""
        rows = self._rows(f"SELECT name, {FACT} FROM evidence WHERE page = ?", page)
        return {name: stored_fact(*columns) for name, *columns in rows}

    def link_evidence(self, page: int) -> dict[str, StoredLinkFacts]:
        """Return the evidence on a page's links (by its id), in the order of the links."""
        rows = self._rows(f"SELECT name, {LINK_FACTS} FROM link_evidence WHERE page = ?", page)
        return {name: stored_link_facts(*columns) for name, *columns in rows}

    def told_of_link(self, page: int, position: int) -> dict[str, float | str]:
        """Return the evidence on one link: its score, its class, or the anchor of the link that it belongs to."""
        told: dict[str, float | str] = {}
        for name, facts in self.link_evidence(page).items():
            if position >= len(facts):
                continue
            if not isinstance(facts, LinkPartners):
                told[name] = facts[position]
            elif (other := facts.positions[position]) >= 0:
                anchors = self._rows("SELECT anchor FROM links WHERE page = ? AND position = ?", page, other)
                told[name] = next((text for (text,) in anchors if text), f"link {other}")
        return told

    def links(self, page: int) -> Iterator[StoredLink]:
        """Return the links of a page (by its id), in their order."""
        return map(_link, self._rows(f"{_LINKS} WHERE links.page = ? ORDER BY position", page))

    def links_to(self, key: int, limit: int = 100) -> Iterator[StoredLink]:
        """Return links to a URL. Reads all links: seconds in a large collection."""
        return map(_link, self._rows(f"{_LINKS} WHERE target = ? LIMIT ?", key, limit))

    def links_unread(self, authority: str) -> list[StoredPage]:
        """Return refused pages whose links were not followed, those of one host first.

        Duplicates are left out: the page that they repeat has the same links.
        """
        failed = msgspec.json.encode([reason.name for reason in ANALYSIS_FAILED]).decode()
        condition = (
            f"WHERE kind = 'page' AND (({_JUDGED} AND reasons.text != ?)"
            " OR reasons.text IN (SELECT value FROM json_each(?)))"
            " AND NOT EXISTS (SELECT 1 FROM links WHERE links.page = pages.id) ORDER BY authority != ?, pages.id"
        )
        return list(self._pages(condition, Reason.DUPLICATE.name, failed, authority))

    def link_between(self, page: int, target: int) -> StoredLink | None:
        """Return the first link of a page (by its id) to a URL (by its key)."""
        sql = f"{_LINKS} WHERE links.page = ? AND target = ? ORDER BY position LIMIT 1"
        return next(map(_link, self._rows(sql, page, target)), None)

    def near_duplicates(self, page: StoredPage, limit: int = 20) -> list[PageTitle]:
        """Return the other pages of a page's cluster."""
        first = page.near_duplicate_of or page.link.key
        rows = self._rows(
            "SELECT id, url, title FROM pages WHERE (near_duplicate_of = ? OR key = ?) AND id != ? LIMIT ?",
            first, first, page.id, limit,
        )  # fmt: skip
        return [PageTitle(*row) for row in rows]

    def captures(self, page: int) -> Iterator[StoredCapture]:
        """Return all captures of a page (by its id), oldest first."""
        rows = self._rows(
            "SELECT at, status, warcs.text, offset, length, digest, revisit, rendered FROM captures "
            "JOIN warcs ON warcs.id = warc WHERE page = ? ORDER BY at, offset",
            page,
        )
        for at, status, file, offset, length, digest, revisit, rendered in rows:
            yield StoredCapture(at, status, Capture(file, offset, length, digest, bool(revisit), rendered))

    def outcome(self, key: int) -> StoredOutcome | None:
        """Return why the last attempt of a URL got no response."""
        rows = self._rows(
            "SELECT key, url, parent, reasons.text, detail, at, attempts, again FROM outcomes "
            "JOIN reasons ON reasons.id = reason WHERE key = ?",
            key,
        )
        outcomes = (
            StoredOutcome(key, url, parent, Refusal(Reason[reason], detail), at, attempts, bool(again))
            for key, url, parent, reason, detail, at, attempts, again in rows
        )
        return next(outcomes, None)

    def path_from_seed(self, key: int, limit: int = 1000) -> tuple[str, ...]:
        """Return the URLs from a seed to this one, each found on the one before."""
        path: dict[int, str] = {}
        while key and key not in path and len(path) < limit and (row := self._found(key)):
            path[key], key = row
        return tuple(reversed(path.values()))

    def _found(self, key: int) -> tuple[str, int] | None:
        """Return URL and parent of a requested URL, with a response or without."""
        for table in ("pages", "outcomes"):
            for url, parent in self._rows(f"SELECT url, parent FROM {table} WHERE key = ?", key):
                return url, parent
        return None

    def seeds(self) -> list[str]:
        """Return the URLs of the seeds."""
        return [url for (url,) in self._rows("SELECT url FROM pages WHERE depth = 0 AND kind = 'page'")]

    def urls_below(self, folder: str, limit: int) -> list[str]:
        """Return fetched URLs below a folder. Reads all pages: half a second in a large collection."""
        rows = self._rows("SELECT url FROM pages WHERE instr(url, ?) = 1 LIMIT ?", f"{folder}/", limit)
        return [url for (url,) in rows]

    def found_below(self, folder: str, limit: int) -> list[tuple[str, str]]:
        """Return (page, URL found there) of fetched URLs below a folder."""
        rows = self._rows(
            "SELECT DISTINCT found.url, pages.url FROM pages JOIN pages AS found ON found.key = pages.parent"
            " WHERE instr(pages.url, ?) = 1 LIMIT ?",
            f"{folder}/",
            limit,
        )
        return list(rows)

    def text(self, page: int) -> str:
        """Return the text of a page (by its id), or ''."""
        are_kept_apart = any(self._rows("SELECT 1 FROM sqlite_master WHERE name = ?", UNINDEXED))
        for table in (UNINDEXED, "texts") if are_kept_apart else ("texts",):
            for (body,) in self._rows(f"SELECT body FROM {table} WHERE rowid = ?", page):
                return as_written(body)
        return ""

    def scores(self, keys: Iterable[int]) -> dict[int, float]:
        """Return the scores of judged pages, by key."""
        pages = ((key, self.page(key)) for key in keys)
        return {key: page.judgement.score for key, page in pages if page and page.judgement}


def _page(row: tuple) -> StoredPage:  # type: ignore[type-arg]
    (
        number, link, kind, status, content_type, source, authority, title, language, date, words, canonical,
        explored, relevant, score, rule, reason, detail, simhash, near_duplicate_of, at, elapsed_s, size,
        file, offset, length, digest, date_source, doubtful_date,
    ) = row  # fmt: skip
    judgement = None if relevant is None else Judgement(bool(relevant), number_or_nan(score), rule or "")
    return StoredPage(
        number, read_link(link), Kind(kind), status, content_type, source, authority, title, language,
        date, words, canonical, bool(explored), judgement, _refusal(reason, detail), simhash & (1 << 64) - 1,
        near_duplicate_of, at, elapsed_s, size, Capture(file, offset, length, digest), date_source,
        doubtful_date,
    )  # fmt: skip


def _link(row: tuple) -> StoredLink:  # type: ignore[type-arg]
    page, position, target, url, anchor, priority, reason, detail, hold, rule = row
    return StoredLink(
        page,
        position,
        target,
        url or "",
        anchor,
        number_or_nan(priority),
        _refusal(reason, detail),
        hold or "",
        rule or "",
    )


def _refusal(reason: str | None, detail: str | None) -> Refusal | None:
    return Refusal(Reason[reason], detail or "") if reason else None
