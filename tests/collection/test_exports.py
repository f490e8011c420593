from __future__ import annotations

import builtins
import csv
import gzip
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.catalogue.page_filter import JUDGED, PageFilter, Relevance
from lycosa.collection.exports.corpus import export_jsonl, export_parquet
from lycosa.collection.exports.wacz import export_wacz, surt_of
from lycosa.collection.exports.writers import WRITERS, writer_for
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import InputError
from lycosa.urls import key_of
from lycosa.values import Category, PageEntity, PagePlace, Score
from tests.collection.archives import responses_in_wacz
from tests.collection.records import NOW, fetched, page_record

BIN = Path(sys.executable).parent
WAYBACK = Path(__file__).parents[2] / ".venv-pywb" / "bin" / "wayback"
ALL, RELEVANT = JUDGED, PageFilter(distinct=True)


@pytest.fixture(scope="module")
def storm(tmp_path_factory):
    """Twelve pages: odd ones not relevant, number 4 a near duplicate of number 2, number 6 not indexed."""
    directory = tmp_path_factory.mktemp("exports") / "storm"
    with CollectionWriter.create_or_open(directory, "", name="storm") as collection, collection.commit():
        for number in range(12):
            url = f"http://www.news{number % 3}.example/Storm/{number}?b=2&a={number}"
            body = (
                f"<html><title>Page {number}</title><p>The storm of day {number} in Rome.</p></html>".encode()
            )
            record = page_record(
                url,
                fetched=fetched(url, body=body, at=NOW + number),
                relevant=number % 2 == 0,
                title=f"Page {number}",
                text="" if number == 6 else f"The storm of day {number} in Rome.",
                date=f"2024-05-{number + 1:02}",
                language="en",
                evidence={
                    "topic": Score(number / 12, words=3),
                    "genre": Category("blog" if number == 3 else "news", 0.8),
                },
                places=(PagePlace("Rome", "Rome", "city", 41.9, 12.5, "IT", "", 1),),
                entities=(PageEntity("Ann Lee", "person", 2),),
            )
            if number == 4:
                import msgspec

                twin = key_of("http://www.news2.example/Storm/2?b=2&a=2")
                record = msgspec.structs.replace(record, near_duplicate_of=twin)
            collection.save(record)
    return directory


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_json_lines_have_all_that_a_corpus_needs(storm, tmp_path):
    """Text, title, date, language, places, genre, source, relevance, cluster and WARC reference of each page."""
    assert export_jsonl(storm, tmp_path / "a.jsonl", ALL) == 12
    row = lines(tmp_path / "a.jsonl")[4]
    assert row["text"] == "The storm of day 4 in Rome."
    assert (row["title"], row["date"], row["language"], row["genre"]) == (
        "Page 4",
        "2024-05-05",
        "en",
        "news",
    )
    assert (row["source"], row["relevant"]) == ("news1.example", True)
    assert row["places"][0]["name"] == "Rome"
    assert row["entities"] == [{"name": "Ann Lee", "kind": "person", "count": 2}]
    assert row["cluster"].endswith("/Storm/2?b=2&a=2")
    assert (storm / "archive" / row["warc_file"]).is_file()
    assert row["warc_length"] > 0


def test_text_that_is_not_indexed_comes_from_the_archive(storm, tmp_path):
    """A page without a text index still has its text in the export."""
    export_jsonl(storm, tmp_path / "a.jsonl", ALL)
    assert "The storm of day 6 in Rome." in lines(tmp_path / "a.jsonl")[6]["text"]


def test_only_relevant_pages_and_one_of_each_cluster(storm, tmp_path):
    """--only relevant --dedupe leaves out the others, and nothing else."""
    assert export_jsonl(storm, tmp_path / "r.jsonl", RELEVANT) == 5
    assert [row["title"] for row in lines(tmp_path / "r.jsonl")] == [f"Page {n}" for n in (0, 2, 6, 8, 10)]


def test_pages_of_some_genres(storm, tmp_path):
    """--genre leaves out the pages of others, whatever its name has in it."""
    for genres, count in ((("blog",), 1), (("blog", "news"), 12), (("o'brien",), 0)):
        assert (
            export_jsonl(
                storm,
                tmp_path / "g.jsonl",
                PageFilter(relevance=Relevance.JUDGED, categories=(("genre", genres),)),
            )
            == count
        )
    assert (
        export_wacz(
            storm,
            tmp_path / "g.wacz",
            PageFilter(relevance=Relevance.JUDGED, categories=(("genre", ("blog",)),)),
        )
        == 1
    )
    relevant_news = PageFilter(distinct=True, categories=(("genre", ("news",)),))
    assert export_jsonl(storm, tmp_path / "g.jsonl", relevant_news) == 5


def test_parquet_says_the_same_as_json_lines(storm, tmp_path):
    """Both corpora have the same rows and columns."""
    parquet = pytest.importorskip("pyarrow.parquet")
    export_jsonl(storm, tmp_path / "a.jsonl", ALL)
    assert export_parquet(storm, tmp_path / "a.parquet", ALL) == 12
    rows = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    for row in rows:
        row["evidence"] = dict(row["evidence"])
    assert rows == lines(tmp_path / "a.jsonl")


