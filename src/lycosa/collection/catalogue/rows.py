"""Writing the catalogue: a Record and where it was archived become rows.

In: records, inside a transaction that the CollectionWriter opens. Out: rows of `schema`'s tables. Saving
a record twice writes the same rows, so a page that is fetched again keeps its place.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar, cast

import msgspec

from lycosa.collection import (
    REJUDGED_AT_ONCE,
    Conclusion,
    Counts,
    Hear,
    Judgements,
    Record,
    Rejudged,
    add_to,
    concluded,
    conclusion_of,
)
from lycosa.collection.archive.warc import Capture, EarlierCapture, Position, digest_of
from lycosa.collection.catalogue.facts import (
    FACT,
    LINK_FACTS,
    fact_columns,
    link_columns,
    number_or_nan,
    stored_fact,
)
from lycosa.collection.catalogue.schema import UNINDEXED
from lycosa.collection.catalogue.terms import kept_terms, packed_terms
from lycosa.collection.search.phrases import as_indexed
from lycosa.urls import authority_of, source_of
from lycosa.values import (
    EXAMPLE,
    Decision,
    Fetched,
    Judgement,
    NotFetched,
    Page,
    PageEntity,
    PagePlace,
    Reason,
    Terms,
    is_said,
)

T = TypeVar("T")
_encode = msgspec.msgpack.Encoder().encode

_PAGE = (
    "key kind url source authority status content_type title language date words canonical depth trail "
    "explored parent relevant score rule refusal detail simhash near_duplicate_of at elapsed_s bytes digest "
    "warc offset length link sketch date_source doubtful_date"
).split()
_INSERT_PAGE = f"INSERT INTO pages ({', '.join(_PAGE)}) VALUES ({', '.join('?' * len(_PAGE))})"
_UPDATE_PAGE = f"UPDATE pages SET {', '.join(f'{name} = ?' for name in _PAGE)} WHERE id = ?"
_EMPTY = digest_of(b"")
RECENT_TERMS = 512
"""Pages whose terms stay in memory, about 30 KB each: as many as a judge may be fitted beside."""
_OF_PAGE = ("links", "evidence", "link_evidence", "places", "entities", "terms", "texts")
"""Tables with rows that belong to one page."""
_LONG_URL_KEPT = 300  # of a link that was refused for its length; its key is that of the whole URL
_SET_FACT = "INSERT OR REPLACE INTO facts VALUES (?, ?)"


class Interned:
    """A table of short texts; rows elsewhere refer to them by number."""

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection = connection
        self._table = table
        self._ids: dict[str, int] = {}

    def id_of(self, text: str) -> int:
        """The number of a text, which is added if it is new."""
        found = self._ids.get(text)
        return self._look_up(text) if found is None else found

    def forget(self) -> None:
        """Empty the cache: a rollback may have taken rows away."""
        self._ids.clear()

    def _look_up(self, text: str) -> int:
        run = self._connection.execute
        run(f"INSERT OR IGNORE INTO {self._table} (text) VALUES (?)", (text,))
        (number,) = run(f"SELECT id FROM {self._table} WHERE text = ?", (text,)).fetchone()
        if len(self._ids) >= 10_000:  # rules should be few; one that quotes numbers must not fill memory
            self._ids.clear()
        self._ids[text] = int(number)
        return int(number)


class _Known(msgspec.Struct, frozen=True):
    """A URL that was answered before: its page's id, and what was concluded of it."""

    page: int
    conclusion: Conclusion


