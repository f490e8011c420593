"""Write the catalogue: records, judgements, runs and facts."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
from lycosa.collection.catalogue.facts import FACT, number_or_nan, stored_fact
from lycosa.collection.catalogue.page_rows import OF_PAGE, PageRows
from lycosa.collection.catalogue.queries import fact_in, first_capture
from lycosa.collection.surrogates import all_encodable
from lycosa.values import EXAMPLE, Decision, Judgement, NotFetched, Page, Reason, is_said

_encode = msgspec.msgpack.Encoder().encode
_EMPTY = digest_of(b"")
_SET_FACT = "INSERT OR REPLACE INTO facts VALUES (?, ?)"


class _Known(msgspec.Struct, frozen=True):
    """A URL that has a row already: its id and its conclusion."""

    page: int
    conclusion: Conclusion


class Catalogue(PageRows):
    """The writing half of `catalogue.db`. Every method but the constructor is called in a transaction.

    Counts and numbers of texts are cached in memory: `flush` writes them before a commit, `forget` rereads them
    after a rollback.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._refused: Counter[int] = Counter()
        self._last_at = 0.0
        self._run = 0
        self._fetched_before = 0
        self.counts = Counts()
        self.forget()

    def save(self, record: Record, capture: Capture | None) -> Conclusion:
        """Write all rows of a record and return the conclusion on its URL before. Lone surrogates are replaced."""
        try:
            before = self._save(record, capture)
        except UnicodeEncodeError:
            before = self._save(all_encodable(record), capture)
        self._last_at = record.at
        self.counts = add_to(self.counts, record, before)
        refused = [one.refusal.reason.name for one in record.decisions if one.refusal is not None]
        self._refused.update(map(self._reasons.id_of, refused))
        return before

    def judge_again(self, record: Record) -> None:
        """Overwrite the conclusion on an archived page; its place in the archive stays."""
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
        # The body is the same: keep what `lycosa index` extracted from it.
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
        self.write(record, fetched, Capture(*place), known.page, _tables_of(page))
        self._connection.execute("DELETE FROM lessons WHERE page = ?", (known.page,))
        self.counts = concluded(self.counts, known.conclusion, conclusion_of(record))

    def judge_anew(self, judgements: Judgements, hear: Hear) -> None:
        """Overwrite the judgements of pages in batches, and call `hear` with the changes of each.

        Refused pages keep theirs, except those that ask not to be indexed: they get a new score, and are kept while a
        person's label says so. Examples stay examples.
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

    def recount_refused_links(self) -> None:
        """Set the counts of refused links to those of the rows, after decisions were overwritten."""
        self._connection.execute("DELETE FROM refused_links")
        self._connection.execute(
            "INSERT INTO refused_links "
            "SELECT refusal, count(*) FROM links WHERE refusal IS NOT NULL GROUP BY refusal"
        )

    def settle(self, decisions: Iterable[Decision]) -> None:
        """Overwrite the decisions on held links, found by their parent and key."""
        self._connection.executemany(
            "UPDATE links SET priority = ?, rule = ?, refusal = ?, detail = ?, hold = ?, url = ? "
            "WHERE page = (SELECT id FROM pages WHERE key = ?) AND target = ?",
            ((*self._decided(one), one.link.parent, one.link.key) for one in decisions),
        )

    def promote(self, keys: Sequence[int]) -> int:
        """Add explored pages to the collection and return how many of them are relevant."""
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
        """Return the first archived capture with this body; None for an empty body."""
        if digest == _EMPTY:
            return None
        return first_capture(self._connection, "captures.digest = ? AND captures.revisit = 0", digest)

    def kept_page(self, digest: bytes) -> str | None:
        """Return the URL of the first kept page with this body; None for an empty body."""
        if digest == _EMPTY:
            return None
        kept = "captures.digest = ?1 AND pages.digest = ?1 AND relevant IS NOT NULL AND refusal IS NULL"
        capture = first_capture(self._connection, kept, digest)
        return capture.url if capture else None

    def last_capture(self, key: int) -> EarlierCapture | None:
        """Return the newest capture of a page with status 200, which a 304 refers to."""
        return first_capture(self._connection, "pages.key = ?", key, order="DESC")

    def begin_run(self, at: float) -> None:
        """Begin a run of the crawl."""
        sql = "INSERT INTO runs (started, ended, pages) VALUES (?, ?, 0)"
        self._run = self._connection.execute(sql, (at, at)).lastrowid or 0
        self._last_at = at
        self._fetched_before = self.counts.fetched

    def end_run(self, at: float, reason: str) -> None:
        """Note why the run ended."""
        self._last_at = at
        self._connection.execute("UPDATE runs SET reason = ? WHERE id = ?", (reason, self._run))

    def set_fact(self, name: str, value: bytes) -> None:
        """Store a fact about the collection as a whole."""
        self._connection.execute(_SET_FACT, (name, value))

    def fact(self, name: str) -> bytes | None:
        """Return a fact about the collection as a whole."""
        return fact_in(self._connection, name)

    def position(self) -> Position:
        """Return the end of the archive as of the last commit."""
        packed = self.fact("warc")
        return msgspec.msgpack.decode(packed, type=Position) if packed else Position()

    def flush(self, position: Position) -> None:
        """Write what belongs to the commit as a whole: archive position, counts, run."""
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
        """Reread cached values after a rollback."""
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
            page = known.page  # not modified, gone, broken: the judgement stays
        else:
            if known and known.conclusion.judged:
                self._keep_lesson(known.page)
            page = self.write(record, fetched, capture, known.page if known else None, OF_PAGE)
        self._connection.execute(
            "INSERT OR REPLACE INTO captures (page, warc, offset, length, at, status, digest, revisit, rendered)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                page, self._warcs.id_of(capture.file), capture.offset, capture.length, fetched.started,
                fetched.status, capture.digest, capture.revisit, capture.rendered,
            ),
        )  # fmt: skip
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
        """Store what a page taught when it was first judged, before a later capture overwrites it."""
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


def _tables_of(page: Page) -> list[str]:
    """Return the tables whose rows a page replaces: rows of what it has not extracted stay."""
    found = {"places": page.places, "entities": page.entities, "terms": page.terms, "texts": page.text}
    return [table for table in OF_PAGE if found.get(table, True)]