def test_without_pyarrow_the_error_names_the_command(storm, tmp_path, monkeypatch):
    """The missing extra says how to install it."""
    whole = builtins.__import__

    def without(name, *more):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return whole(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="pip install"):
        export_parquet(storm, tmp_path / "a.parquet", ALL)


def test_a_failed_export_leaves_nothing_behind(storm, tmp_path):
    """Where it cannot be written there is one sentence, and no half of a file."""
    with pytest.raises(InputError, match="cannot be written"):
        export_jsonl(storm, tmp_path / "no" / "a.jsonl", ALL)
    assert not list(tmp_path.iterdir())


def test_what_is_not_known_is_null(tmp_path):
    """A page without date, language, genre or judgement by a rule says so, and not with empty words."""
    directory = tmp_path / "bare"
    with CollectionWriter.create_or_open(directory, "", name="bare") as collection, collection.commit():
        collection.save(page_record("http://a.example/", title="", places=(PagePlace("X", "X", "street"),)))
    export_jsonl(directory, tmp_path / "a.jsonl", ALL)
    (row,) = lines(tmp_path / "a.jsonl")
    assert [row[name] for name in ("title", "date", "language", "genre")] == [None] * 4
    assert row["places"][0]["country"] is None


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_a_day_comes_with_its_source_and_a_doubtful_one_apart(tmp_path, ending):
    """Who takes the rows can tell a day that the address names from one that the text happens to speak of."""
    directory, out = tmp_path / "dated", tmp_path / f"pages{ending}"
    with CollectionWriter.create_or_open(directory, "", name="dated") as collection, collection.commit():
        collection.save(page_record("http://a.example/", date="2024-05-02", date_source="url"))
        collection.save(page_record("http://b.example/", doubtful_date="2001-09-11", date_source="prose"))
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    assert writer_for(out)(directory, out, ALL) == 2
    if ending == ".csv":
        with out.open(newline="", encoding="utf-8") as file:
            rows = [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(file)]
    elif ending == ".parquet":
        from pyarrow import parquet

        rows = parquet.read_table(out).to_pylist()
    else:
        rows = lines(out)
    days = [tuple(row[name] for name in ("date", "date_source", "doubtful_date")) for row in rows]
    assert days == [("2024-05-02", "url", None), (None, "prose", "2001-09-11")]


def test_the_reference_leads_to_a_body(tmp_path):
    """A page that was found again unchanged, or with the body of another, is referred to where the body stands."""
    directory, body = tmp_path / "again", b"<p>The same storm.</p>"
    with CollectionWriter.create_or_open(directory, "", name="again") as collection:
        for at, url in enumerate(("http://a.example/", "http://b.example/", "http://a.example/")):
            with collection.commit():
                collection.save(page_record(url, fetched=fetched(url, body=body, at=NOW + at)))
    export_jsonl(directory, tmp_path / "a.jsonl", ALL)
    rows = lines(tmp_path / "a.jsonl")
    assert [row["url"] for row in rows] == ["http://a.example/", "http://b.example/"]
    for row in rows:
        archive = (directory / "archive" / row["warc_file"]).read_bytes()
        record = gzip.decompress(archive[row["warc_offset"] : row["warc_offset"] + row["warc_length"]])
        assert b"WARC-Type: response" in record
        assert body in record


def test_a_stream_is_written_and_never_replaced(storm, tmp_path):
    """`-`, /dev/stdout, a pipe and a link: the lines go there, and what was there is still there."""
    command = [sys.executable, "-m", "lycosa", "export", str(storm), "--jsonl"]
    for name in ("-", "/dev/stdout"):
        done = subprocess.run([*command, name], capture_output=True, cwd=tmp_path, check=True)
        assert [json.loads(line)["title"] for line in done.stdout.splitlines()] == [
            f"Page {n}" for n in range(12)
        ]
        assert b"Wrote 12 pages" in done.stderr
    assert Path("/dev/stdout").is_symlink()
    assert not list(tmp_path.iterdir())
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert export_jsonl(storm, pipe, ALL) == 12
        assert len(reader.communicate()[0].splitlines()) == 12
    assert pipe.is_fifo()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    export_jsonl(storm, tmp_path / "link.jsonl", ALL)
    assert (tmp_path / "link.jsonl").is_symlink()
    assert len(lines(tmp_path / "real.jsonl")) == 12