class Catalogue:
    """The writing half of `catalogue.db`. Every method but the constructor is called in a transaction.

    What it keeps in memory (counts, numbers of texts) follows the database: `flush` writes it before
    a commit, `forget` rereads it after a rollback.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rules = Interned(connection, "rules")
        self._reasons = Interned(connection, "reasons")
        self._warcs = Interned(connection, "warcs")
        self._refused: Counter[int] = Counter()
        self._last_at = 0.0
        self._run = 0
        self._fetched_before = 0
        self._texts = "texts"
        self.counts = Counts()
        self.recent_terms: dict[int, Terms] = {}
        """The terms of the last pages as they were written, by key, with their hashes: the next version judges them."""
        self.forget()

    def save(self, record: Record, capture: Capture | None) -> Conclusion:
        """Write all rows of a record. Text that no encoding can hold is mended, not refused.

        Returns what was concluded of the URL before.
        """
        try:
            before = self._save(record, capture)
        except UnicodeEncodeError:
            before = self._save(mended(record), capture)
        self._last_at = record.at
        self.counts = add_to(self.counts, record, before)
        refused = [one.refusal.reason.name for one in record.decisions if one.refusal is not None]
        self._refused.update(map(self._reasons.id_of, refused))
        return before

    def judge_again(self, record: Record) -> None:
        """Overwrite what was concluded of a page that is archived already; where it is archived stays."""
        fetched, page = record.fetched, record.page
        assert fetched is not None
        assert page is not None
        known = self._known(fetched.link.key)
        assert known is not None
        sql = (
            "SELECT explored, date, date_source, doubtful_date, simhash, sketch, near_duplicate_of, warcs.text, offset,"
            " length, digest"
            " FROM pages JOIN warcs ON warcs.id = warc WHERE pages.id = ?"
        )
        row = self._connection.execute(sql, (known.page,)).fetchone()
        explored, date, date_source, doubtful_date, simhash, sketch, near_duplicate_of, *place = row
        dated = {"date": date, "date_source": date_source, "doubtful_date": doubtful_date}
        # What `lycosa index` found is of the same bytes; a crawl that does not look for it must not lose it.
        record = msgspec.structs.replace(
            record,
            page=msgspec.structs.replace(
                page,
                **({} if page.date_source else dated),
                simhash=page.simhash or simhash,
                sketch=page.sketch or sketch,
            ),
            near_duplicate_of=record.near_duplicate_of if page.simhash else near_duplicate_of,
            explored=bool(explored),
        )
        self._write(record, fetched, Capture(*place), known, _tables_of(page))
        self._connection.execute("DELETE FROM lessons WHERE page = ?", (known.page,))
        self.counts = concluded(self.counts, known.conclusion, conclusion_of(record))

    def judge_anew(self, judgements: Judgements, hear: Hear) -> None:
        """Overwrite the judgements of pages, and tell what has changed, some pages at a time.

        Refused pages stay as they are, but for those that ask not to be indexed: they get a new score, and are kept for
        as long as a person's word stands. What was given as an example stays one.
        """
        sql = (
            "SELECT id, key, source, relevant, score, explored, refusal, rule FROM pages WHERE id > ?"
            " AND relevant IS NOT NULL AND (refusal IS NULL OR refusal = ?) ORDER BY id LIMIT ?"
        )
        noindex, after = self._reasons.id_of(Reason.NOINDEX.name), 0
        while rows := self._connection.execute(sql, (after, noindex, REJUDGED_AT_ONCE)).fetchall():
            after = rows[-1][0]
            hear(self._judge_anew(rows, judgements([row[1] for row in rows])))

    def _judge_anew(
        self, rows: Sequence[tuple[Any, ...]], judgements: Mapping[int, Judgement]
    ) -> list[Rejudged]:
        changed, relevant, example = [], 0, self._rules.id_of(EXAMPLE.rule)
        for _, key, source, was_relevant, score, explored, refused, rule in rows:
            now, before = judgements.get(key), Judgement(bool(was_relevant), number_or_nan(score))
            if refused and (now is None or not is_said(now)):
                is_example = was_relevant and rule == example
                is_new = not is_example and (now is not None or was_relevant)
                score = now.score if now is not None else before.score
                now = Judgement(False, score, Reason.NOINDEX.name.lower()) if is_new else None
            if now is not None:
                changed.append(Rejudged(key, source, before, now, bool(explored)))
                relevant += 0 if explored else now.relevant - before.relevant
        self._connection.executemany(
            "UPDATE pages SET relevant = ?, score = ?, rule = ? WHERE key = ?",
            ((*self._judged(one.now), one.key) for one in changed),
        )
        self.counts = msgspec.structs.replace(self.counts, relevant=self.counts.relevant + relevant)
        return changed

    def settle(self, decisions: Iterable[Decision]) -> None:
        """Overwrite what was decided on held links; they are found by their parent and key."""
        self._connection.executemany(
            "UPDATE links SET priority = ?, rule = ?, refusal = ?, detail = ?, hold = ?, url = ? "
            "WHERE page = (SELECT id FROM pages WHERE key = ?) AND target = ?",
            ((*self._decided(one), one.link.parent, one.link.key) for one in decisions),
        )

    def promote(self, keys: Sequence[int]) -> int:
        """Explored pages join the collection. Returns how many of them are relevant."""
        sql = "UPDATE pages SET explored = 0, trail = 0 WHERE key = ? AND explored = 1 RETURNING relevant"
        joined = [row for key in keys for row in self._connection.execute(sql, (key,)).fetchall()]
        relevant = sum(bool(relevant) for (relevant,) in joined)
        self.counts = msgspec.structs.replace(
            self.counts,
            explored=self.counts.explored - len(joined),
            relevant=self.counts.relevant + relevant,
        )
        return relevant

    def known_digest(self, digest: bytes) -> EarlierCapture | None:
        """The first archived capture with this body; an empty body is never known."""
        if digest == _EMPTY:
            return None
        row = self._connection.execute(
            "SELECT pages.url, captures.at FROM captures JOIN pages ON pages.id = captures.page "
            "WHERE captures.digest = ? AND captures.revisit = 0 AND captures.status = 200 "
            "ORDER BY captures.at LIMIT 1",
            (digest,),
        ).fetchone()
        return EarlierCapture(row[0], row[1], digest) if row else None

    def kept_page(self, digest: bytes) -> str | None:
        """The URL of the first page with this body that was kept; an empty body is never known."""
        if digest == _EMPTY:
            return None
        row = self._connection.execute(
            "SELECT pages.url FROM captures JOIN pages ON pages.id = captures.page "
            "WHERE captures.digest = ?1 AND captures.status = 200 AND pages.digest = ?1 "
            "AND relevant IS NOT NULL AND refusal IS NULL ORDER BY captures.at LIMIT 1",
            (digest,),
        ).fetchone()
        return row[0] if row else None

    def last_capture(self, key: int) -> EarlierCapture | None:
        """The newest capture of a page with status 200: what a 304 says is still valid."""
        row = self._connection.execute(
            "SELECT pages.url, captures.at, captures.digest FROM captures "
            "JOIN pages ON pages.id = captures.page WHERE pages.key = ? AND captures.status = 200 "
            "ORDER BY captures.at DESC LIMIT 1",
            (key,),
        ).fetchone()
        return EarlierCapture(*row) if row else None

    def add_text(self, page: int, title: str, text: str) -> None:
        """Put a page (by its id) into the full-text index."""
        self._connection.execute("DELETE FROM texts WHERE rowid = ?", (page,))
        self._connection.execute(
            "INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)",
            (page, as_indexed(_mend(title)), as_indexed(_mend(text))),
        )

    def index_texts_later(self) -> None:
        """Keep the texts of pages from now on as they are: whoever merges this catalogue with others indexes all of them."""
        self._connection.execute(
            f"CREATE TABLE IF NOT EXISTS {UNINDEXED} (page INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL)"
        )
        self._texts = UNINDEXED

    def set_fingerprint(self, page: int, simhash: int, sketch: bytes) -> None:
        """Note what a page's near duplicates are found by."""
        sql = "UPDATE pages SET simhash = ?, sketch = ? WHERE id = ?"
        self._connection.execute(sql, (_signed(simhash), sketch, page))

    def set_cluster(self, page: int, near_duplicate_of: int) -> None:
        """Note the key of the first page of a page's cluster (0: itself)."""
        sql = "UPDATE pages SET near_duplicate_of = ? WHERE id = ?"
        self._connection.execute(sql, (near_duplicate_of, page))

    def set_date(self, number: int, page: Page) -> None:
        """Note a page's day of publication, and what names it."""
        sql = "UPDATE pages SET date = ?, date_source = ?, doubtful_date = ? WHERE id = ?"
        self._connection.execute(sql, (page.date, page.date_source, page.doubtful_date, number))

    def set_places(self, page: int, places: Iterable[PagePlace]) -> None:
        """Note the places of a page, instead of those noted before."""
        self._connection.execute("DELETE FROM places WHERE page = ?", (page,))
        self._add_places(page, places)

    def set_entities(self, page: int, entities: Iterable[PageEntity]) -> None:
        """Note the people and organisations of a page, instead of those noted before."""
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

    def begin_run(self, at: float) -> None:
        """A crawl starts or resumes."""
        sql = "INSERT INTO runs (started, ended, pages) VALUES (?, ?, 0)"
        self._run = self._connection.execute(sql, (at, at)).lastrowid or 0
        self._last_at = at
        self._fetched_before = self.counts.fetched

    def end_run(self, at: float, reason: str) -> None:
        """A crawl ends, and why."""
        self._last_at = at
        self._connection.execute("UPDATE runs SET reason = ? WHERE id = ?", (reason, self._run))

    def set_fact(self, name: str, value: bytes) -> None:
        """Keep something about the collection as a whole."""
        self._connection.execute(_SET_FACT, (name, value))

    def fact(self, name: str) -> bytes | None:
        """What was kept under this name."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return bytes(row[0]) if row else None

    def position(self) -> Position:
        """The end of the archive as of the last commit."""
        packed = self.fact("warc")
        return msgspec.msgpack.decode(packed, type=Position) if packed else Position()

    def flush(self, position: Position) -> None:
        """Write what belongs to the commit as a whole."""
        run = self._connection.execute
        run(_SET_FACT, ("warc", _encode(position)))
        run(_SET_FACT, ("counts", _encode(self.counts)))
        for reason, links in self._refused.items():
            run(
                "INSERT INTO refused_links VALUES (?, ?) "
                "ON CONFLICT DO UPDATE SET links = links + excluded.links",
                (reason, links),
            )
        self._refused.clear()
        run(
            "UPDATE runs SET ended = max(ended, ?), pages = ? WHERE id = ?",
            (self._last_at, self.counts.fetched - self._fetched_before, self._run),
        )

    def forget(self) -> None:
        """Go back to what the database says."""
        for texts in (self._rules, self._reasons, self._warcs):
            texts.forget()
        self._refused.clear()
        self.recent_terms.clear()
        packed = self.fact("counts")
        self.counts = msgspec.msgpack.decode(packed, type=Counts) if packed else Counts()

    def _save(self, record: Record, capture: Capture | None) -> Conclusion:
        if record.not_fetched is not None:
            self._save_outcome(record.not_fetched, record.at)
        fetched = record.fetched
        if fetched is None or capture is None:
            return Conclusion()
        known = self._known(fetched.link.key)
        if known and known.conclusion.judged and record.page is None:
            page = known.page  # not modified, gone, broken: what was judged stays as it is
        else:
            if known and known.conclusion.judged:
                self._keep_lesson(known.page)
            page = self._write(record, fetched, capture, known, _OF_PAGE)
        self._connection.execute(
            "INSERT OR REPLACE INTO captures (page, warc, offset, length, at, status, digest, revisit)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                page, self._warcs.id_of(capture.file), capture.offset, capture.length,
                fetched.started, fetched.status, capture.digest, capture.revisit,
            ),
        )  # fmt: skip
        if capture.rendered:
            self._connection.execute(
                "UPDATE captures SET rendered = ? WHERE page = ? AND warc = ? AND offset = ?",
                (capture.rendered, page, self._warcs.id_of(capture.file), capture.offset),
            )
        return known.conclusion if known else Conclusion()

    def _known(self, key: int) -> _Known | None:
        sql = "SELECT id, relevant, explored, refusal IS NOT NULL FROM pages WHERE key = ?"
        row = self._connection.execute(sql, (key,)).fetchone()
        if row is None:
            return None
        page, relevant, explored, refused = row
        conclusion = Conclusion(
            relevant is not None, bool(relevant and not explored), bool(explored), bool(refused)
        )
        return _Known(page, conclusion)

    def _keep_lesson(self, page: int) -> None:
        """Keep what a page taught when it was first judged, before a later capture is written over it."""
        run = self._connection.execute
        sql = "SELECT link, relevant, score, rules.text FROM pages JOIN rules ON rules.id = rule WHERE pages.id = ?"
        link, relevant, score, rule = run(sql, (page,)).fetchone()
        rows = run(f"SELECT name, {FACT} FROM evidence WHERE page = ?", (page,))
        evidence = {name: stored_fact(*columns) for name, *columns in rows}
        judgement = Judgement(bool(relevant), number_or_nan(score), rule)
        lesson = _encode((link, judgement, evidence))
        run("INSERT OR IGNORE INTO lessons VALUES (?, ?)", (page, lesson))

    def _save_outcome(self, not_fetched: NotFetched, at: float) -> None:
        link, refusal = not_fetched.link, not_fetched.refusal
        again = not_fetched.again_in_s is not None
        reason = self._reasons.id_of(refusal.reason.name)
        self._connection.execute(
            "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (link.key, link.url, link.parent, reason, refusal.detail, at, link.attempts + 1, again),
        )

    def _write(
        self,
        record: Record,
        fetched: Fetched,
        capture: Capture,
        known: _Known | None,
        renewed: Sequence[str],
    ) -> int:
        """Make the row of a URL, and those of `renewed` tables that belong to it, say what this record says."""
        run = self._connection.execute
        values = self._page_values(record, fetched, capture)
        if known is None:
            run("DELETE FROM outcomes WHERE key = ?", (fetched.link.key,))
            page = run(_INSERT_PAGE, values).lastrowid or 0
        else:
            page = known.page
            run(_UPDATE_PAGE, (*values, page))
            for table in renewed:
                run(f"DELETE FROM {table} WHERE {'rowid' if table == 'texts' else 'page'} = ?", (page,))
            if "texts" in renewed and self._texts == UNINDEXED:
                run(f"DELETE FROM {UNINDEXED} WHERE page = ?", (page,))
        self._save_links(page, record.decisions)
        if record.page is not None:
            self._save_evidence(page, record.page)
        return page

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
        """Write the links; in two batches, since a NULL that is bound costs as much as a value."""
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
        """Priority, rule, refusal, detail, hold and, of a refused link, the URL."""
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


def _tables_of(page: Page) -> list[str]:
    """The tables whose rows a page that was read again replaces: of what was not looked for the old rows stay."""
    found = {"places": page.places, "entities": page.entities, "terms": page.terms, "texts": page.text}
    return [table for table in _OF_PAGE if found.get(table, True)]


def _signed(bits: int) -> int:
    """64 bits as the signed integer that SQLite stores.

    >>> _signed(2**64 - 1), _signed(5), _signed(-5)
    (-1, 5, -5)
    """
    bits &= (1 << 64) - 1
    return bits - (1 << 64) if bits >> 63 else bits


def _mend(text: str) -> str:
    """Text without lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def mended(value: T) -> T:
    """A value of plain data and structs with every text mended. Seldom needed, so it may be slow."""
    return cast("T", _mended(value))


def _mended(value: Any) -> Any:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return _mend(value)
    if isinstance(value, tuple | list):
        return type(value)(map(_mended, value))
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, msgspec.Struct):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return type(value)(**{name: _mended(field) for name, field in fields})
    return value
