"""Write a collection: archive and catalogue always agree, even after a kill.

Save records inside `with collection.commit():`. A commit appends to the WARC, syncs it, then commits SQLite. Opening cuts
off what the archive has beyond the last commit. One process writes; any number may read meanwhile.
"""

from __future__ import annotations

import fcntl
import io
import logging
import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from lycosa import __version__
from lycosa.collection import Conclusion, Counts, Hear, Judgements, Record, SetAside
from lycosa.collection.archive.warc import Capture, WarcWriter, digest_of
from lycosa.collection.catalogue.damage import UNEXPECTED, damage_said
from lycosa.collection.catalogue.lessons import JUDGE_ASIDE, JUDGE_JUMP, JUDGE_VERSION
from lycosa.collection.catalogue.reader import Reader
from lycosa.collection.catalogue.rows import Catalogue
from lycosa.collection.catalogue.schema import file_trouble, open_for_writing, plain_errors
from lycosa.collection.catalogue.spec_text import folding_in
from lycosa.collection.catalogue.statistics import Statistics
from lycosa.collection.log import close_log, open_log, tell
from lycosa.collection.politeness import RobotsTable
from lycosa.collection.search.search import Search
from lycosa.collection.surrogates import all_encodable
from lycosa.errors import CollectionBusy, CollectionError
from lycosa.files import read_file, write_file
from lycosa.values import Decision, Fetched, PageTerms, Refusal

OWN_FILES = {"archive", "models", "lock", "crawl.log", "control.sock"}
"""What a run leaves that ends before it has a catalogue."""

SYNC_S = 5.0
"""Commits older than this survive a power cut. Syncing each commit would cost more than crawling."""

Hook = Callable[[str], None]
"""Called with 'appended', 'synced' and 'committed' during a commit."""

_to_json = msgspec.json.Encoder().encode