@pytest.mark.parametrize("write", [export_wacz, export_parquet])
@pytest.mark.parametrize("out", ["-", "/dev/stdout", "/dev/null"])
def test_a_stream_is_refused_where_it_cannot_be(storm, write, out):
    """WACZ and Parquet need a file; a device is left as it is."""
    if write is export_parquet:
        pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="Name a file"):
        write(storm, Path(out), ALL)
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("choice", [ALL, RELEVANT], ids=["all", "relevant"])
def test_a_wacz_is_valid_and_its_index_is_right(storm, tmp_path, choice):
    """`wacz validate` passes, `warcio check` passes, and each index line leads to its record."""
    out = tmp_path / "a.wacz"
    count = export_wacz(storm, out, choice)
    with zipfile.ZipFile(out) as package:
        archive = package.read("archive/storm-00001.warc.gz")
        index = gzip.decompress(package.read("indexes/index.cdx.gz")).decode().splitlines()
        pages = [json.loads(line) for line in package.read("pages/pages.jsonl").decode().splitlines()]
        about = json.loads(package.read("datapackage.json"))
        for resource in about["resources"]:
            data = package.read(resource["path"])
            assert resource["hash"] == "sha256:" + hashlib.sha256(data).hexdigest()
    assert len(index) == len(pages) - 1 == count
    assert index == sorted(index)
    for line in index:
        where = json.loads(line.split(" ", 2)[2])
        start, length = int(where["offset"]), int(where["length"])
        assert f"WARC-Target-URI: {where['url']}" in gzip.decompress(archive[start : start + length]).decode()
    assert pages[1]["evidence"]["topic"] == 0.0
    (tmp_path / "a.warc.gz").write_bytes(archive)
    for command in (["wacz", "validate", "-f", out], ["warcio", "check", tmp_path / "a.warc.gz"]):
        if not (BIN / str(command[0])).exists():
            pytest.skip(f"{command[0]} is not installed: pip install {command[0]}")
        done = subprocess.run([BIN / str(command[0]), *map(str, command[1:])], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "url",
    [
        "http://www.Example.org/A/b/?z=1&a=2",
        "https://example.org:8080/",
        "http://a.example.org/x",
        "http://127.0.0.1:81/a",
    ],
)
def test_sort_keys_are_those_of_the_field(url):
    """Our keys are the ones that the `surt` package, and so pywb, makes."""
    surt = pytest.importorskip("surt")
    assert surt_of(url) == surt.surt(url)


def test_pywb_replays_the_archive(storm, tmp_path):
    """Ten pages fetched through pywb are the bytes that were archived."""
    if not WAYBACK.exists():
        pytest.skip("pywb is not installed in .venv-pywb: make .make/peers")
    export_wacz(storm, tmp_path / "a.wacz", ALL)
    home = tmp_path / "collections" / "storm"
    with zipfile.ZipFile(tmp_path / "a.wacz") as package:
        package.extractall(tmp_path / "w")
    shutil.copytree(tmp_path / "w" / "archive", home / "archive")
    (home / "indexes").mkdir()
    index = gzip.decompress((tmp_path / "w" / "indexes" / "index.cdx.gz").read_bytes())
    (home / "indexes" / "index.cdxj").write_bytes(index)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [WAYBACK, "-p", str(port), "-b", "127.0.0.1"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for line in index.decode().splitlines()[:10]:
            url = json.loads(line.split(" ", 2)[2])["url"]
            body = _fetched(f"http://127.0.0.1:{port}/storm/2id_/{url}")
            number = url.rpartition("=")[2]
            assert f"The storm of day {number} in Rome.".encode() in body
    finally:
        server.terminate()
        server.wait(20)


def _fetched(url: str) -> bytes:
    """A response, once the server has come up."""
    end = time.monotonic() + 600
    while True:
        try:
            with urllib.request.urlopen(url, timeout=600) as answer:
                return bytes(answer.read())
        except (ConnectionError, urllib.error.URLError) as error:
            if isinstance(error, urllib.error.HTTPError) or time.monotonic() > end:
                raise
            time.sleep(0.2)


def test_every_export_is_found_by_the_ending_of_its_file(tmp_path):
    """A further one is a module and a line in WRITERS: the command and the library find it there."""
    for ending in WRITERS:
        assert callable(writer_for(tmp_path / f"pages{ending}"))
    with pytest.raises(InputError, match=r"ends in \.wacz"):
        writer_for(tmp_path / "pages")


def test_the_command_writes_what_the_ending_names(storm, tmp_path):
    out = [tmp_path / "pages.jsonl", tmp_path / "pages.wacz"]
    result = CliRunner().invoke(app, ["export", str(storm), "--to", str(out[0]), "--to", str(out[1])])
    assert result.exit_code == 0, result.output
    assert all(path.stat().st_size for path in out)


def test_markdown_of_a_wacz_alone_is_refused(lycosa, tmp_path):
    """A WACZ holds pages as they came: what cannot be done is said before anything is written."""
    code, _, told = lycosa("export", tmp_path, "--wacz", tmp_path / "a.wacz", "--text", "markdown")
    assert code == 2
    assert "--jsonl" in told
    assert not (tmp_path / "a.wacz").exists()


@pytest.mark.parametrize("wanted", [ALL, RELEVANT])
def test_a_wacz_is_read_as_replayweb_page_reads_it(storm, tmp_path, wanted):
    out = tmp_path / "storm.wacz"
    export_wacz(storm, out, wanted)
    assert responses_in_wacz(out)
