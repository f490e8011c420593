"""Dates, places and names that a crawl left out, looked for at a reader's wish."""

from __future__ import annotations

import time
from pathlib import Path

from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from tests.library import sample_library


def without_names(tmp_path) -> Path:
    """The collection as a crawl leaves it that looks for no places and names."""
    directory = sample_library.make(tmp_path / "storm")
    with (
        CollectionWriter.create_or_open(directory, sample_library.SPEC, name="storm") as collection,
        collection.commit(),
    ):
        for table in ("places", "entities"):
            collection.connection.execute(f"DELETE FROM {table}")
    return directory


def wait_until_done(browser, path: str) -> str:
    while "being looked through" in (text := str(browser.get(path).text)):
        time.sleep(0.1)
    return text


def test_a_button_looks_through_the_pages(tmp_path):
    """Pages that nobody looked through are counted on every page that needs them; one press, and none is left."""
    directory = without_names(tmp_path)
    with sample_library.client(directory) as browser:
        for path in ("", "map", "timeline", "browse/people"):
            text = browser.get(f"/c/storm/{path}").text
            assert "3 pages were not looked through" in text
            assert f"lycosa index {directory}" in text
        answer = sample_library.post(browser, "/c/storm/index", next="/c/storm/map")
        assert (answer.status_code, answer.headers["location"]) == (303, "/c/storm/map")
        assert "not looked through" not in wait_until_done(browser, "/c/storm/map")
    with Collection.open(directory) as collection:
        assert collection.reader.not_indexed() == 0


def test_what_goes_wrong_is_said(tmp_path):
    """A collection that somebody else writes to stays as it is, and the page says why."""
    directory = without_names(tmp_path)
    with (
        CollectionWriter.create_or_open(directory, sample_library.SPEC, name="storm"),
        sample_library.client(directory) as browser,
    ):
        sample_library.post(browser, "/c/storm/index", next="/c/storm/map")
        text = wait_until_done(browser, "/c/storm/map")
    assert "It did not work" in text
    assert "3 pages were not looked through" in text


def test_a_running_crawl_is_not_disturbed(tmp_path):
    """While a crawl writes, the page says when to look, and a form that comes all the same is refused."""
    directory = without_names(tmp_path)
    (directory / "control.sock").touch()
    with sample_library.client(directory) as browser:
        assert "When the crawl has ended" in browser.get("/c/storm/map").text


def test_nothing_is_started_for_strangers(tmp_path):
    """Without our form's key nothing runs."""
    directory = without_names(tmp_path)
    with sample_library.client(directory) as browser:
        answer = browser.post(
            "/c/storm/index",
            data={},
            headers={"Origin": f"http://{sample_library.HOST}:{sample_library.PORT}"},
        )
        assert answer.status_code == 403
        assert "being looked through" not in browser.get("/c/storm/map").text


def test_a_crawl_that_looked_itself_leaves_nothing(storm, browser):
    """Where the crawl found places and names as it went, no page asks for more."""
    assert "not looked through" not in browser.get("/c/storm/map").text
