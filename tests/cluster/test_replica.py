"""A shard whose folder is lost is put back from its copy, and nothing that it was sent is missing."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from lycosa.cluster.division.division import refuse_lost, shard_directory
from lycosa.cluster.division.merging import merge_collection
from lycosa.cluster.division.replica import Place, Replica, copy_all, place_at, restore_lost
from lycosa.cluster.division.resizing import resize
from lycosa.engine.loop import NOTHING_LEFT
from lycosa.testing import Site
from tests.cluster.shards import contents, crawl_in_shards, of_shards
from tests.cluster.test_shards import HOSTS, PAGES, requests, text_for
from tests.collection.archives import records_of
from tests.crawling import crawl, small_web


def text_with_copies(site: Site, **more: int) -> str:
    return text_for(site, "best-first", **more) + '\n[cluster]\nreplicate = "copies"\n'


def lose(web: Path, shard: int, place: Place) -> str:
    """Lose the folder of a shard, and put it back; what is said of it."""
    shutil.rmtree(shard_directory(web, shard))
    said: list[str] = []
    restore_lost(web, place, said.append)
    refuse_lost(web)
    return " ".join(said)


async def test_a_lost_shard_is_put_back(tmp_path: Path) -> None:
    web, place = tmp_path / "web", place_at("copies", tmp_path)
    with Site(small_web(HOSTS, PAGES)) as site:
        await asyncio.to_thread(crawl, text_for(site), tmp_path / "one")
        site.log.clear()
        for limit in (20, 50):
            await crawl_in_shards(text_with_copies(site, pages=limit), web, 3)
            before = contents(of_shards(web, 3))
            assert "01 was gone: it is put back" in lose(web, 1, place)
            assert contents(of_shards(web, 3)) == before
        assert await crawl_in_shards(text_with_copies(site), web, 3) == NOTHING_LEFT
        assert set(requests(site).values()) == {1}
    assert contents(of_shards(web, 3)) == contents([tmp_path / "one"])
    for directory in of_shards(web, 3):
        records_of(directory / "archive")  # checks every digest


async def test_shards_that_have_moved_are_copied_as_they_are_then(tmp_path: Path) -> None:
    """One that does not run any more is put back with the pages that it has, and without the sources that others have."""
    web, place = tmp_path / "web", place_at("copies", tmp_path)
    with Site(small_web(HOSTS, PAGES)) as site:
        await crawl_in_shards(text_with_copies(site, pages=30), web, 3)
        assert resize(web, 2, "web", lambda _: None)
        copy_all(web, place)
        for shard in (1, 2):
            lose(web, shard, place)
        assert not resize(web, 2, "web", lambda _: None)
        assert await crawl_in_shards(text_with_copies(site), web, 2) == NOTHING_LEFT
        assert set(requests(site).values()) == {1}
    merge_collection(web)
    assert len(contents([web])["pages"]) == HOSTS * PAGES


async def test_others_keep_what_the_copy_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing could be copied for a while: what the shard found meanwhile is fetched again, what it was sent comes again."""

    def unreachable(*_: object) -> dict[int, int]:
        raise OSError("the disk of the copies is gone")

    web, place = tmp_path / "web", place_at("copies", tmp_path)
    with Site(small_web(HOSTS, PAGES)) as site:
        await asyncio.to_thread(crawl, text_for(site), tmp_path / "one")
        await crawl_in_shards(text_with_copies(site, pages=15), web, 3)
        with monkeypatch.context() as patch:
            patch.setattr(Replica, "copy", unreachable)
            await crawl_in_shards(text_with_copies(site, pages=60), web, 3)
        assert '"not copied"' in (shard_directory(web, 1) / "crawl.log").read_text(encoding="ascii")
        lose(web, 1, place)
        assert len(contents(of_shards(web, 3))["pages"]) < 60
        assert await crawl_in_shards(text_with_copies(site), web, 3) == NOTHING_LEFT
    found, one = contents(of_shards(web, 3)), contents([tmp_path / "one"])
    assert found["pages"] == one["pages"]
    assert found["links"] == one["links"]


async def test_a_crawl_ends_though_a_shard_was_made_anew(tmp_path: Path) -> None:
    """What it had confirmed comes no more: nobody waits for it."""
    with Site(small_web(HOSTS, PAGES)) as site:
        await crawl_in_shards(text_for(site, pages=40), tmp_path / "web", 3)
        shutil.rmtree(shard_directory(tmp_path / "web", 1))
        shard_directory(tmp_path / "web", 1).mkdir()
        assert await crawl_in_shards(text_for(site), tmp_path / "web", 3) == NOTHING_LEFT


def test_copies_may_be_wherever_fsspec_reaches(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="addresses such as s3://… need: pip install fsspec")
    place, file = place_at("memory://copies/web", tmp_path), tmp_path / "file"
    file.write_bytes(b"a segment")
    place.put(file, "01/archive/a.warc.gz/0-9")
    assert place.names("01") == ["archive/a.warc.gz/0-9"]
    assert place.names("02") == []
    place.get("01/archive/a.warc.gz/0-9", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == b"a segment"
