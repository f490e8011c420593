"""The shards of a crawl as one collection: what a crawl in one process would have made, for every command."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from lycosa.cluster.division import merge_collection, refuse_lost
from lycosa.collection.catalogue.schema import open_for_writing
from lycosa.collection.collection import Collection
from lycosa.collection.shards.mail import Mail
from lycosa.collection.shards.merge import OF_PAGE, SQLITES_OWN
from lycosa.errors import CollectionError, InputError
from lycosa.frontier.entry import WAITING
from lycosa.testing import Site
from lycosa.urls import key_of
from lycosa.values import Link
from tests.cluster.shards import contents, crawl_in_shards, of_shards
from tests.cluster.test_shards import requests, text_for
from tests.collection.archives import records_of
from tests.conftest import MadeOnce
from tests.crawling import KEYWORDS, crawl, small_web

HOSTS, PAGES = 8, 6


@pytest.fixture
def crawled(made_once: MadeOnce, tmp_path: Path) -> Path:
    """A web crawled in one process (`one`), and by three shards (`web`), which are one collection too: a copy."""

    def crawl_both(folder: Path) -> None:
        with Site(small_web(HOSTS, PAGES)) as site:
            crawl(text_for(site), folder / "one")
            asyncio.run(crawl_in_shards(text_for(site), folder / "web", 3))
        merge_collection(folder / "web")

    shutil.copytree(made_once("merged", crawl_both), tmp_path / "merged")
    return tmp_path / "merged"


def test_the_whole_is_what_one_would_have_made(crawled: Path) -> None:
    assert contents([crawled / "web"]) == contents([crawled / "one"])
    with Collection.open(crawled / "web") as web, Collection.open(crawled / "one") as one:
        assert web.reader.counts() == one.reader.counts()
        assert [page.at for page in web.reader.pages()] == sorted(page.at for page in web.reader.pages())
        words = {page.link.url for page in web.pages(relevant=True)}
        assert words == {page.link.url for page in one.pages(relevant=True)}
    assert len(records_of(crawled / "web" / "archive")) > 2 * HOSTS * PAGES


def test_texts_are_indexed_once(crawled: Path) -> None:
    """A shard keeps texts as they are; who brings the shards together indexes them."""
    assert _found(crawled / "web") == _found(crawled / "one") > 0
    assert not any(map(_found, of_shards(crawled / "web", 3)))


def _found(directory: Path) -> int:
    with Collection.open(directory) as collection:
        return len(collection.search.find(KEYWORDS[0], limit=1000).hits)


@pytest.mark.parametrize("command", ["why", "report", "export", "status", "index", "changes"])
def test_commands_work_on_the_whole(crawled: Path, lycosa, command: str) -> None:
    web = crawled / "web"
    exports = ["--jsonl", crawled / "web.jsonl", "--wacz", crawled / "a.wacz"]
    more: dict[str, list[object]] = {"why": ["http://h3.test/p1"], "export": [*exports]}
    code, said, complaint = lycosa(command, web, *more.get(command, []))
    assert code == 0, complaint
    if command == "why":
        assert "Fetched and judged relevant" in said
    if command == "export":
        assert len((crawled / "web.jsonl").read_text().splitlines()) == HOSTS * PAGES


async def test_a_merged_collection_goes_on_in_one_process(tmp_path: Path) -> None:
    with Site(small_web(HOSTS, PAGES)) as site:
        await crawl_in_shards(text_for(site, pages=20), tmp_path / "web", 3)
        merge_collection(tmp_path / "web", tmp_path / "merged")
        text = text_for(site).replace('name = "web"', 'name = "merged"')
        summary = await asyncio.to_thread(crawl, text, tmp_path / "merged")
        assert summary.pages == HOSTS * PAGES, summary.refused
        assert set(requests(site).values()) == {1}


def test_what_shards_were_about_to_tell_each_other_waits(crawled: Path, tmp_path: Path) -> None:
    """The page that says it has been read, and the shard that it is for has not heard of it."""
    sender = of_shards(crawled / "web", 3)[0] / "catalogue.db"
    new, known = (
        Link("http://h1.test/new", key_of("http://h1.test/new"), priority=0.5),
        link_of(crawled / "web"),
    )
    with closing(open_for_writing(sender)) as connection:
        Mail(connection).send(1, [new, known])
        connection.commit()
    counts = merge_collection(crawled / "web", tmp_path / "elsewhere")

    assert counts.judged == HOSTS * PAGES
    with Collection.open(tmp_path / "elsewhere") as collection:
        waiting = collection.connection.execute(
            "SELECT hash, priority FROM urls WHERE state = ?", (WAITING,)
        ).fetchall()
    assert waiting == [(new.key, 0.5)]


def link_of(directory: Path) -> Link:
    """A link to a page that was read."""
    with Collection.open(directory) as collection:
        return next(collection.reader.pages()).link


def test_a_lost_shard_is_said_with_what_it_held(crawled: Path) -> None:
    """Nobody begins it anew in silence: its pages and what waited there are gone."""
    refuse_lost(crawled / "web")
    folder = crawled / "web" / "shards" / "02"
    folder.rename(crawled / "elsewhere")
    with pytest.raises(
        CollectionError,
        match=r"02 is gone, with one of 3 parts of the sources and \d+ links .* it had \d+ pages",
    ):
        refuse_lost(crawled / "web")
    folder.mkdir()
    refuse_lost(crawled / "web")


def test_a_crawl_that_was_killed_can_be_merged(crawled: Path, lycosa) -> None:
    (crawled / "web" / "catalogue.db").unlink()
    code, _, complaint = lycosa("report", crawled / "web")
    assert code == 2
    assert complaint.strip().endswith(f"lycosa merge {crawled / 'web'}")
    code, said, complaint = lycosa("merge", crawled / "web")
    assert code == 0, complaint
    assert said.startswith(f"{HOSTS * PAGES} pages")


def test_what_breaks_off_leaves_the_whole_as_it_was(crawled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is written without a journal, aside; the next one begins anew, and what it makes is a catalogue like any other."""
    web = crawled / "web"
    before = (web / "catalogue.db").read_bytes()
    with monkeypatch.context() as broken:
        broken.setattr(
            "lycosa.collection.shards.merge.add_frontier", Mock(side_effect=sqlite3.OperationalError("full"))
        )
        with pytest.raises(CollectionError, match="cannot be used"):
            merge_collection(web)
    assert (web / "catalogue.db").read_bytes() == before
    merge_collection(web)
    assert contents([web]) == contents([crawled / "one"])
    assert not list(web.glob("catalogue.db?*"))
    with closing(sqlite3.connect(web / "catalogue.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert dict(connection.execute("SELECT k, v FROM texts_config"))["hashsize"] == SQLITES_OWN


def test_a_missing_shard_is_said(crawled: Path) -> None:
    (crawled / "web" / "shards" / "01" / "catalogue.db").rename(crawled / "gone.db")
    with pytest.raises(CollectionError, match=r"shards/01 is missing"):
        merge_collection(crawled / "web")
    with pytest.raises(InputError, match="has no shards"):
        merge_collection(crawled / "one")


def test_every_table_of_a_catalogue_is_merged(tmp_path: Path) -> None:
    """A table that is new in the catalogue has to be merged too: here is where one hears of it."""
    others = {
        "pages",
        "rules",
        "reasons",
        "warcs",
        "outcomes",
        "refused_links",
        "robots",
        "runs",
        "facts",
        "texts",
    }
    connection = open_for_writing(tmp_path / "catalogue.db")
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'texts_%'"
    )
    assert {name for (name,) in rows} == others | {*OF_PAGE}
    connection.close()
