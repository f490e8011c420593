from __future__ import annotations

import errno
import io
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from lycosa.collection.archive.warc import Position, read_capture
from lycosa.collection.catalogue.schema import UNNAMED
from lycosa.collection.collection import Collection
from lycosa.collection.log import tell
from lycosa.collection.writer import SYNC_S, CollectionWriter
from lycosa.errors import ArchiveError, CollectionBusy, CollectionError
from lycosa.spec.sections import Spec
from lycosa.urls import key_of
from tests.collection import killed
from tests.collection.archives import types_of, urls_of
from tests.collection.records import page_record

URL = "http://a.example/"
ROOT = Path(__file__).parents[2]


def save(collection: CollectionWriter, *urls: str) -> None:
    with collection.commit():
        for url in urls:
            collection.save(page_record(url))


def contents(directory: Path) -> dict[str, object]:
    """All that a collection holds, without what depends on the moment of writing."""
    with Collection.open(directory) as collection:
        reader = collection.reader
        pages = list(reader.pages())
        return {
            "pages": [(page.id, page.link, page.judgement, page.title) for page in pages],
            "links": [list(reader.links(page.id)) for page in pages],
            "counts": reader.counts(),
            "reasons": reader.counts_by_reason(),
            "bodies": [collection.response(page.capture)[1] for page in pages],
            "archived": urls_of(directory / "archive"),
            "found": sorted(hit.url for hit in collection.search.find("storm", limit=100).hits),
            "frontier": collection.connection.execute("SELECT url FROM frontier ORDER BY 1").fetchall(),
        }


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> dict[str, object]:
    directory = tmp_path_factory.mktemp("whole") / "storm"
    killed.crawl(directory)
    return contents(directory)


@pytest.mark.parametrize("nth", [1, 4])
@pytest.mark.parametrize("point", ["appended", "synced", "committed"])
def test_a_kill_between_any_two_steps_of_a_commit_loses_nothing(tmp_path, uninterrupted, point, nth):
    """SIGKILL after the append, the sync or the commit: resumed, the collection is the same."""
    directory = tmp_path / "storm"
    command = [sys.executable, "-m", "tests.collection.killed", str(directory), point, str(nth)]
    ended = subprocess.run(command, cwd=ROOT, check=False, timeout=600)
    assert ended.returncode == -signal.SIGKILL

    killed.crawl(directory)

    assert contents(directory) == uninterrupted


def test_a_torn_record_is_cut_off(opened, tmp_path):
    """Half a record at the end, and a whole file after it, are gone after opening."""
    save(opened(), URL)
    archive = tmp_path / "storm" / "archive"
    (file,) = archive.iterdir()
    whole = file.read_bytes()
    opened().close()
    file.write_bytes(whole + whole[:100])
    (archive / "storm-00002.warc.gz").write_bytes(whole)

    save(opened(), "http://b.example/")

    assert [path.name for path in archive.iterdir()] == ["storm-00001.warc.gz"]
    assert urls_of(archive) == [URL, "http://b.example/"]


