"""A library that is published: for everybody, and only to read. And a search that is handed over."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest
from starlette.testclient import TestClient

from lycosa.collection.exports.corpus import _cell
from lycosa.errors import SpecError
from lycosa.library import access, replay
from lycosa.library.served_collections import ServedCollections
from lycosa.library.serving import serve
from tests.library import sample_library
from tests.library.sample_library import KEYS, ORIGINS


@pytest.fixture
def stranger(storm):
    with sample_library.client(storm, let_in=False, is_public=True) as one:
        yield one


def test_everybody_may_read_and_caches_may_keep_it(stranger):
    """No token, whatever the name it is asked for by."""
    for path in ("/c/storm/", "/c/storm/search?q=storm", "/c/storm/page/1", "/api/c/storm/search?q=storm"):
        answer = stranger.get(path, headers={"Host": "storms.example"})
        assert answer.status_code == 200
        assert answer.headers["cache-control"].startswith("public")
    assert "data-label" not in stranger.get("/c/storm/search").text
    assert stranger.get("/c/storm/page/99").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/c/storm/label", "/c/storm/control", "/c/storm/retrain", "/c/storm/undo", "/c/storm/index", "/api/c/storm/label", "/api/c/storm/control"])  # fmt: skip
def test_nobody_can_change_anything(storm, stranger, path):
    """Not even with a form of our own."""
    assert sample_library.post(stranger, path, id="1", relevant="yes", do="stop").status_code == 405
    assert stranger.get(path).status_code in (404, 405)
    assert not (storm / "labels.db").exists()


@pytest.mark.parametrize("path", ["/c/storm/monitor", "/c/storm/labels", "/c/storm/download/csv"])
def test_what_is_not_for_everybody_is_not_there(stranger, path):
    assert stranger.get(path).status_code == 404


def test_one_address_cannot_ask_without_end(storm, monkeypatch):
    """Beyond the rate it is told to wait."""
    monkeypatch.setattr(access, "REQUESTS_PER_MINUTE", 3)
    with sample_library.client(storm, let_in=False, is_public=True) as stranger:
        answers = [stranger.get("/static/logo.svg").status_code for _ in range(5)]
    assert answers == [200, 200, 200, 429, 429]


def test_one_address_cannot_ask_for_archived_pages_without_end(storm, monkeypatch):
    """The other port has a rate of its own; a library of one's own has none."""
    monkeypatch.setattr(replay, "REQUESTS_PER_MINUTE", 3)
    for is_public, answers in ((True, [200, 200, 200, 429, 429]), (False, [200] * 5)):
        served = ServedCollections([storm])
        application = replay.application(served, KEYS, ORIGINS, is_public=is_public)
        base = f"http://{sample_library.HOST}:{sample_library.REPLAY_PORT}"
        browser = TestClient(application, base_url=base)
        path = f"/{KEYS.replay_key()}/storm/{sample_library.SEED}"
        assert [browser.get(path).status_code for _ in range(5)] == answers


def test_public_and_a_password_contradict_each_other(storm):
    with pytest.raises(SpecError, match="--public"):
        serve([storm], host="127.0.0.1", port=0, password="x", say=print, is_public=True)


def test_a_search_is_handed_over_as_it_is_shown(browser):
    """The same pages, by words and by conditions."""
    rows = list(csv.DictReader(io.StringIO(browser.get("/c/storm/download/csv?q=rivers").text)))
    assert [row["title"] for row in rows] == ["Storm hits Rome"]
    assert rows[0]["places"] == "Rome"
    lines = browser.get("/c/storm/download/jsonl?relevant=no").text.splitlines()
    assert [json.loads(line)["title"] for line in lines] == ["Cooking"]
    assert browser.get("/c/storm/download/jsonl?q=nosuchword").text == ""
    assert browser.get("/c/storm/download/exe").status_code == 404


@pytest.mark.parametrize(
    "text",
    ["\uff1d1+1", "\uff0b1", "\ufeff=1", " =1", "\n=1", "\u200b@A1", "\t1", "\u22121", "\x00=1", "\ufe62=1"],
)
def test_a_cell_is_no_formula_in_disguise(text):
    """Spreadsheets skip a byte order mark and blanks, and read wide signs."""
    assert str(_cell(text)).startswith("'")


@pytest.mark.parametrize(
    "path",
    [
        "/c/..%2fstorm/download/csv",
        "/c/%2e%2e/",
        "/c/storm%2f..%2f..%2fetc/",
        "/c/storm/download/..%2f..%2fcsv",
        "/static/..%2f..%2fapp.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static//etc/passwd",
        "/fonts/..%2f..%2fapp.py",
        "/api/c/..%2fstorm/search",
        "/c/storm/page/..%2f1",
    ],
)
def test_no_path_leads_out(browser, path):
    """Neither to other folders nor to our own code."""
    answer = browser.get(path, follow_redirects=False)
    assert answer.status_code in (400, 404, 422)
    assert "root:" not in answer.text
    assert "import" not in answer.text


def test_parquet_that_cannot_be_written_is_said(browser, monkeypatch):
    """The package is not installed: no failure of the library."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    answer = browser.get("/c/storm/download/parquet")
    assert (answer.status_code, "pip install" in answer.text) == (501, True)


def test_a_cell_is_never_a_formula(tmp_path):
    from lycosa.collection.catalogue.page_filter import JUDGED
    from lycosa.collection.exports.corpus import export_csv
    from lycosa.collection.writer import CollectionWriter
    from tests.collection.records import page_record

    with CollectionWriter.create_or_open(tmp_path / "c", 'name = "c"\n') as writer, writer.commit():
        writer.save(page_record("http://a.example/", title="=HYPERLINK(1)"))
    assert export_csv(tmp_path / "c", tmp_path / "c.csv", JUDGED) == 1
    assert (
        next(csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text("utf-8"))))["title"]
        == "'=HYPERLINK(1)"
    )
