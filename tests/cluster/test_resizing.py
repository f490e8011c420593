"""Another number of shards between two runs: nothing is lost, nothing is fetched twice, whenever a move is cut off."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from lycosa.cluster.division import resizing
from lycosa.cluster.division.division import directories_in, division_in, note_division, shard_directory
from lycosa.cluster.division.merging import merge_collection
from lycosa.cluster.division.resizing import resize
from lycosa.cluster.division.slots import slot_of
from lycosa.collection.catalogue.schema import open_for_reading, open_for_writing
from lycosa.collection.shards.mail import Mail
from lycosa.collection.shards.moving import ShardCatalogue
from lycosa.engine.loop import NOTHING_LEFT
from lycosa.frontier.entry import DONE
from lycosa.frontier.merging import carried_in
from lycosa.testing import Site
from lycosa.urls import authority_of, key_of, source_of
from lycosa.values import Link
from tests.cluster.shards import contents, crawl_in_shards
from tests.cluster.test_shards import HOSTS, PAGES, assert_judged_alike, assert_polite, requests, text_for
from tests.crawling import crawl, small_web


def silent(_: str) -> None:
    pass


@pytest.mark.parametrize("sizes", [(2, 4, 3), (4, 1, 2)])
async def test_a_crawl_goes_on_with_another_number_of_shards(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    with Site(small_web(HOSTS, PAGES)) as site:
        await asyncio.to_thread(crawl, text_for(site), tmp_path / "one")
        site.log.clear()
        for run, shards in enumerate(sizes):
            limit = 25 * (run + 1)
            text = text_for(site, pages=limit)
            assert await crawl_in_shards(text, tmp_path / "web", shards) == f"limits.pages = {limit} reached"
        assert await crawl_in_shards(text_for(site), tmp_path / "web", sizes[-1]) == NOTHING_LEFT
        assert set(requests(site).values()) == {1}  # pages and robots.txt
        assert_polite(site)
    merge_collection(tmp_path / "web")
    assert contents([tmp_path / "web"]) == contents([tmp_path / "one"])
    assert contents(directories_in(tmp_path / "web")) == contents([tmp_path / "one"])


async def test_pages_of_shards_that_do_not_run_any_more_are_judged_too(tmp_path: Path) -> None:
    """They teach the judge, and are judged by its last version like all others."""
    with Site(small_web(HOSTS, PAGES)) as site:
        text = text_for(site).replace('kind = "all"', 'kind = "topic"')
        await asyncio.to_thread(crawl, text, tmp_path / "one")
        await crawl_in_shards(text.replace("pages = 10000", "pages = 40"), tmp_path / "web", 3)
        await crawl_in_shards(text, tmp_path / "web", 1)
    merge_collection(tmp_path / "web")
    assert_judged_alike(directories_in(tmp_path / "web"), [tmp_path / "one"])
    assert_judged_alike([tmp_path / "web"], [tmp_path / "one"])


async def test_a_crawl_in_one_process_becomes_one_of_shards(tmp_path: Path) -> None:
    with Site(small_web(HOSTS, PAGES)) as site:
        await asyncio.to_thread(crawl, text_for(site), tmp_path / "one")
        site.log.clear()
        await asyncio.to_thread(crawl, text_for(site, pages=20), tmp_path / "web")
        assert await crawl_in_shards(text_for(site), tmp_path / "web", 3) == NOTHING_LEFT
        again = {url for url, count in requests(site).items() if count > 1}
        # Only what the spec names is asked for again, when the shards are prepared.
        assert again <= {"http://h3.test/p1", "http://h3.test/robots.txt"}
        assert_polite(site)
    merge_collection(tmp_path / "web")
    assert contents([tmp_path / "web"]) == contents([tmp_path / "one"])


def state(directory: Path) -> dict[str, Any]:
    """What all shards know together, by owner: URLs, mail that nobody has, robots.txt, how good sources are."""
    found: dict[str, Any] = {
        "urls": {},
        "mail": [],
        "robots": set(),
        "sources": {},
        "carried": {},
        "leases": set(),
    }
    division = division_in(directory)
    assert division is not None
    boxes = [Mail(open_for_writing(folder / "catalogue.db")) for folder in directories_in(directory)]
    for shard, folder in enumerate(directories_in(directory)):
        with closing(open_for_reading(folder / "catalogue.db")) as connection:
            for key, source, *rest in connection.execute(
                "SELECT hash, sources.name, state, priority, path, pages, done, may_go_at FROM urls"
                " JOIN authorities ON authorities.id = authority JOIN sources ON sources.id = source"
            ):
                assert key not in found["urls"], "a URL is in two shards"
                assert division.owners[slot_of(source)] == shard
                found["urls"][key] = (source, *rest)
            for (authority,) in connection.execute("SELECT authority FROM robots"):
                if division.owners[slot_of(source_of(authority_of(authority)))] == shard:
                    found["robots"].add(authority)
            for source, good, bad in connection.execute("SELECT name, good, bad FROM sources"):
                if division.owners[slot_of(source)] == shard:
                    found["sources"][source] = good, bad
            found["leases"] |= {
                key for (key,) in connection.execute("SELECT hash FROM leases JOIN urls USING (id)")
            }
            found["carried"] |= carried_in(connection)
        for receiver, box in enumerate(boxes):
            taken_in = box.taken_in.get(shard, 0)
            found["mail"] += [link.url for link in boxes[shard].unconfirmed(receiver, taken_in)]
    found["mail"].sort()
    return found


def link_to(url: str) -> Link:
    return Link(url, key_of(url), priority=0.5)


def write_mail(directory: Path) -> None:
    """Every shard has sent every other two links, of which that has the first."""
    boxes = [Mail(open_for_writing(folder / "catalogue.db")) for folder in directories_in(directory)]
    for sender, box in enumerate(boxes):
        for receiver, other in enumerate(boxes):
            if sender != receiver:
                urls = [f"http://h{number}.test/from{sender}to{receiver}" for number in range(8)]
                box.send(receiver, [link_to(url) for url in urls])
                parcel = box.parcel(sender, receiver, 1)
                assert parcel is not None
                other.take_in(parcel)


def killed_at(step: int) -> None:
    """This process is killed when a move has come to this step: before and after every commit and every note."""
    passed = iter(range(step))

    def go_on() -> None:
        if next(passed, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    plain, note = ShardCatalogue.transaction, note_division

    @contextmanager
    def transaction(catalogue: ShardCatalogue) -> Iterator[None]:
        with plain(catalogue):
            yield
            go_on()
        go_on()

    def noted(*arguments: Any) -> None:
        go_on()
        note(*arguments)
        go_on()

    patch = pytest.MonkeyPatch()  # of a process of its own: nothing has to be put back
    patch.setattr(ShardCatalogue, "transaction", transaction)
    patch.setattr(resizing, "note_division", noted)


def in_child(work: Callable[[], None]) -> int:
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join()
    return child.exitcode or 0


def resize_until(directory: Path, shards: int, step: int) -> None:
    killed_at(step)
    resize(directory, shards, "web", silent)


@pytest.mark.parametrize(("before", "after"), [(2, 3), (3, 2), (1, 2)])
async def test_a_move_that_is_killed_anywhere_is_finished(tmp_path: Path, before: int, after: int) -> None:
    """It is killed at each of its steps, and then made again: as if it had never been cut off."""
    with Site(small_web(HOSTS, PAGES)) as site:
        if before == 1:  # crawled in one process
            await asyncio.to_thread(crawl, text_for(site, pages=20), tmp_path / "web")
        else:
            await crawl_in_shards(text_for(site, pages=20), tmp_path / "web", before)
            write_mail(tmp_path / "web")
    shutil.copytree(tmp_path / "web", tmp_path / "whole")
    resize(tmp_path / "whole", after, "web", silent)
    expected = state(tmp_path / "whole")
    assert len(expected["urls"]) > 20
    assert any(url[1] == DONE for url in expected["urls"].values())
    assert bool(expected["mail"]) == (before > 1)
    step = killed = 0
    while killed == step:
        copy = tmp_path / f"copy{step}"
        shutil.copytree(tmp_path / "web", copy)
        killed += in_child(lambda copy=copy, step=step: resize_until(copy, after, step)) == -signal.SIGKILL  # type: ignore[misc]
        resize(copy, after, "web", silent)
        assert state(copy) == expected, f"killed at step {step}"
        shutil.rmtree(copy)
        step += 1
    assert killed > 10


async def test_what_was_known_of_a_source_moves_with_it(tmp_path: Path) -> None:
    """There and back: what its pages say of a source that another shard has is neither lost nor counted twice."""
    with Site(small_web(HOSTS, PAGES)) as site:
        await crawl_in_shards(text_for(site, pages=40), tmp_path / "web", 2)
    before = state(tmp_path / "web")
    for shards in (5, 1, 2):
        resize(tmp_path / "web", shards, "web", silent)
        now = state(tmp_path / "web")
        assert now["sources"] == before["sources"]
        assert now["urls"] == before["urls"]
        assert now["robots"] == before["robots"]
    assert shard_directory(tmp_path / "web", 4).is_dir()