def test_an_error_undoes_the_whole_commit(opened):
    """Rows, counts, archive and the frontier's changes: all or nothing, also over a new file."""
    collection = opened(warc_bytes=500)
    save(collection, URL)
    before = types_of(collection.archive)

    def crash() -> None:
        with collection.commit():
            for i in range(5):
                collection.save(page_record(f"http://b.example/{i}", evidence={}))
            collection.connection.execute("CREATE TABLE frontier (url)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crash()

    assert types_of(collection.archive) == before
    assert collection.counts().fetched == 1
    assert collection.reader.page(key_of("http://b.example/0")) is None
    save(collection, "http://b.example/0")
    assert urls_of(collection.archive) == [URL, "http://b.example/0"]
    assert [link.rule for link in collection.reader.links(2)] == ["scope", "mean", "wait"]


def test_one_process_writes(opened, tmp_path):
    """A second writer is turned away with the pid of the first; the lock ends with its holder."""
    opened()
    with pytest.raises(CollectionBusy, match=rf"in use by process {os.getpid()}\. .*lycosa stop"):
        CollectionWriter.create_or_open(tmp_path / "storm", "")

    opened()


def test_readers_see_every_commit_of_a_running_crawl(opened, tmp_path):
    """Reading needs no lock and sees whole commits only."""
    collection = opened()
    save(collection, URL)
    with Collection.open(tmp_path / "storm") as reading, collection.commit():
        collection.save(page_record("http://b.example/"))
        assert reading.reader.counts().fetched == 1
        (page,) = reading.reader.pages()
        head, body = reading.response(page.capture)

    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert body == f"<p>body of {URL}</p>".encode()
    with Collection.open(tmp_path / "storm") as reading:
        assert reading.reader.counts().fetched == 2
        assert reading.spec_text() == 'name = "storm"\n'


def test_the_layout(opened, tmp_path):
    """Store the spec as run next to the archive; an edited spec replaces it, and the old one can be read."""
    assert opened().earlier_spec == ""
    edited = opened(spec_text='name = "calm"\n')

    names = {path.name for path in (tmp_path / "storm").iterdir()}

    assert edited.earlier_spec == 'name = "storm"\n'
    assert (tmp_path / "storm" / "crawl.toml").read_text() == 'name = "calm"\n'
    assert {"crawl.toml", "archive", "catalogue.db", "models", "lock"} <= names


def test_no_collection_there(tmp_path):
    """Reading a directory that is none says so, and creates nothing."""
    for directory in (tmp_path, tmp_path / "missing"):
        with pytest.raises(CollectionError, match=r"is not a collection.*lycosa crawl"):
            Collection.open(directory)
    assert not list(tmp_path.iterdir())


def test_the_folder_of_a_spec_leads_to_its_collection(tmp_path, opened):
    """`lycosa crawl storm` takes that folder, so people name it elsewhere, too."""
    opened()
    with pytest.raises(CollectionError, match=r"is not a collection.*Did you mean .*storm\?"):
        Collection.open(tmp_path)


def test_a_copy_beside_a_collection_is_not_taken_for_it(tmp_path):
    """Somebody keeps how it was before the labels, and the alphabet puts that first."""
    for folder in ("before-labels", "storm", "a-copy"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "crawl.toml").write_text('name = "storm"\n')
        (tmp_path / folder / "catalogue.db").write_text("")
    with pytest.raises(CollectionError, match=r"Did you mean .*/storm\?"):
        Collection.open(tmp_path)
    (tmp_path / "storm" / "catalogue.db").unlink()
    assert Spec().name == UNNAMED
    with pytest.raises(CollectionError, match=r"Did you mean .*/a-copy\?"):
        Collection.open(tmp_path)


def test_a_file_is_no_directory(tmp_path):
    """A path that is a file is named in one sentence."""
    (tmp_path / "storm").write_text("")
    with pytest.raises(CollectionError, match=r"storm.* cannot be used"):
        CollectionWriter.create_or_open(tmp_path / "storm", "")


def test_archives_without_a_catalogue_are_not_touched(tmp_path):
    """A lost catalogue must not make the archive look like a tail to cut."""
    warc = tmp_path / "storm" / "archive" / "crawl-00001.warc.gz"
    warc.parent.mkdir(parents=True)
    warc.write_bytes(b"precious")

    with pytest.raises(CollectionError, match=r"no catalogue\.db.*Put the catalogue back"):
        CollectionWriter.create_or_open(tmp_path / "storm", "")
    assert warc.read_bytes() == b"precious"


@pytest.mark.parametrize("damage", ["no database", "torn", "zeroed"])
def test_a_damaged_catalogue_is_named(opened, tmp_path, damage):
    """A broken file ends in one sentence with the fix, for writers and readers; the archive stays."""
    collection = opened()
    save(collection, *(f"http://a.example/{i}" for i in range(20)))
    collection.close()
    path = tmp_path / "storm" / "catalogue.db"
    data = path.read_bytes()
    broken = {
        "no database": b"this is no database at all" * 100,
        "torn": data[: len(data) // 2],
        "zeroed": data[:100] + bytes(len(data) - 100),
    }
    path.write_bytes(broken[damage])
    archive = (tmp_path / "storm" / "archive" / "storm-00001.warc.gz").read_bytes()

    for attempt in (opened, lambda: list(Collection.open(tmp_path / "storm").reader.pages())):
        with pytest.raises(CollectionError, match=r"catalogue\.db is damaged .*Put back a copy"):
            attempt()
    assert (tmp_path / "storm" / "archive" / "storm-00001.warc.gz").read_bytes() == archive


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE VIEW loot AS SELECT 1",
        "CREATE TRIGGER loot AFTER INSERT ON pages BEGIN DELETE FROM pages; END",
    ],
)
def test_what_was_planted_in_a_catalogue_is_refused(tmp_path, planted):
    """Views and triggers would run with our own statements."""
    CollectionWriter.create_or_open(tmp_path / "storm", "").close()
    raw = sqlite3.connect(tmp_path / "storm" / "catalogue.db")
    raw.execute(planted)
    raw.close()
    for opened in (Collection.open, lambda directory: CollectionWriter.create_or_open(directory, "")):
        with pytest.raises(CollectionError, match=r"loot.*Lycosa never makes"):
            opened(tmp_path / "storm")


