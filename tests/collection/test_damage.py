"""Damage is said: one sentence that names the file, the table and the row, whichever command reads it."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
import zstandard

from lycosa.collection.catalogue.damage import damage_in
from lycosa.collection.catalogue.facts import unpacked_terms
from lycosa.collection.catalogue.page_filter import COLLECTED, JUDGED
from lycosa.collection.collection import Collection
from lycosa.collection.exports.corpus import export_jsonl
from lycosa.collection.exports.wacz import export_wacz
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import ArchiveError, CollectionError
from lycosa.files import read_file, unpack_zstd
from lycosa.report.html import write_report
from lycosa.why import explain
from tests.collection.records import page_record

URL = "http://a.example/1"
SECRET = "a text of a page"
DAMAGE = {
    "pages": "UPDATE pages SET kind = 'moon' WHERE id = 1",
    "pages.link": "UPDATE pages SET link = x'c1' WHERE id = 1",
    "pages.title": f"UPDATE pages SET title = CAST(x'{SECRET.encode().hex()}ff' AS TEXT) WHERE id = 1",
    "pages.words": "UPDATE pages SET words = 'many' WHERE id = 1",
    "pages.at": "UPDATE pages SET at = 1e300 WHERE id = 1",
    "pages.warc": "UPDATE pages SET warc = 9 WHERE id = 1",
    "reasons": "UPDATE reasons SET text = 'MOON' WHERE id = 1",
    "terms": "INSERT OR REPLACE INTO terms VALUES (1, x'00')",
    "evidence": "INSERT OR REPLACE INTO evidence VALUES (1, 'topic', 0.5, 'x', 'data', 0, '{')",
    "texts_content": f"UPDATE texts_content SET c1 = CAST(x'{SECRET.encode().hex()}ff' AS TEXT) WHERE id = 1",
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    with CollectionWriter.create_or_open(tmp_path / "own", "") as collection, collection.commit():
        for number in range(1, 4):
            collection.save(page_record(f"http://a.example/{number}"))
    return tmp_path / "own"


def damage(directory: Path, *statements: str) -> None:
    with closing(sqlite3.connect(directory / "catalogue.db")) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount, statement


def test_a_whole_catalogue_has_no_damage(own):
    assert damage_in(own / "catalogue.db", 10.0) == ""


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_row_is_named(name, own, tmp_path):
    """Table and row, what to do, and no text of a page."""
    damage(own, DAMAGE[name])
    said = f"row 1 of the table {name.partition('.')[0]}"
    for read in (
        lambda: write_report(own),
        lambda: export_jsonl(own, tmp_path / "a.jsonl", JUDGED),
        lambda: export_wacz(own, tmp_path / "a.wacz", JUDGED),
    ):
        with pytest.raises(CollectionError, match=said) as error:
            read()
        assert SECRET not in str(error.value)
        assert f"lycosa import {own / 'archive'} --spec {own / 'crawl.toml'}" in str(error.value)
    assert [*tmp_path.glob("a.*")] == []


@pytest.mark.parametrize("name", ["pages", "pages.link", "pages.title", "evidence"])
def test_a_damaged_row_is_named_where_it_is_met(name, own):
    """`why` and a crawl do not look for damage before they meet it."""
    damage(own, DAMAGE[name])
    with pytest.raises(CollectionError, match="row 1 of the table"):
        explain(own, URL)
    with (
        pytest.raises(CollectionError, match="row 1 of the table"),
        CollectionWriter.create_or_open(own, "") as writer,
    ):
        list(writer.reader.lessons())


def test_a_damaged_fact_is_named_when_a_crawl_goes_on(own):
    damage(own, "UPDATE facts SET value = x'c1' WHERE name = 'counts'")
    with pytest.raises(CollectionError, match="row counts of the table facts"):
        CollectionWriter.create_or_open(own, "")


def test_an_error_of_our_own_stays_one(own):
    with pytest.raises(KeyError), Collection.open(own):
        raise KeyError("a bug")


@pytest.mark.parametrize("flips", [1, 20, 200])
def test_flipped_bytes_give_a_sentence_or_nothing(flips, own, tmp_path):
    """A flipped letter cannot be noticed; everything else is a CollectionError."""
    whole = (own / "catalogue.db").read_bytes()
    said = 0
    for seed in range(15):
        chosen, data = random.Random(seed), bytearray(whole)
        for _ in range(flips):
            data[chosen.randrange(100, len(data))] ^= 1 << chosen.randrange(8)
        for path in own.glob("catalogue.db-*"):
            path.unlink()
        (own / "catalogue.db").write_bytes(data)
        for read in (
            lambda: write_report(own),
            lambda: export_jsonl(own, tmp_path / "a.jsonl", COLLECTED),
            lambda: explain(own, URL),
            lambda: CollectionWriter.create_or_open(own, "").close(),
        ):
            with suppress(CollectionError):
                read()
                said -= 1
            said += 1
    assert said >= {1: 0, 20: 30, 200: 58}[flips]


def test_looking_for_damage_ends(own, monkeypatch):
    """A large catalogue is not read to its end."""
    damage(
        own,
        "INSERT INTO entities WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
        " WHERE i < 300000) SELECT 1, 'Ann', 'person', i FROM n",
        "UPDATE pages SET kind = 'moon' WHERE id = 1",
    )
    begun = time.monotonic()
    assert damage_in(own / "catalogue.db", 0.0) == ""
    assert time.monotonic() - begun < 0.5
    assert damage_in(own / "catalogue.db", 60.0)


def test_a_damaged_archive_is_named_at_an_export(own, tmp_path):
    """Not the target, which is as good as any other."""
    (warc,) = (own / "archive").iterdir()
    whole = warc.read_bytes()
    for data in (whole[:-50], whole[:400] + b"\xff" * 40 + whole[440:]):
        warc.write_bytes(data)
        for wanted in (JUDGED, COLLECTED):
            with pytest.raises(ArchiveError, match=rf"{warc} is damaged"):
                export_wacz(own, tmp_path / "a.wacz", wanted)
    assert [*tmp_path.glob("*a.wacz*")] == []


def test_a_bomb_in_a_catalogue_is_not_unpacked():
    """zstandard ignores its `max_output_size` if the data name their size."""
    bomb = zstandard.ZstdCompressor().compress(bytes(200_000_000))
    assert len(bomb) < 10_000
    with pytest.raises(zstandard.ZstdError, match="more than 100 MB"):
        unpacked_terms(bomb)
    with pytest.raises(zstandard.ZstdError, match="more than 1 MB"):
        unpack_zstd(bomb, 1_000_000)
    assert unpack_zstd(zstandard.ZstdCompressor().compress(b"owl"), 3) == b"owl"


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    """Between the look at it and its opening."""
    path = tmp_path / "model"
    os.mkfifo(path)
    monkeypatch.setattr("lycosa.files.size_of", lambda _: 1)
    with pytest.raises(OSError, match="a device or pipe"):
        read_file(path)


def test_a_damaged_shard_is_named_before_it_is_merged(own, tmp_path):
    from lycosa.collection.shards.merge import merge_shards

    shutil.copytree(own, tmp_path / "01")
    damage(own, DAMAGE["pages.link"])
    with pytest.raises(CollectionError, match=f"{own / 'catalogue.db'} is damaged"):
        merge_shards([tmp_path / "01", own], tmp_path / "whole")
