"""Collections that are broken, odd or somebody else's: clear words, and the others work on."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lycosa.collection.catalogue.page_filter import JUDGED
from lycosa.collection.collection import Collection
from lycosa.collection.exports.corpus import export_jsonl
from lycosa.collection.exports.wacz import export_wacz
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.catch_up.index import index_collection
from lycosa.errors import ArchiveError, CollectionError
from lycosa.library import app
from lycosa.library.served_collections import ServedCollections
from lycosa.report.html import write_report
from lycosa.why import explain
from tests.collection.records import NOW
from tests.library import sample_library


@pytest.fixture
def own(storm: Path, tmp_path: Path) -> Path:
    """A copy that may be broken."""
    shutil.copytree(storm, tmp_path / "storm")
    return tmp_path / "storm"


def browser_of(*directories: Path) -> TestClient:
    application = app.application(ServedCollections(directories), sample_library.KEYS, sample_library.ORIGINS)
    browser = TestClient(
        application,
        base_url=f"http://{sample_library.HOST}:{sample_library.PORT}",
        raise_server_exceptions=False,
    )
    browser.cookies.set(f"lycosa-{sample_library.PORT}", sample_library.KEYS.session())
    return browser


def spoil(directory: Path) -> None:
    """As a bad disk does: the head of the file is whole, what it leads to is not."""
    path = directory / "catalogue.db"
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    for beside in directory.glob("catalogue.db-*"):
        beside.unlink()


def test_a_broken_collection_leaves_the_others_alone(storm, own):
    """The list of collections and the search of all say what is wrong with one, and show the other."""
    with browser_of(storm, own) as browser:
        spoil(own)
        for path in ("/", "/search?q=storm"):
            text = browser.get(path).text
            assert "is damaged" in text
            assert "Storm hits Rome" in text or "relevant of" in text
        assert browser.get("/c/storm/").status_code == 200
        answer = browser.get("/c/storm-2/")
        assert (answer.status_code, "is damaged" in answer.text) == (500, True)
        assert "is damaged" in browser.get("/api/c/storm-2/search?q=storm").json()["error"]


def test_a_broken_catalogue_is_said_in_one_sentence(own, tmp_path):
    """Whichever command reads it."""
    spoil(own)
    for read in (
        lambda: explain(own, sample_library.SEED),
        lambda: write_report(own),
        lambda: export_jsonl(own, tmp_path / "a.jsonl", JUDGED),
        lambda: ServedCollections([own]),
    ):
        with pytest.raises(CollectionError, match="damaged"):
            read()


def test_damage_that_shows_while_reading_is_said_too(own):
    """What SQLite finds in the middle of a query becomes our words."""
    with pytest.raises(CollectionError, match="cannot be used"), Collection.open(own) as collection:
        collection.connection.execute("SELECT nonsense")


def test_a_catalogue_that_somebody_writes_to_is_read(own):
    """A writer in the middle of its transaction keeps nobody from reading what was there before."""
    writer = sqlite3.connect(own / "catalogue.db", isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("DELETE FROM pages")
    with browser_of(own) as browser:
        assert "Storm hits Rome" in browser.get("/c/storm/search?q=storm").text
    writer.execute("ROLLBACK")
    writer.close()


def test_an_archive_that_is_gone(own, tmp_path):
    """Texts and reasons are there; what needs the archive says so."""
    shutil.rmtree(own / "archive")
    (own / "archive").mkdir()
    with browser_of(own) as browser:
        for path in ("", "search?q=storm", "page/1", "page/1?view=reasons", "page/1?view=archived"):
            assert browser.get(f"/c/storm/{path}").status_code == 200
    with sample_library.replayer(own) as other:
        answer = other.get(f"/{sample_library.KEYS.replay_key()}/storm/{sample_library.SEED}")
        assert (answer.status_code, "not in the archive" in answer.text) == (404, True)
    assert export_jsonl(own, tmp_path / "a.jsonl", JUDGED) == 3
    with pytest.raises(ArchiveError, match="Put the file back"):
        export_wacz(own, tmp_path / "a.wacz", JUDGED)


def test_pages_that_the_archive_has_lost_are_counted(own):
    """`lycosa index` says how many it could not read; a file that has become shorter is not written to at all."""
    (file,) = (own / "archive").iterdir()
    file.write_bytes(bytes(file.stat().st_size))
    assert index_collection(own, 0).unread == 3
    file.write_bytes(b"")
    with pytest.raises(CollectionError):
        index_collection(own, 0)


def test_a_crawl_that_was_killed_is_shown(own):
    """A run without an end: its pages are there, and the monitor says how to go on."""
    with (
        CollectionWriter.create_or_open(own, sample_library.SPEC, name="storm") as collection,
        collection.commit(),
    ):
        collection.catalogue.begin_run(NOW + 100)
    (own / "control.sock").touch()  # what a killed crawl leaves behind
    with browser_of(own) as browser:
        text = browser.get("/c/storm/monitor").text
        assert "not running" in text
        assert "goes on where it stopped" in text
        assert "Storm hits Rome" in browser.get("/c/storm/search?q=storm").text


@pytest.mark.parametrize(
    "spec",
    [
        "topic = 3",
        "name = [1]",
        "[topic]\nkeywords = 3\ndescription = [1]",
        "[limits]\npages_per_host = 'x'",
        "\x00",
        "[",
    ],
)
def test_a_spec_of_nonsense_breaks_nothing(own, spec):
    """A collection may come from anybody: what cannot be read of its spec is left out."""
    with sqlite3.connect(own / "catalogue.db") as catalogue:
        catalogue.execute("UPDATE facts SET value = ? WHERE name = 'spec'", (spec.encode(),))
    with browser_of(own) as browser:
        for path in (
            "",
            "search?q=storm",
            "labels",
            "monitor",
            "why?url=http://x.test/",
            f"why?url={sample_library.SEED}/9",
        ):
            assert browser.get(f"/c/storm/{path}").status_code == 200
    write_report(own)
