"""Reading the catalogue: pages, links, reasons and counts, also while a crawl is writing them.

In: a connection. Out: frozen values. For `why`, the report, the library and the replay of learning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from lycosa.collection import Counts, SetAside
from lycosa.collection.archive.warc import Capture
from lycosa.collection.catalogue.facts import (
    FACT,
    LINK_FACTS,
    StoredLinkFacts,
    number_or_nan,
    stored_fact,
    stored_link_facts,
)
from lycosa.collection.catalogue.page_filter import COLLECTED_SQL, JUDGED_SQL
from lycosa.collection.catalogue.queries import Queries
from lycosa.collection.catalogue.schema import UNINDEXED
from lycosa.collection.catalogue.spec_text import folding_in
from lycosa.collection.catalogue.terms import unpacked_terms
from lycosa.collection.search.phrases import as_written
from lycosa.frontier.stored_links import read_link
from lycosa.urls import Folding, key_of
from lycosa.values import (
    ANALYSIS_FAILED,
    EXAMPLE,
    WANTED_KIND,
    Fact,
    Judgement,
    Kind,
    Link,
    LinkPartners,
    PageTerms,
    Reason,
    Refusal,
    Terms,
)

_decode_lesson = msgspec.msgpack.Decoder(tuple[bytes, Judgement, dict[str, Fact]]).decode

JUDGE_VERSION = "judge_version"
"""The fact that names the version of the judge that all pages were judged by."""
JUDGE_ASIDE = "judge_aside"
"""The fact that names the versions of the judge that were refused or undone."""
LAST_PAGES = 100
"""The pages judged last, of which it is said how many are kept: whether a crawl is worth going on with."""
PAUSED = "paused"
"""The fact that says how many seconds of the runs the crawl was paused."""

INDEXED = "indexed"
"""The fact that says up to which page (its id) `lycosa index` has looked for dates, places and names."""

_NOTHING: Mapping[int, Terms] = {}
_COLLECTED, _JUDGED = COLLECTED_SQL.format("pages"), JUDGED_SQL.format("pages")

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
    """A page as the catalogue has it. `capture` is the newest one that it was judged by."""

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
    """A link as it was decided on. `url` is kept for refused links; the frontier knows the others."""

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
    """The last try of a URL that got no response. `again`: it waits for another."""

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


class CrawlRun(msgspec.Struct, frozen=True):
    """One run of a crawl. `reason` is '' while it runs, and stays so when it was killed."""

    started: float
    ended: float
    pages: int
    reason: str


class PageTitle(msgspec.Struct, frozen=True):
    """A page by its id, for a list of pages."""

    id: int
    url: str
    title: str


class PageJudgement(msgspec.Struct, frozen=True):
    """What was judged of a page of the collection."""

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
    requests: dict[str, int]  # URLs that got no response, and wait for no other try
    links: dict[str, int]  # links refused when they were found, each time they were


class Reader(Queries):
    """Rows of the catalogue, as they were saved."""

    @cached_property
    def folding(self) -> Folding:
        """Which URLs are one page in this collection: as the spec says that it is crawled by."""
        row = next(self._rows("SELECT value FROM facts WHERE name = 'spec'"), None)
        return folding_in(bytes(row[0]).decode("utf-8", "replace") if row else "")

    def key_of(self, url: str) -> int:
        """The key that a URL has in this collection, whether it was met or not."""
        return key_of(url, self.folding)

    def page(self, key: int) -> StoredPage | None:
        """The page with this key, if it was ever answered."""
        return next(map(_page, self._rows(f"{_PAGES} WHERE key = ?", key)), None)

    def page_by_id(self, number: int) -> StoredPage | None:
        """The page with this id; any number may be asked for."""
        if number >> 63:
            return None
        return next(map(_page, self._rows(f"{_PAGES} WHERE pages.id = ?", number)), None)

    def pages(self, after: int = 0) -> Iterator[StoredPage]:
        """Everything answered, in the order of first commits, after the page with that id."""
        return map(_page, self._rows(f"{_PAGES} WHERE pages.id > ? ORDER BY pages.id", after))

    def refused_for(self, reasons: Collection[Reason], limit: int) -> list[StoredPage]:
        """Pages that were not kept for one of these reasons, the first of them."""
        named = msgspec.json.encode([reason.name for reason in reasons]).decode()
        sql = f"{_PAGES} WHERE reasons.text IN (SELECT value FROM json_each(?)) ORDER BY pages.id LIMIT ?"
        return list(map(_page, self._rows(sql, named, limit)))

    def walls_in_a_row(self, kinds: Collection[str], since: float) -> dict[str, int]:
        """How often each host has answered with a wall of these kinds since a time, and since its last page that was none."""
        named = msgspec.json.encode(sorted(kinds)).decode()
        sql = (
            "SELECT walls.authority, count(*) FROM pages AS walls JOIN reasons ON reasons.id = walls.refusal"
            " JOIN captures ON captures.page = walls.id LEFT JOIN (SELECT authority, max(at) AS at FROM pages"
            " WHERE relevant IS NOT NULL GROUP BY authority) AS good ON good.authority = walls.authority"
            " WHERE reasons.text = ?1 AND walls.detail IN (SELECT value FROM json_each(?2))"
            " AND captures.at > max(?3, coalesce(good.at, 0)) GROUP BY walls.authority"
        )
        return dict(self._rows(sql, Reason.WALL.name, named, since))

    def count_noted(self, name: str, without: str) -> int:
        """How many pages have evidence of this name and none of the other."""
        sql = (
            "SELECT count(*) FROM evidence WHERE name = ?1"
            " AND page NOT IN (SELECT page FROM evidence WHERE name = ?2)"
        )
        return int(next(self._rows(sql, name, without))[0])

    def words_of_noted(self, name: str) -> dict[int, int]:
        """How many words the pages with evidence of this name have, by key."""
        sql = "SELECT pages.key, pages.words FROM evidence JOIN pages ON pages.id = page WHERE name = ?"
        return dict(self._rows(sql, name))

    def lessons(self, after: int = 0) -> Iterator[tuple[Link, Judgement, dict[str, Fact]]]:
        """What `Strategy.learn` was told, in the same order: of a page fetched again, what it taught at first."""
        return (lesson for _, lesson in self.numbered_lessons(after))

    def numbered_lessons(self, after: int) -> Iterator[tuple[int, tuple[Link, Judgement, dict[str, Fact]]]]:
        """The same, each with the id of its page."""
        first = dict(self._rows("SELECT page, lesson FROM lessons WHERE page > ?", after))
        for page in self.pages(after):
            if page.id in first:
                link, judgement, evidence = _decode_lesson(first[page.id])
                yield page.id, (read_link(link), judgement, evidence)
            elif page.judgement is not None:
                yield page.id, (page.link, page.judgement, self.evidence(page.id))

    def led_nowhere(self, statuses: Collection[int]) -> Iterator[Link]:
        """The links to pages that were answered with one of these statuses, and never with a page, in that order."""
        rows = self._rows(
            "SELECT link FROM pages JOIN reasons ON reasons.id = refusal WHERE kind = 'page' AND relevant IS NULL"
            f" AND reasons.text = ? AND status IN ({', '.join('?' * len(statuses))}) ORDER BY pages.id",
            Reason.HTTP_ERROR.name,
            *statuses,
        )
        return (read_link(link) for (link,) in rows)

    def images(self) -> Iterator[tuple[Link, dict[str, Fact]]]:
        """The images that were looked at, with what was seen."""
        rows = self._rows(f"{_PAGES} WHERE pages.kind = 'image' ORDER BY pages.id")
        return ((page.link, self.evidence(page.id)) for page in map(_page, rows))

    def terms(
        self, after: int = 0, *, evidence: str = "", at_hand: Mapping[int, Terms] = _NOTHING
    ) -> Iterator[PageTerms]:
        """Every page that was judged and kept, with its terms as far as it has any, behind the id `after`.

        With the value of the evidence of that name, where one is named, and how surely they are of a wanted kind.
        Terms that are `at_hand`, by the key of their page, need not be unpacked.
        """
        return self._terms("refusal IS NULL", after, evidence, at_hand)

    def unindexed_terms(
        self, *, evidence: str = "", at_hand: Mapping[int, Terms] = _NOTHING
    ) -> Iterator[PageTerms]:
        """The same of the pages that are refused because they ask not to be indexed: nobody learns from them."""
        unindexed = f"refusal = (SELECT id FROM reasons WHERE text = '{Reason.NOINDEX.name}')"
        return self._terms(unindexed, 0, evidence, at_hand)

    def _terms(
        self, condition: str, after: int, evidence: str, at_hand: Mapping[int, Terms]
    ) -> Iterator[PageTerms]:
        rows = self._rows(
            "SELECT pages.id, key, counts, NOT explored AND rules.text != ?, coalesce(evidence.value, 0.0), "
            "coalesce(kind.value, 1.0) FROM pages "
            "LEFT JOIN terms ON terms.page = pages.id LEFT JOIN rules ON rules.id = rule "
            "LEFT JOIN evidence ON evidence.page = pages.id AND evidence.name = ? "
            "LEFT JOIN evidence AS kind ON kind.page = pages.id AND kind.name = ? "
            f"WHERE pages.id > ? AND {_JUDGED} AND {condition} ORDER BY pages.id",
            EXAMPLE.rule,
            evidence,
            WANTED_KIND,
            after,
        )
        return (
            PageTerms(
                number,
                key,
                at_hand.get(key) or (unpacked_terms(packed) if packed else Terms()),
                bool(collected),
                value,
                wanted,
            )
            for number, key, packed, collected, value, wanted in rows
        )

    def terms_of(self, page: int) -> dict[str, int]:
        """The terms of a page (by its id) as they were kept; none where they were not."""
        row = next(self._rows("SELECT counts FROM terms WHERE page = ?", page), None)
        return unpacked_terms(row[0]).counted() if row else {}

    def lacks_terms(self) -> bool:
        """Whether pages were judged whose terms were not kept, as before judges learned."""
        sql = (
            f"SELECT count(*) FROM pages WHERE {_JUDGED} AND id NOT IN (SELECT page FROM terms) AND words > 0"
        )
        return self._number(sql) > 0

    def judge_version(self) -> int:
        """The number of the judge's version that the pages were judged by; 0 where it was none that learns."""
        row = next(self._rows("SELECT value FROM facts WHERE name = ?", JUDGE_VERSION), None)
        return int(row[0]) if row else 0

    def set_aside(self) -> SetAside:
        """The versions of the judge that are kept and do not judge."""
        row = next(self._rows("SELECT value FROM facts WHERE name = ?", JUDGE_ASIDE), None)
        return msgspec.json.decode(row[0], type=SetAside) if row else SetAside()

    def fingerprints(self) -> Iterator[tuple[int, int, bytes]]:
        """(key, simhash, sketch) of every page that has them, in commit order."""
        rows = self._rows("SELECT key, simhash, sketch FROM pages WHERE simhash != 0 ORDER BY id")
        return ((key, simhash & (1 << 64) - 1, sketch) for key, simhash, sketch in rows)

    def likenesses(self) -> Iterator[tuple[int, str, bytes, int, Reason | None]]:
        """(key, URL, sketch, key of an earlier near duplicate, why it was not kept) of every page, in commit order."""
        rows = self._rows(
            "SELECT key, url, sketch, near_duplicate_of, reasons.text FROM pages"
            f" LEFT JOIN reasons ON reasons.id = refusal WHERE {_JUDGED} ORDER BY pages.id"
        )
        return ((*row, Reason[reason] if reason else None) for *row, reason in rows)

    def lacks_fingerprints(self) -> bool:
        """Whether a crawl left the near duplicates for later, and `lycosa index` has not caught up yet."""
        found = self._rows(
            f"SELECT count(*), count(nullif(simhash, 0)) FROM pages WHERE {_JUDGED} AND words > 0 AND id > ?",
            self._indexed(),
        )
        judged, fingerprints = next(iter(found))
        return bool(judged and not fingerprints)

    def clusters(self) -> Iterator[tuple[int, int, int, bytes, int]]:
        """(id, key, simhash, sketch, key of its cluster or 0) of every page that has a fingerprint, in commit order."""
        rows = self._rows(
            "SELECT id, key, simhash, sketch, near_duplicate_of FROM pages WHERE simhash != 0 ORDER BY id"
        )
        return iter([tuple(row) for row in rows])

    def not_indexed(self) -> int:
        """Judged pages that nobody has looked through for dates, places and names: neither index nor the crawl itself."""
        indexed = self._indexed()
        for table in ("places", "entities"):
            if any(self._rows(f"SELECT 1 FROM {table} WHERE page > ? LIMIT 1", indexed)):
                return 0  # a crawl that finds any looks through all of its pages
        return self._number(f"SELECT count(*) FROM pages WHERE {_JUDGED} AND id > ?", indexed)

    def _indexed(self) -> int:
        row = next(self._rows("SELECT value FROM facts WHERE name = ?", INDEXED), None)
        return int(row[0]) if row else 0

    def original(self, digest: bytes) -> Capture | None:
        """The first capture that holds a body of this digest: what a revisit refers to."""
        rows = self._rows(
            "SELECT warcs.text, offset, length FROM captures JOIN warcs ON warcs.id = warc"
            " WHERE digest = ? AND revisit = 0 AND status = 200 ORDER BY at LIMIT 1",
            digest,
        )
        return next((Capture(file, offset, length, digest) for file, offset, length in rows), None)

    def evidence(self, page: int) -> dict[str, Fact]:
        """The evidence on a page (by its id)."""
        rows = self._rows(f"SELECT name, {FACT} FROM evidence WHERE page = ?", page)
        return {name: stored_fact(*columns) for name, *columns in rows}

    def link_evidence(self, page: int) -> dict[str, StoredLinkFacts]:
        """The evidence on a page's links (by its id), in the order of the links."""
        rows = self._rows(f"SELECT name, {LINK_FACTS} FROM link_evidence WHERE page = ?", page)
        return {name: stored_link_facts(*columns) for name, *columns in rows}

    def told_of_link(self, page: int, position: int) -> dict[str, float | str]:
        """What is told of one link of a page: its score, its class, or the anchor of the link that it belongs to."""
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
        """The links of a page (by its id), in their order."""
        return map(_link, self._rows(f"{_LINKS} WHERE links.page = ? ORDER BY position", page))

    def links_to(self, key: int, limit: int = 100) -> Iterator[StoredLink]:
        """Links that lead to a URL. Reads through all links: seconds in a large collection."""
        return map(_link, self._rows(f"{_LINKS} WHERE target = ? LIMIT ?", key, limit))

    def links_unread(self, authority: str) -> list[StoredPage]:
        """Pages that were refused with all their links, those of a host first.

        A duplicate is none of them: the page that it is like has the same links.
        """
        failed = msgspec.json.encode([reason.name for reason in ANALYSIS_FAILED]).decode()
        sql = (
            f"{_PAGES} WHERE kind = 'page' AND (({_JUDGED} AND reasons.text != ?)"
            " OR reasons.text IN (SELECT value FROM json_each(?)))"
            " AND NOT EXISTS (SELECT 1 FROM links WHERE links.page = pages.id) ORDER BY authority != ?, pages.id"
        )
        return list(map(_page, self._rows(sql, Reason.DUPLICATE.name, failed, authority)))

    def link_between(self, page: int, target: int) -> StoredLink | None:
        """The first link of a page (by its id) to a URL (by its key)."""
        sql = f"{_LINKS} WHERE links.page = ? AND target = ? ORDER BY position LIMIT 1"
        return next(map(_link, self._rows(sql, page, target)), None)

    def near_duplicates(self, page: StoredPage, limit: int = 20) -> list[PageTitle]:
        """The other pages of a page's cluster."""
        first = page.near_duplicate_of or page.link.key
        rows = self._rows(
            "SELECT id, url, title FROM pages WHERE (near_duplicate_of = ? OR key = ?) AND id != ? LIMIT ?",
            first, first, page.id, limit,
        )  # fmt: skip
        return [PageTitle(*row) for row in rows]

    def captures(self, page: int) -> Iterator[StoredCapture]:
        """All captures of a page (by its id), oldest first."""
        rows = self._rows(
            "SELECT at, status, warcs.text, offset, length, digest, revisit, rendered FROM captures "
            "JOIN warcs ON warcs.id = warc WHERE page = ? ORDER BY at, offset",
            page,
        )
        for at, status, file, offset, length, digest, revisit, rendered in rows:
            yield StoredCapture(at, status, Capture(file, offset, length, digest, bool(revisit), rendered))

    def outcome(self, key: int) -> StoredOutcome | None:
        """Why a URL got no response, if its last try got none."""
        rows = self._rows(
            "SELECT key, url, parent, reasons.text, detail, at, attempts, again FROM outcomes "
            "JOIN reasons ON reasons.id = reason WHERE key = ?",
            key,
        )
        for key_, url, parent, reason, detail, at, attempts, again in rows:
            return StoredOutcome(
                key_, url, parent, Refusal(Reason[reason], detail), at, attempts, bool(again)
            )
        return None

    def path_from_seed(self, key: int, limit: int = 1000) -> tuple[str, ...]:
        """The URLs from a seed to this one, each found on the one before."""
        path: list[str] = []
        seen: set[int] = set()
        while key and key not in seen and len(path) < limit:
            seen.add(key)
            row = self._found(key)
            if row is None:
                break
            url, key = row
            path.append(url)
        return tuple(reversed(path))

    def _found(self, key: int) -> tuple[str, int] | None:
        """URL and parent of what was asked for, answered or not."""
        for table in ("pages", "outcomes"):
            for url, parent in self._rows(f"SELECT url, parent FROM {table} WHERE key = ?", key):
                return url, parent
        return None

    def seeds(self) -> list[str]:
        """The URLs of the pages that a crawl began with."""
        return [url for (url,) in self._rows("SELECT url FROM pages WHERE depth = 0 AND kind = 'page'")]

    def seeds_left_out(self, reason: Reason) -> list[str]:
        """The URLs of the pages that a crawl began with and that are not kept, for this reason."""
        sql = (
            "SELECT url FROM pages JOIN reasons ON reasons.id = refusal"
            " WHERE depth = 0 AND kind = 'page' AND relevant = 0 AND reasons.text = ? ORDER BY pages.id"
        )
        return [url for (url,) in self._rows(sql, reason.name)]

    def urls_below(self, folder: str, limit: int) -> list[str]:
        """Some fetched URLs below a folder. Reads through all pages: half a second in a large collection."""
        rows = self._rows("SELECT url FROM pages WHERE instr(url, ?) = 1 LIMIT ?", f"{folder}/", limit)
        return [url for (url,) in rows]

    def found_below(self, folder: str, limit: int) -> list[tuple[str, str]]:
        """(page, URL found there) of some fetched URLs below a folder."""
        rows = self._rows(
            "SELECT DISTINCT found.url, pages.url FROM pages JOIN pages AS found ON found.key = pages.parent"
            " WHERE instr(pages.url, ?) = 1 LIMIT ?",
            f"{folder}/",
            limit,
        )
        return list(rows)

    def judged_sources(self) -> Iterator[tuple[str, Judgement]]:
        """The source and the judgement of every page that has a score."""
        rows = self._rows(f"SELECT source, relevant, score FROM pages WHERE {_JUDGED} AND score IS NOT NULL")
        return ((source, Judgement(bool(relevant), score)) for source, relevant, score in rows)

    def page_times(self, since: float) -> list[float]:
        """When pages were answered from then on, in order."""
        rows = self._rows("SELECT at FROM pages WHERE at >= ? AND kind = 'page' ORDER BY at", since)
        return [at for (at,) in rows]

    def counts(self) -> Counts:
        """How much had been saved at the last commit."""
        row = next(self._rows("SELECT value FROM facts WHERE name = 'counts'"), None)
        return msgspec.msgpack.decode(row[0], type=Counts) if row else Counts()

    def collected(self) -> int:
        """Relevant pages of the collection, those that were only explored not counted."""
        return self._number(f"SELECT count(*) FROM pages WHERE {_COLLECTED}")

    def counts_by_reason(self) -> ReasonCounts:
        """What was not taken, and why."""
        return ReasonCounts(
            pages=self._tally("SELECT refusal, count(*) FROM pages WHERE refusal IS NOT NULL GROUP BY 1"),
            requests=self._tally("SELECT reason, count(*) FROM outcomes WHERE NOT again GROUP BY 1"),
            links=self._tally("SELECT reason, links FROM refused_links"),
        )

    def useless(self) -> int:
        """How many requests got no answer that is a page: none at all, an error, or something unwanted."""
        answered = f"SELECT count(*) FROM pages WHERE kind = 'page' AND refusal IS NOT NULL AND NOT {_JUDGED}"
        return self._number(answered) + self._number("SELECT count(*) FROM outcomes WHERE NOT again")

    def refusal_times(self, since: float) -> list[tuple[str, str, float]]:
        """What was not taken from then on: "requests" or "pages", the name of the reason, and when."""
        rows = self._rows(
            "SELECT 'requests', reasons.text, at FROM outcomes JOIN reasons ON reasons.id = reason"
            " WHERE NOT again AND at >= ?1 UNION ALL"
            " SELECT 'pages', reasons.text, at FROM pages JOIN reasons ON reasons.id = refusal WHERE at >= ?1",
            since,
        )
        return list(rows)

    def harvest_curve(self, points: int = 200) -> list[tuple[int, int]]:
        """(pages judged, of these collected) along the crawl, at about `points` places and at the end."""
        rows = self._rows(f"SELECT {_COLLECTED} FROM pages WHERE {_JUDGED} ORDER BY id")
        return curve_of([collected for (collected,) in rows], points)

    def judged_at(self) -> list[tuple[float, bool]]:
        """When each judged page was answered, and whether it was collected."""
        rows = self._rows(f"SELECT at, {_COLLECTED} FROM pages WHERE {_JUDGED}")
        return [(at, bool(collected)) for at, collected in rows]

    def judgements(self) -> Iterator[PageJudgement]:
        """What was judged of every page that was not only looked through."""
        rows = self._rows(
            f"SELECT id, key, url, title, relevant, score, at FROM pages WHERE {_JUDGED} AND NOT explored AND refusal IS NULL"
        )
        for number, key, url, title, relevant, score, at in rows:
            yield PageJudgement(number, key, url, title, bool(relevant), number_or_nan(score), at)

    def latest(self, limit: int) -> list[PageJudgement]:
        """The pages that were judged last, the newest first."""
        rows = self._rows(
            f"SELECT id, key, url, title, {_COLLECTED}, score, at FROM pages WHERE {_JUDGED} ORDER BY id DESC LIMIT ?",
            limit,
        )
        return [
            PageJudgement(number, key, url, title, bool(relevant), number_or_nan(score), at)
            for number, key, url, title, relevant, score, at in rows
        ]

    def scores(self, keys: Iterable[int]) -> dict[int, float]:
        """The scores of judged pages, by key."""
        pages = ((key, self.page(key)) for key in keys)
        return {key: page.judgement.score for key, page in pages if page and page.judgement}

    def runs(self) -> list[CrawlRun]:
        """All runs, first one first."""
        rows = self._rows("SELECT started, ended, pages, coalesce(reason, '') FROM runs ORDER BY id")
        return [CrawlRun(*row) for row in rows]

    def seconds(self) -> float:
        """How long the crawl has run, pauses not counted."""
        row = next(self._rows("SELECT value FROM facts WHERE name = ?", PAUSED), None)
        return sum(run.ended - run.started for run in self.runs()) - (float(row[0]) if row else 0.0)

    def without_text(self, after: int = 0) -> Iterator[StoredPage]:
        """Judged pages that the full-text index does not have yet."""
        missing = f"{_JUDGED} AND pages.id NOT IN (SELECT id FROM texts_docsize)"
        return map(_page, self._rows(f"{_PAGES} WHERE pages.id > ? AND {missing} ORDER BY pages.id", after))

    def text(self, page: int) -> str:
        """The text of a page (by its id), or ''."""
        are_kept_apart = any(self._rows("SELECT 1 FROM sqlite_master WHERE name = ?", UNINDEXED))
        for table in (UNINDEXED, "texts") if are_kept_apart else ("texts",):
            for (body,) in self._rows(f"SELECT body FROM {table} WHERE rowid = ?", page):
                return as_written(body)
        return ""

    def _tally(self, sql: str) -> dict[str, int]:
        names = dict(self._rows("SELECT id, text FROM reasons"))
        return {names[reason]: number for reason, number in self._rows(sql)}


def curve_of(collected: Sequence[bool], points: int) -> list[tuple[int, int]]:
    """(pages, of these collected) along them, at about `points` places and at the end.

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