def test_a_database_of_another_program_is_left_alone(tmp_path):
    """A catalogue.db that is not ours is refused as it is."""
    (tmp_path / "storm").mkdir()
    raw = sqlite3.connect(tmp_path / "storm" / "catalogue.db")
    raw.execute("CREATE TABLE cookies (a)")
    raw.close()
    with pytest.raises(CollectionError, match=r"another program.*--out"):
        CollectionWriter.create_or_open(tmp_path / "storm", "")


FILL = """
import resource, sys
from pathlib import Path
from lycosa.errors import CollectionError
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from tests.collection.records import fetched, page_record

collection = CollectionWriter.create_or_open(Path(sys.argv[1]), "", name="storm")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
filler = bytes(range(256)) * int(sys.argv[3])
for i in range(10_000):
    url = f"http://a.example/{i}"
    try:
        with collection.commit():
            body = b"<p>%d</p>" % i + filler
            collection.save(page_record(url, fetched=fetched(url, body, headers=(("Content-Encoding", "br"),))))
    except CollectionError as error:
        print(i, error)
        break
"""


@pytest.mark.parametrize(
    ("size", "repeats", "file"), [(1_200_000, 1000, "archive"), (600_000, 0, "catalogue.db")]
)
def test_a_full_disk_is_told_and_nothing_is_lost(opened, tmp_path, size, repeats, file):
    """When a file can grow no more, one sentence says so; all commits before it stay, and it resumes."""
    directory = tmp_path / "storm"
    command = [sys.executable, "-c", FILL, str(directory), str(size), str(repeats)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600)
    committed, _, message = ended.stdout.partition(" ")

    assert ended.stderr == ""
    assert file in message
    assert message.endswith(
        "cannot grow: the disk is full. Make room, then run the same command: it goes on.\n"
    )
    with Collection.open(directory) as reading:
        assert reading.reader.counts().fetched == int(committed) > 2
    save(opened(), URL)
    assert urls_of(directory / "archive") == [*(f"http://a.example/{i}" for i in range(int(committed))), URL]


