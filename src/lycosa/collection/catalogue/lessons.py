"""Read what a crawl needs to learn, to resume and to be indexed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgspec

from lycosa.collection import SetAside
from lycosa.collection.catalogue.facts import unpacked_terms
from lycosa.collection.catalogue.page_filter import JUDGED_SQL
from lycosa.collection.catalogue.pages import PageReader, StoredPage
from lycosa.frontier.rows import read_link
from lycosa.values import EXAMPLE, WANTED_KIND, Fact, Judgement, Link, PageTerms, Reason, Terms

decode_lesson = msgspec.msgpack.Decoder(tuple[bytes, Judgement, dict[str, Fact]]).decode

JUDGE_VERSION = "judge_version"
"""The fact that names the version of the judge that all pages were judged by."""
JUDGE_JUMP = "judge_jump"
"""The fact that holds the last large change of what is kept (`learn.jump.Jump` as JSON)."""
JUDGE_ASIDE = "judge_aside"
"""The fact that names the versions of the judge that were refused or undone."""
INDEXED = "indexed"
"""The fact that names the last page (by its id) that `lycosa index` has read."""

_NOTHING: Mapping[int, Terms] = {}
_JUDGED = JUDGED_SQL.format("pages")


class LessonReader(PageReader):
    """Queries of learning, resuming and indexing."""

    def lessons(self, after: int = 0) -> Iterator[tuple[Link, Judgement, dict[str, Fact]]]:
        """Return what `Strategy.learn` was given, in the same order: of a page fetched again, the first lesson."""
        return (lesson for _, lesson in self.numbered_lessons(after))

    def numbered_lessons(self, after: int) -> Iterator[tuple[int, tuple[Link, Judgement, dict[str, Fact]]]]:
        """Return the lessons, each with the id of its page."""
        first = dict(self._rows("SELECT page, lesson FROM lessons WHERE page > ?", after))
        for page in self.pages(after):
            if page.id in first:
                link, judgement, evidence = decode_lesson(first[page.id])
                yield page.id, (read_link(link), judgement, evidence)
            elif page.judgement is not None:
                yield page.id, (page.link, page.judgement, self.evidence(page.id))

    def terms(
        self, after: int = 0, *, evidence: str = "", at_hand: Mapping[int, Terms] = _NOTHING
    ) -> Iterator[PageTerms]:
        """Return every judged and kept page after the id `after`, with its terms.

        Each has the value of the named evidence and the confidence that it is of a wanted kind. `at_hand` are terms
        in memory, by the key of their page.
        """
        return self._terms("refusal IS NULL", after, evidence, at_hand)

    def unindexed_terms(
        self, *, evidence: str = "", at_hand: Mapping[int, Terms] = _NOTHING
    ) -> Iterator[PageTerms]:
        """Return the same of pages that ask not to be indexed, from which nothing is learned."""
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
        for number, key, packed, collected, value, wanted in rows:
            terms = at_hand.get(key) or (unpacked_terms(packed) if packed else Terms())
            yield PageTerms(number, key, terms, bool(collected), value, wanted)

    def judge_version(self) -> int:
        """Return the version of the judge that the pages were judged by; 0 of a judge that does not learn."""
        return int(self._fact(JUDGE_VERSION) or 0)

    def set_aside(self) -> SetAside:
        """Return the versions of the judge that were refused or undone."""
        packed = self._fact(JUDGE_ASIDE)
        return msgspec.json.decode(packed, type=SetAside) if packed else SetAside()

    def jump(self) -> bytes:
        """Return the last large change of what is kept, encoded; b'' without any."""
        return self._fact(JUDGE_JUMP) or b""

    def kept_keys(self) -> set[int]:
        """Return the keys of the kept pages, explored ones too."""
        return {key for (key,) in self._rows(f"SELECT key FROM pages WHERE {_JUDGED} AND relevant")}

    def titles(self, keys: Collection[int]) -> dict[int, str]:
        """Return the titles of pages, or their URLs, by key."""
        sql = "SELECT key, coalesce(nullif(title, ''), url) FROM pages WHERE key IN (SELECT value FROM json_each(?))"
        return dict(self._rows(sql, msgspec.json.encode(sorted(keys)).decode()))

    def judged_sources(self) -> Iterator[tuple[str, Judgement]]:
        """Return the source and the judgement of every page that has a score."""
        rows = self._rows(f"SELECT source, relevant, score FROM pages WHERE {_JUDGED} AND score IS NOT NULL")
        return ((source, Judgement(bool(relevant), score)) for source, relevant, score in rows)

    def images(self) -> Iterator[tuple[Link, dict[str, Fact]]]:
        """Return the fetched images with their evidence."""
        rows = self._pages("WHERE pages.kind = 'image' ORDER BY pages.id")
        return ((page.link, self.evidence(page.id)) for page in rows)

    def refused_for(self, reasons: Collection[Reason], limit: int) -> list[StoredPage]:
        """Return the first pages that were refused for one of these reasons."""
        named = msgspec.json.encode([reason.name for reason in reasons]).decode()
        condition = "WHERE reasons.text IN (SELECT value FROM json_each(?)) ORDER BY pages.id LIMIT ?"
        return list(self._pages(condition, named, limit))

    def led_nowhere(self, statuses: Collection[int]) -> Iterator[Link]:
        """Return the links to pages that only ever answered with one of these statuses, in order."""
        rows = self._rows(
            "SELECT link FROM pages JOIN reasons ON reasons.id = refusal WHERE kind = 'page' AND relevant IS NULL"
            f" AND reasons.text = ? AND status IN ({', '.join('?' * len(statuses))}) ORDER BY pages.id",
            Reason.HTTP_ERROR.name,
            *statuses,
        )
        return (read_link(link) for (link,) in rows)

    def walls_in_a_row(self, kinds: Collection[str], since: float) -> dict[str, int]:
        """Count, by host, answers with a wall of these kinds since a time and since the host's last good page."""
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
        """Count the pages with evidence of one name and none of the other."""
        sql = (
            "SELECT count(*) FROM evidence WHERE name = ?1"
            " AND page NOT IN (SELECT page FROM evidence WHERE name = ?2)"
        )
        return self._number(sql, name, without)

    def words_of_noted(self, name: str) -> dict[int, int]:
        """Return the number of words of the pages with evidence of this name, by key."""
        sql = "SELECT pages.key, pages.words FROM evidence JOIN pages ON pages.id = page WHERE name = ?"
        return dict(self._rows(sql, name))

    def seeds_left_out(self, reason: Reason) -> list[str]:
        """Return the URLs of seeds that are not kept, for this reason."""
        sql = (
            "SELECT url FROM pages JOIN reasons ON reasons.id = refusal"
            " WHERE depth = 0 AND kind = 'page' AND relevant = 0 AND reasons.text = ? ORDER BY pages.id"
        )
        return [url for (url,) in self._rows(sql, reason.name)]

    def fingerprints(self) -> Iterator[tuple[int, int, bytes]]:
        """Return (key, simhash, sketch) of every page that has them, in commit order."""
        return ((key, simhash, sketch) for _, key, simhash, sketch, _ in self.clusters())

    def clusters(self) -> Iterator[tuple[int, int, int, bytes, int]]:
        """Return (id, key, simhash, sketch, key of its cluster or 0) of every page with a fingerprint, in commit order."""
        rows = self._rows(
            "SELECT id, key, simhash, sketch, near_duplicate_of FROM pages WHERE simhash != 0 ORDER BY id"
        )
        return iter([(number, key, simhash & (1 << 64) - 1, *rest) for number, key, simhash, *rest in rows])

    def likenesses(self) -> Iterator[tuple[int, str, bytes, int, Reason | None]]:
        """Return (key, URL, sketch, key of an earlier near duplicate, why it was not kept) of every page, in commit order."""
        rows = self._rows(
            "SELECT key, url, sketch, near_duplicate_of, reasons.text FROM pages"
            f" LEFT JOIN reasons ON reasons.id = refusal WHERE {_JUDGED} ORDER BY pages.id"
        )
        return ((*row, Reason[reason] if reason else None) for *row, reason in rows)

    def lacks_fingerprints(self) -> bool:
        """Return whether near duplicates are still to be found by `lycosa index`."""
        sql = (
            f"SELECT count(*), count(nullif(simhash, 0)) FROM pages WHERE {_JUDGED} AND words > 0 AND id > ?"
        )
        judged, fingerprints = next(self._rows(sql, self._indexed()))
        return bool(judged and not fingerprints)

    def not_indexed(self) -> int:
        """Count the judged pages whose dates, places and names neither the crawl nor `lycosa index` has extracted."""
        indexed = self._indexed()
        for table in ("places", "entities"):
            if any(self._rows(f"SELECT 1 FROM {table} WHERE page > ? LIMIT 1", indexed)):
                return 0  # a crawl that finds any has extracted them from all of its pages
        return self._number(f"SELECT count(*) FROM pages WHERE {_JUDGED} AND id > ?", indexed)

    def without_text(self, after: int = 0) -> Iterator[StoredPage]:
        """Return the judged pages that the full-text index lacks."""
        missing = f"{_JUDGED} AND pages.id NOT IN (SELECT id FROM texts_docsize)"
        return self._pages(f"WHERE pages.id > ? AND {missing} ORDER BY pages.id", after)

    def _indexed(self) -> int:
        return int(self._fact(INDEXED) or 0)
