"""What is new, changed or gone in a collection since a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection import Record
from lycosa.collection.catalogue.page_filter import JUDGED, PageFilter
from lycosa.collection.changes import Changes
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import InputError
from tests.collection.records import NOW, fetched, page_record

THEN = NOW + 1000


def _url(name: str) -> str:
    return f"http://a.example/{name}"


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection that was crawled at NOW and again at THEN."""
    out = tmp_path_factory.mktemp("changes") / "twice"
    with CollectionWriter.create_or_open(out, "", name="twice") as collection, collection.commit():
        for name in ("same", "modified", "304", "gone", "left-alone"):
            collection.save(page_record(_url(name), fetched=fetched(_url(name), name.encode())))
        again = {"same": b"same", "modified": b"modified again", "new": b"new", "other": b"other"}
        for name, body in again.items():
            response = fetched(_url(name), body, at=THEN)
            collection.save(page_record(_url(name), fetched=response, relevant=name != "other"))
        collection.save(Record(THEN, fetched=fetched(_url("304"), b"", 304, THEN)))
        collection.save(Record(THEN, fetched=fetched(_url("gone"), b"Gone", 410, THEN)))
    return out


def _changes(out: Path, since: float, wanted: PageFilter | None = None) -> dict[str, str]:
    with Collection.open(out) as collection:
        found = Changes(collection.connection, collection.path).since(since, wanted or PageFilter())
        return {change.url.rpartition("/")[2]: change.kind.value for change in found}


def test_new_changed_and_vanished_pages(twice: Path):
    """What is the same, was not modified or not asked for again is none of them."""
    assert _changes(twice, THEN) == {"modified": "changed", "gone": "vanished", "new": "new"}
    assert _changes(twice, THEN, JUDGED)["other"] == "new"


def test_from_the_beginning_all_that_is_there_is_new(twice: Path):
    found = _changes(twice, 0.0)

    assert {*found.values()} == {"new"}
    assert "gone" not in found
    assert _changes(twice, THEN + 1) == {}


def test_the_command_lists_them(twice: Path):
    told = CliRunner().invoke(app, ["changes", str(twice), "--since", "2023-11-14T22:29:00"])

    assert told.exit_code == 0, told.output
    assert "changed   http://a.example/modified" in told.output
    assert "3 changes since 2023-11-14 22:29 UTC" in told.output


def test_a_day_that_is_none(twice: Path):
    result = CliRunner().invoke(app, ["changes", str(twice), "--since", "lately"])

    assert isinstance(result.exception, InputError)
    assert "Write it as 2026-11-01" in str(result.exception)