class CollectionWriter:
    """A collection that this process writes. Open it with `CollectionWriter.create_or_open`, and close it."""

    @classmethod
    def create_or_open(
        cls,
        directory: Path,
        spec_text: str,
        *,
        name: str = "crawl",
        warc_bytes: int = 1_000_000_000,
        info: Mapping[str, str] | None = None,
        pause_points: Hook = lambda _: None,
    ) -> Self:
        """Lock the directory, and create its collection or open it.

        `earlier_spec` is the spec of the last run ('' if it is new). `info` is written at the beginning of
        every WARC file, after the program and the crawl.
        """
        with _file_errors(directory):
            _refuse_foreign(directory)
            (directory / "archive").mkdir(parents=True, exist_ok=True)
            (directory / "models").mkdir(exist_ok=True)
            lock = lock_directory(directory)
        try:
            writer = WarcWriter(directory / "archive", name, warc_bytes, {**_made_by(name), **(info or {})})
            return cls(directory, lock, writer, name, spec_text, pause_points)
        except BaseException:
            lock.close()
            raise

    def __init__(
        self,
        directory: Path,
        lock: io.FileIO,
        warc: WarcWriter,
        name: str,
        spec_text: str,
        pause_points: Hook,
    ) -> None:
        self.directory = directory
        self.archive = directory / "archive"
        self.path = directory / "catalogue.db"
        self._lock = lock
        self._warc = warc
        self._pause = pause_points
        self._synced_at = -math.inf
        _refuse_orphans(self.path, self.archive)
        self.connection = open_for_writing(self.path)
        try:
            with damage_said(self.path), plain_errors(self.path), _file_errors(self.archive):
                self.catalogue = Catalogue(self.connection)
                self._refuse_another(name)
                self._committed = self.catalogue.position()
                warc.cut(self._committed)
                self.earlier_spec = (self.catalogue.fact("spec") or b"").decode()
                self._refuse_other_keys(spec_text)
                self._write_spec(spec_text)
        except BaseException:
            warc.close()
            self.connection.close()
            raise
        self.reader = Reader(self.connection, self.path)
        self.statistics = Statistics(self.connection, self.path)
        self.search = Search(self.connection, self.path)
        self.log = open_log(directory / "crawl.log")

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Run one transaction over catalogue, frontier and archive.

        After an error nothing of it is on disk. The frontier's memory may differ,
        so the caller ends the crawl; the next run continues from the last commit.
        """
        is_synced = time.monotonic() - self._synced_at >= SYNC_S
        with plain_errors(self.path):
            self.connection.execute(f"PRAGMA synchronous = {'FULL' if is_synced else 'NORMAL'}")
            self.connection.execute("BEGIN IMMEDIATE")
        try:
            with plain_errors(self.path):
                yield
                self._finish()
            if is_synced:
                self._synced_at = time.monotonic()
        except BaseException:
            self._roll_back()
            raise

    def save(self, record: Record) -> Conclusion:
        capture = None
        if record.fetched is not None:
            with _file_errors(self.archive):
                capture = self._archived(record.fetched) or self._archive(record, record.fetched)
        before = self.catalogue.save(record, capture)
        self._log_refusal(record)
        return before

    def settle(self, decisions: Sequence[Decision]) -> None:
        self.catalogue.settle(decisions)

    def promote(self, keys: Sequence[int]) -> int:
        return self.catalogue.promote(keys)

    def page_terms(self, after: int, evidence: str) -> Iterator[PageTerms]:
        return self.reader.terms(after, evidence=evidence, at_hand=self.catalogue.recent_terms)

    def unindexed_terms(self, evidence: str) -> Iterator[PageTerms]:
        return self.reader.unindexed_terms(evidence=evidence, at_hand=self.catalogue.recent_terms)

    def judge_anew(self, judgements: Judgements, version: int, hear: Hear = lambda _: None) -> None:
        self.catalogue.set_fact(JUDGE_VERSION, str(version).encode())
        self.catalogue.judge_anew(judgements, hear)

    def scores(self, keys: Iterable[int]) -> dict[int, float]:
        return self.reader.scores(keys)

    def kept(self) -> set[int]:
        return self.reader.kept_keys()

    def titles(self, keys: Collection[int]) -> dict[int, str]:
        return self.reader.titles(keys)

    def note_jump(self, jump: bytes) -> None:
        self.catalogue.set_fact(JUDGE_JUMP, jump)

    def set_aside(self, version: int, undone_with: str = "", *, taken_up: int = 0) -> None:
        versions = {*self.reader.set_aside().versions, version} - {0, taken_up}
        aside = SetAside(tuple(sorted(versions)), undone_with)
        self.catalogue.set_fact(JUDGE_ASIDE, msgspec.json.encode(aside))

    def kept_page(self, digest: bytes) -> str | None:
        with plain_errors(self.path):
            return self.catalogue.kept_page(digest)

    def counts(self) -> Counts:
        """Return the totals over all runs."""
        return self.catalogue.counts

    def robots(self) -> RobotsTable:
        """Return the stored robots.txt files, by authority."""
        return RobotsTable(self.connection, self.path)

    def close(self) -> None:
        """Close all files and release the lock. Nothing is committed."""
        self._warc.close()
        close_log(self.log)
        with plain_errors(self.path):
            self.connection.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if isinstance(error, UNEXPECTED):
            with damage_said(self.path), plain_errors(self.path):
                raise error

    def _archived(self, fetched: Fetched) -> Capture | None:
        """Return the capture of a response that was read from this archive; None if it was fetched."""
        page = self.reader.page(fetched.link.key) if fetched.archived else None
        return page.capture if page else None

    def _archive(self, record: Record, fetched: Fetched) -> Capture:
        digest = record.digest or digest_of(fetched.body)
        same_as = None
        if fetched.status == 304:
            same_as = self.catalogue.last_capture(fetched.link.key)
        elif fetched.status == 200:
            same_as = self.catalogue.known_digest(digest) or record.elsewhere
        return self._warc.append(fetched, digest, same_as=same_as, metadata=_conclusions(record))

    def _log_refusal(self, record: Record) -> None:
        """Log every URL that became no page."""
        fetched, not_fetched = record.fetched, record.not_fetched
        if fetched is not None and record.refusal is not None:
            _tell_refusal(self.log, "refused", fetched.link.url, record.refusal, status=fetched.status)
        elif not_fetched is not None:
            again = not_fetched.again_in_s
            _tell_refusal(
                self.log, "not fetched", not_fetched.link.url, not_fetched.refusal, again_in_s=again
            )

    def _finish(self) -> None:
        """End a commit: sync the archive, then commit the catalogue."""
        position = self._warc.position()
        if position != self._committed:
            self._pause("appended")
            with _file_errors(self.archive):
                self._warc.sync()
            self._pause("synced")
        self.catalogue.flush(position)
        self.connection.execute("COMMIT")
        self._committed = position
        self._pause("committed")

    def _roll_back(self) -> None:
        with plain_errors(self.path):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.catalogue.forget()
        if self._warc.position() != self._committed:
            with _file_errors(self.archive):
                self._warc.cut(self._committed)

    def _refuse_another(self, name: str) -> None:
        earlier = self.catalogue.fact("name")
        if earlier is None or self.directory.name == name:  # new, or renamed together with its folder
            self.catalogue.set_fact("name", name.encode("utf-8", "replace"))
        elif earlier != name.encode("utf-8", "replace"):
            raise CollectionError(
                f"{self.directory} is the collection of the crawl {earlier.decode('utf-8', 'replace')!r}, not of {name!r}. "
                "Choose another directory with --out."
            )

    def _refuse_other_keys(self, text: str) -> None:
        """Refuse another folding of URLs: pages would be fetched and counted twice."""
        before = folding_in(self.earlier_spec).tracking
        if self.earlier_spec and folding_in(text).tracking is not before:
            raise CollectionError(
                f"scope.fold_tracking: {self.directory} was begun with {str(before).lower()}, which identifies its pages. "
                "Set it back, or crawl into another directory with --out."
            )

    def _write_spec(self, text: str) -> None:
        """Store the spec in the catalogue and as `crawl.toml`."""
        data = text.encode("utf-8", "replace")
        self.catalogue.set_fact("spec", data)
        path = self.directory / "crawl.toml"
        if not path.is_file() or read_file(path) != data:
            write_file(path, data)


def _made_by(name: str) -> dict[str, str]:
    """Return the fields that begin every WARC file, as WARC/1.1 names them."""
    return {
        "software": f"Lycosa/{__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "isPartOf": name,
    }


def _conclusions(record: Record) -> bytes:
    """Return the conclusion on a page, for the archive's metadata record; '' if there is none."""
    link = record.fetched.link if record.fetched else None
    if link is None or (record.page is None and record.refusal is None):
        return b""
    about = {
        "judgement": record.judgement,
        "refusal": record.refusal and {"reason": record.refusal.reason.name, "detail": record.refusal.detail},
        "evidence": record.page.evidence if record.page else {},
        "title": record.page.title if record.page else "",
        "explored": record.explored,
        "depth": link.depth,
        "parent": link.parent,
        "found_with_priority": link.priority,
    }
    try:
        return _to_json(about)
    except UnicodeEncodeError:
        return _to_json(all_encodable(about))


