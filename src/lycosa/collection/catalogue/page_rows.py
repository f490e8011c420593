"""Write the rows of one page: its columns, links, evidence, places, entities, terms and text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from lycosa.collection import Record
from lycosa.collection.archive.warc import Capture
from lycosa.collection.catalogue.facts import (
    FACT,
    LINK_FACTS,
    fact_columns,
    kept_terms,
    link_columns,
    packed_terms,
)
from lycosa.collection.catalogue.schema import UNINDEXED
from lycosa.collection.search.phrases import as_indexed
from lycosa.collection.surrogates import encodable
from lycosa.urls import authority_of, source_of
from lycosa.values import Decision, Fetched, Judgement, Page, PageEntity, PagePlace, Reason, Terms

_encode = msgspec.msgpack.Encoder().encode

_PAGE = (
    "key kind url source authority status content_type title language date words canonical depth trail "
    "explored parent relevant score rule refusal detail simhash near_duplicate_of at elapsed_s bytes digest "
    "warc offset length link sketch date_source doubtful_date"
).split()
_INSERT_PAGE = f"INSERT INTO pages ({', '.join(_PAGE)}) VALUES ({', '.join('?' * len(_PAGE))})"
_UPDATE_PAGE = f"UPDATE pages SET {', '.join(f'{name} = ?' for name in _PAGE)} WHERE id = ?"
RECENT_TERMS = 512
"""Pages whose terms stay in memory, about 30 KB each: as many as a crawl fetches while a judge is fitted."""
OF_PAGE = ("links", "evidence", "link_evidence", "places", "entities", "terms", "texts")
"""Tables with rows that belong to one page."""
_LONG_URL_KEPT = 300  # characters of a link that was refused for its length; its key is that of the whole URL


class Interned:
    """A table of short texts that other rows refer to by number."""

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection = connection
        self._table = table
        self._ids: dict[str, int] = {}

    def id_of(self, text: str) -> int:
        """Return the number of a text; a new one is inserted."""
        found = self._ids.get(text)
        return self._look_up(text) if found is None else found

    def forget(self) -> None:
        """Empty the cache after a rollback."""
        self._ids.clear()

    def _look_up(self, text: str) -> int:
        run = self._connection.execute
        run(f"INSERT OR IGNORE INTO {self._table} (text) VALUES (?)", (text,))
        (number,) = run(f"SELECT id FROM {self._table} WHERE text = ?", (text,)).fetchone()
        if len(self._ids) >= 10_000:  # a rule that quotes numbers must not fill memory
            self._ids.clear()
        self._ids[text] = int(number)
        return int(number)


class PageRows:
    """The rows of pages. Every method but the constructor is called in a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rules = Interned(connection, "rules")
        self._reasons = Interned(connection, "reasons")
        self._warcs = Interned(connection, "warcs")
        self._texts = "texts"
        self.recent_terms: dict[int, Terms] = {}
        """The terms of the last pages, by key, with their hashes: the next version of the judge scores them."""

    def write(
        self,
        record: Record,
        fetched: Fetched,
        capture: Capture,
        known: int | None,
        renewed: Sequence[str],
    ) -> int:
        """Write the row of a URL and, in the `renewed` tables, the rows that belong to it; return its id.

        `known` is its id if it has a row already.
        """
        run = self._connection.execute
        values = self._page_values(record, fetched, capture)
        if known is None:
            run("DELETE FROM outcomes WHERE key = ?", (fetched.link.key,))
            page = run(_INSERT_PAGE, values).lastrowid or 0
        else:
            page = known
            run(_UPDATE_PAGE, (*values, page))
            for table in renewed:
                run(f"DELETE FROM {table} WHERE {'rowid' if table == 'texts' else 'page'} = ?", (page,))
            if "texts" in renewed and self._texts == UNINDEXED:
                run(f"DELETE FROM {UNINDEXED} WHERE page = ?", (page,))
        self._save_links(page, record.decisions)
        if record.page is not None:
            self._save_evidence(page, record.page)
        return page

    def add_text(self, page: int, title: str, text: str) -> None:
        """Add the text of a page (by its id) to the full-text index."""
        self._connection.execute("DELETE FROM texts WHERE rowid = ?", (page,))
        self._connection.execute(
            "INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)",
            (page, as_indexed(encodable(title)), as_indexed(encodable(text))),
        )

    def index_texts_later(self) -> None:
        """Store texts without indexing them from now on: merging the shards indexes all of them."""
        self._connection.execute(
            f"CREATE TABLE IF NOT EXISTS {UNINDEXED} (page INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL)"
        )
        self._texts = UNINDEXED

    def set_fingerprint(self, page: int, simhash: int, sketch: bytes) -> None:
        """Set what near duplicates of a page are found by."""
        sql = "UPDATE pages SET simhash = ?, sketch = ? WHERE id = ?"
        self._connection.execute(sql, (_signed(simhash), sketch, page))

    def set_cluster(self, page: int, near_duplicate_of: int) -> None:
        """Set the key of the first page of a page's cluster (0: itself)."""
        sql = "UPDATE pages SET near_duplicate_of = ? WHERE id = ?"
        self._connection.execute(sql, (near_duplicate_of, page))

    def set_date(self, number: int, page: Page) -> None:
        """Set the date of a page and its source."""
        sql = "UPDATE pages SET date = ?, date_source = ?, doubtful_date = ? WHERE id = ?"
        self._connection.execute(sql, (page.date, page.date_source, page.doubtful_date, number))

    def set_places(self, page: int, places: Iterable[PagePlace]) -> None:
        """Replace the places of a page."""
        self._connection.execute("DELETE FROM places WHERE page = ?", (page,))
        self._add_places(page, places)

    def set_entities(self, page: int, entities: Iterable[PageEntity]) -> None:
        """Replace the people and organisations of a page."""
        self._connection.execute("DELETE FROM entities WHERE page = ?", (page,))
        self._add_entities(page, entities)

    def _add_entities(self, page: int, entities: Iterable[PageEntity]) -> None:
        rows = [(page, *msgspec.structs.astuple(entity)) for entity in entities]
        self._connection.executemany("INSERT INTO entities VALUES (?, ?, ?, ?)", rows)

    def _add_places(self, page: int, places: Iterable[PagePlace]) -> None:
        self._connection.executemany(
            "INSERT INTO places (page, name, canonical, kind, lat, lon, country, state, count) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(page, *msgspec.structs.astuple(place)) for place in places],
        )

    def _page_values(self, record: Record, fetched: Fetched, capture: Capture) -> tuple[object, ...]:
        link, refusal = fetched.link, record.refusal
        page = record.page or Page(link, link.url)
        authority = authority_of(link.url)
        return (
            link.key, link.kind.value, link.url, source_of(authority), authority, fetched.status,
            fetched.header("content-type"), page.title, page.language, page.date, page.words, page.canonical,
            link.depth, link.trail, record.explored, link.parent, *self._judged(record.judgement),
            refusal and self._reasons.id_of(refusal.reason.name), refusal and (refusal.detail or None),
            _signed(page.simhash), record.near_duplicate_of, fetched.started, fetched.elapsed_s,
            len(fetched.body), capture.digest, self._warcs.id_of(capture.file), capture.offset,
            capture.length, _encode(link), page.sketch, page.date_source, page.doubtful_date,
        )  # fmt: skip

    def _judged(self, judgement: Judgement | None) -> tuple[bool | None, float | None, int | None]:
        if judgement is None:
            return None, None, None
        return judgement.relevant, judgement.score, self._rules.id_of(judgement.rule)

    def _save_links(self, page: int, decisions: Sequence[Decision]) -> None:
        """Write the links in two batches, because binding a NULL costs as much as a value."""
        rule_of = self._rules.id_of
        plain, others = [], []
        for position, one in enumerate(decisions):
            link = one.link
            if one.refusal is None and not one.hold:
                plain.append((page, position, link.key, link.anchor, one.priority, rule_of(one.rule)))
            else:
                others.append((page, position, link.key, link.anchor, *self._decided(one)))
        columns = "page, position, target, anchor, priority, rule"
        many = self._connection.executemany
        many(f"INSERT OR REPLACE INTO links ({columns}) VALUES (?, ?, ?, ?, ?, ?)", plain)
        many("INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", others)

    def _decided(
        self, decision: Decision
    ) -> tuple[float, int, int | None, str | None, str | None, str | None]:
        """Return priority, rule, refusal, detail, hold and, for a refused link, the URL."""
        rule, refusal, priority = self._rules.id_of(decision.rule), decision.refusal, decision.priority
        if refusal is None:
            return priority, rule, None, None, decision.hold or None, None
        url = decision.link.url[: _LONG_URL_KEPT if refusal.reason is Reason.LONG_URL else None]
        return priority, rule, self._reasons.id_of(refusal.reason.name), refusal.detail or None, None, url

    def _save_evidence(self, number: int, page: Page) -> None:
        many = self._connection.executemany
        facts = [(number, name, *fact_columns(fact)) for name, fact in page.evidence.items()]
        many(f"INSERT OR REPLACE INTO evidence (page, name, {FACT}) VALUES (?, ?, ?, ?, ?, ?, ?)", facts)
        numbers = [(number, name, *columns) for name, columns in link_columns(page)]
        many(
            f"INSERT OR REPLACE INTO link_evidence (page, name, {LINK_FACTS}) VALUES (?, ?, ?, ?, ?)", numbers
        )
        self._add_places(number, page.places)
        self._add_entities(number, page.entities)
        if page.terms:
            run, kept = self._connection.execute, kept_terms(page.terms)
            run("INSERT OR REPLACE INTO terms VALUES (?, ?)", (number, packed_terms(kept)))
            self.recent_terms[page.link.key] = kept
            if len(self.recent_terms) > RECENT_TERMS:
                del self.recent_terms[next(iter(self.recent_terms))]
        if page.text:
            self._connection.execute(
                f"INSERT OR REPLACE INTO {self._texts} (rowid, title, body) VALUES (?, ?, ?)",
                (number, as_indexed(page.title), as_indexed(page.text)),
            )


def _signed(bits: int) -> int:
    """Return 64 bits as the signed integer that SQLite stores.

    >>> _signed(2**64 - 1), _signed(5), _signed(-5)
    (-1, 5, -5)
    """
    bits &= (1 << 64) - 1
    return bits - (1 << 64) if bits >> 63 else bits