def test_a_write_that_fails_is_undone_in_the_same_process(opened, monkeypatch):
    """After ENOSPC in the middle of a record the archive ends at the last commit."""

    class Full(io.FileIO):
        def write(self, data):
            if self.tell() > 3000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data[: max(1, len(data) // 2)])

    monkeypatch.setattr("lycosa.collection.archive.warc.io.FileIO", Full)
    collection = opened()
    save(collection, URL)
    with pytest.raises(CollectionError, match="disk is full"):
        save(collection, *(f"http://b.example/{i}" for i in range(50)))
    monkeypatch.undo()

    save(collection, "http://c.example/")
    assert urls_of(collection.archive) == [URL, "http://c.example/"]


@pytest.mark.parametrize("call", ["mkdir", "FileIO"])
def test_a_directory_that_cannot_be_written_is_named(monkeypatch, tmp_path, call):
    """A read-only directory ends in one sentence with the path and the fix."""

    def refuse(*_args, **_more):
        raise OSError(errno.EROFS, "Read-only file system", str(tmp_path / "storm"))

    monkeypatch.setattr(*{"mkdir": (Path, "mkdir"), "FileIO": (io, "FileIO")}[call], refuse)
    with pytest.raises(CollectionError, match=r"storm cannot be written \(Read-only file system\).*--out"):
        CollectionWriter.create_or_open(tmp_path / "storm", "")


def test_the_log_is_one_object_a_line(opened, tmp_path):
    """Time, level, event and fields; hostile text stays on its line; a torn line does not spoil the next."""
    path = tmp_path / "storm" / "crawl.log"
    tell(opened().log, "page", url="http://a.example/\n\ud800", level=logging.WARNING, event="forged")
    with path.open("a") as torn:
        torn.write('{"time": "20')
    tell(opened().log, "stopped", pages=3)

    first, torn_line, last = path.read_text().splitlines()

    assert json.loads(first)["url"] == "http://a.example/\n\ud800"
    assert (json.loads(first)["event"], json.loads(first)["level"]) == ("page", "warning")
    assert torn_line == '{"time": "20'
    assert json.loads(last)["pages"] == 3


def test_a_folder_with_other_things_does_not_become_a_collection(tmp_path):
    """Somebody's files are left alone, with what to do next; an empty folder will do."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CollectionError, match=r"notes\.txt.*--out"):
        CollectionWriter.create_or_open(tmp_path, "")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_collection_belongs_to_one_crawl(opened, tmp_path):
    """A crawl of another name does not go on in it, nor change its spec."""
    opened().close()
    with pytest.raises(CollectionError, match=r"'storm', not of 'owls'.*--out"):
        opened(name="owls", spec_text="name = 'owls'")
    assert (tmp_path / "storm" / "crawl.toml").read_text() == 'name = "storm"\n'


@pytest.mark.parametrize("file", ["/etc/hosts", "../../precious", "precious", "a\0-00001.warc.gz"])
def test_a_catalogue_cannot_name_files_outside_its_archive(opened, tmp_path, file):
    """A collection may come from anybody: nothing is cut, written or read where its catalogue points."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    collection = opened()
    save(collection, URL)
    collection.catalogue.set_fact("warc", msgspec.msgpack.encode(Position(file, 0)))
    collection.close()
    with pytest.raises(ArchiveError, match="none of ours"):
        opened()
    with pytest.raises(ArchiveError, match="none of ours"):
        read_capture(tmp_path / "storm" / "archive", file, 0)
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("name", ["lock", "crawl.log", "crawl.toml"])
def test_links_are_not_written_through(opened, tmp_path, name):
    """A link in a collection of somebody else's making would let it write anywhere."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    opened().close()
    (tmp_path / "storm" / name).unlink(missing_ok=True)
    (tmp_path / "storm" / name).symlink_to(precious)
    with pytest.raises(CollectionError, match="is a link"):
        opened()
    assert precious.read_text() == "mine"


def test_commits_outlast_a_power_cut_after_a_few_seconds(tmp_path, monkeypatch):
    """The first one is synced at once, others not more often than that."""
    now = [100.0]
    monkeypatch.setattr("lycosa.collection.writer.time.monotonic", lambda: now[0])
    with CollectionWriter.create_or_open(tmp_path / "c", "") as collection:
        levels = []
        for passed in (0.0, 1.0, SYNC_S, 1.0):
            now[0] += passed
            with collection.commit():
                levels.append(collection.connection.execute("PRAGMA synchronous").fetchone()[0])
    normal, full = 1, 2
    assert levels == [full, normal, full, normal]