def _tell_refusal(log: logging.Logger, message: str, url: str, refusal: Refusal, **more: Any) -> None:
    tell(log, message, url=url, reason=refusal.reason.name, detail=refusal.detail, **more)


def lock_directory(directory: Path) -> io.FileIO:
    """Return an exclusive lock that the system releases when the process ends, however it ends."""
    for name in ("lock", "crawl.log", "crawl.toml"):
        if (directory / name).is_symlink():
            raise CollectionError(
                f"{directory / name} is a link: it is not written through. Delete it, then try again."
            )
    file = io.FileIO(directory / "lock", "a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.truncate(0)
        file.write(str(os.getpid()).encode())
    except BlockingIOError:
        file.seek(0)
        holder = file.read(20).decode("ascii", "replace") or "unknown"
        file.close()
        raise CollectionBusy(
            f"{directory} is in use by process {holder}. See what it does with: lycosa status {directory}; "
            f"end it with: lycosa stop {directory}; then run the same command."
        ) from None
    except BaseException:
        file.close()
        raise
    return file


def is_locked(directory: Path) -> bool:
    """Return whether a process is working on a folder."""
    try:
        with io.FileIO(directory / "lock") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def _refuse_foreign(directory: Path) -> None:
    """Refuse a folder with other files in it."""
    if not directory.is_dir() or (directory / "catalogue.db").exists():
        return
    stranger = next((path.name for path in directory.iterdir() if path.name not in OWN_FILES), None)
    if stranger is not None:
        raise CollectionError(
            f"{directory} is not a collection, and not empty ({stranger}). "
            "Choose a new directory with --out, or empty this one."
        )


def _refuse_orphans(catalogue: Path, archive: Path) -> None:
    """Refuse WARC files without a catalogue: they must not be cut as a tail."""
    if catalogue.is_file() and catalogue.stat().st_size:
        return
    orphan = next(archive.glob("*.warc*"), None)
    if orphan is not None:
        raise CollectionError(
            f"{archive} has WARC files ({orphan.name}) but there is no {catalogue.name} next to it. "
            "Put the catalogue back from a copy, or choose another directory with --out."
        )


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CollectionError(file_trouble(Path(error.filename or path), error)) from error
