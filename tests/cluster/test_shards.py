"""Several shards find what one finds, fetch nothing twice, and stay polite, whatever happens to their messages."""

from __future__ import annotations

import asyncio
import math
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from lycosa.cluster.coordination.coordinator import Coordinator
from lycosa.cluster.coordination.exchange import coordinate
from lycosa.cluster.coordination.messages import Report
from lycosa.cluster.division import Division
from lycosa.cluster.frontier import MAX_TOLD, TOLD_AGAIN, SharedMemoryFrontier
from lycosa.cluster.running import run_shard, shard_of
from lycosa.cluster.shared_learning import OthersLessons
from lycosa.collection.collection import Collection
from lycosa.engine.loop import NOTHING_LEFT, Crawl
from lycosa.engine.rules.limits import Limits
from lycosa.frontier import Policy
from lycosa.learn.judges.version import saved_versions
from lycosa.testing import Site, Web, links, redirect
from lycosa.testing.responses import Raw, Request, Wire, html
from lycosa.values import Decision, Kind, Link, Merge, Outcome
from tests.cluster.shards import (
    PATIENCE_S,
    InProcess,
    Unreliable,
    contents,
    coordinator_of,
    crawl_in_shards,
    of_shards,
    plan_for,
)
from tests.crawling import KEYWORDS, crawl, small_web, spec_text
from tests.frontier.offers import key, offer, url_of

HOSTS, PAGES = 12, 8  # of each host
DELAY_S = 0.02


def text_for(site: Site, strategy: str = "best-first", **more: object) -> str:
    return spec_text(
        site,
        ["http://h0.test/"],
        top={"strategy": strategy, "name": "web"},
        topic={"keywords": list(KEYWORDS), "examples": ["http://h3.test/p1"]},
        judge={"kind": "all"},
        limits={"pages": 10_000, **more},
        fetch={
            "per_host_delay_s": DELAY_S,
            "per_ip_concurrency": 64,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        },
    )


def requests(site: Site) -> Counter[str]:
    return Counter(request.url for request in site.log)


def assert_polite(site: Site) -> None:
    for host in {request.host for request in site.log}:
        assert min(after - before for before, after in pairwise(site.times(host))) >= DELAY_S, host


@pytest.mark.parametrize(
    ("shards", "strategy"), [(1, "best-first"), (2, "best-first"), (4, "best-first"), (3, "fused")]
)
async def test_shards_find_what_one_finds(tmp_path: Path, shards: int, strategy: str) -> None:
    """The same pages, judgements and links; every URL is asked for once, every host by one shard."""
    with Site(small_web(HOSTS, PAGES)) as site:
        text = text_for(site, strategy)
        await asyncio.to_thread(crawl, text, tmp_path / "one")
        site.log.clear()
        assert await crawl_in_shards(text, tmp_path / "web", shards) == NOTHING_LEFT
        assert set(requests(site).values()) == {1}
        assert_polite(site)
    one, several = contents([tmp_path / "one"]), contents(of_shards(tmp_path / "web", shards))
    assert len(one["pages"]) == HOSTS * PAGES
    if strategy == "fused":  # what it has learned, and so its priorities, depend on the order of pages
        del one["links"], several["links"]
    for part in one:
        assert several[part] == one[part], part
    division = Division(shards)
    for shard, directory in enumerate(of_shards(tmp_path / "web", shards)):
        assert {division.owner_of(url) for url in contents([directory])["pages"]} == {shard}


class Learning:
    """Conclusions of a strategy that only remembers what it was taught."""

    def __init__(self) -> None:
        self.strategy = self
        self.records = object()
        self.taught: list[str] = []
        self.rescored = 0

    def learn(self, link: Link, *_: object) -> None:
        self.taught.append(link.url)

    def rescore(self) -> None:
        self.rescored += 1


async def test_a_strategy_learns_from_all_shards(tmp_path: Path) -> None:
    """Each page of the others once, at the set points of the judge; what it has learned has a number."""
    web, noted = tmp_path / "web", list[tuple[int, int]]()
    with Site(small_web(HOSTS, PAGES)) as site:
        await crawl_in_shards(text_for(site, "fused", pages=30), web, 3)
        others, conclusions = of_shards(web, 3)[1:], Learning()
        lessons = OthersLessons(others, lambda *version: noted.append(version))
        for pages in (9, 10, 19):
            lessons.teach(conclusions, pages)  # type: ignore[arg-type]
        assert len(noted) == 1
        await crawl_in_shards(text_for(site, "fused"), web, 3)
        lessons.teach(conclusions, HOSTS * PAGES)  # type: ignore[arg-type]
    assert sorted(conclusions.taught) == sorted(contents(others)["pages"])
    assert [version for version, _ in noted] == [1, 2]
    assert noted[-1][1] == len(conclusions.taught)
    assert conclusions.rescored == 2
    for directory in of_shards(web, 3):  # and so has each shard of the crawl itself
        events = (directory / "crawl.log").read_text(encoding="ascii").splitlines()
        assert any('"learned from other shards"' in line for line in events)


async def test_messages_may_be_lost_doubled_and_late(tmp_path: Path) -> None:
    with Site(small_web(HOSTS, PAGES)) as site:
        text = text_for(site)
        await asyncio.to_thread(crawl, text, tmp_path / "one")
        site.log.clear()
        ended = await crawl_in_shards(text, tmp_path / "web", 3, Unreliable(Random(7)))
        assert ended == NOTHING_LEFT
        assert set(requests(site).values()) == {1}
    assert contents(of_shards(tmp_path / "web", 3)) == contents([tmp_path / "one"])


async def test_a_crawl_ends_though_a_shard_was_made_anew(tmp_path: Path) -> None:
    """What it had confirmed comes no more: nobody waits for it."""
    with Site(small_web(HOSTS, PAGES)) as site:
        await crawl_in_shards(text_for(site, pages=40), tmp_path / "web", 3)
        folder = of_shards(tmp_path / "web", 3)[1]
        shutil.rmtree(folder)
        folder.mkdir()
        assert await crawl_in_shards(text_for(site), tmp_path / "web", 3) == NOTHING_LEFT


class Replaced(Exception):
    """A coordinator has died, and another one comes."""


def dies_after(rounds: int) -> Callable[[], None]:
    left = iter(range(rounds))

    def after_round() -> None:
        if next(left, None) is None:
            raise Replaced

    return after_round


async def test_coordinators_come_and_go(tmp_path: Path) -> None:
    """One that is started again hears of all shards and goes on; what its predecessor ordered is void."""
    with Site(small_web(HOSTS, PAGES)) as site:
        text = text_for(site, pages=50)
        plan, exchange = await plan_for(text, tmp_path / "web", 3), InProcess()
        exchange.shards = {number: shard_of(plan, number, exchange.deliver) for number in range(3)}
        running = [asyncio.ensure_future(run_shard(plan, shard)) for shard in exchange.shards.values()]
        coordinator, term = coordinator_of(plan, 1.0), 1.0
        while not coordinator.is_over:
            term += 1
            coordinator = coordinator_of(plan, term)
            with suppress(Replaced):
                await coordinate(coordinator, exchange, every_s=(0.02, 0.02), after_round=dies_after(8))
        await asyncio.gather(*running)
    assert coordinator.ended == "limits.pages = 50 reached"
    assert len(contents(of_shards(tmp_path / "web", 3))["pages"]) == 50


async def test_the_budget_is_one(tmp_path: Path) -> None:
    """Exactly as many pages as the limit says are fetched, by however many shards, and then more when it is raised."""
    with Site(small_web(HOSTS, PAGES)) as site:
        for limit in (17, 40):
            ended = await crawl_in_shards(text_for(site, pages=limit), tmp_path / "web", 5)
            assert ended == f"limits.pages = {limit} reached"
            pages = [url for url, count in requests(site).items() if "robots.txt" not in url and count == 1]
            assert len(pages) == limit


async def test_shards_that_die_lose_nothing(tmp_path: Path) -> None:
    """A shard is cut off again and again at any moment, and begins from its folder."""
    chance = Random(3)
    with Site(small_web(HOSTS, PAGES)) as site:
        text = text_for(site)
        await asyncio.to_thread(crawl, text, tmp_path / "one")
        plan, exchange = await plan_for(text, tmp_path / "web", 3), InProcess()
        running: dict[int, asyncio.Task[None]] = {}

        def begin(number: int) -> None:
            exchange.shards[number] = shard_of(plan, number, exchange.deliver)
            running[number] = asyncio.ensure_future(run_shard(plan, exchange.shards[number]))

        for number in range(3):
            begin(number)
        coordinating = asyncio.ensure_future(coordinate(coordinator_of(plan), exchange, every_s=(0.05, 0.05)))
        for _ in range(6):
            await asyncio.sleep(chance.random() * 0.5)
            victim = chance.randrange(3)
            if coordinating.done():
                break
            running[victim].cancel()
            await asyncio.gather(running[victim], return_exceptions=True)
            begin(victim)
        async with asyncio.timeout(PATIENCE_S):
            await coordinating
            for task in running.values():
                task.cancel()  # one that was killed after it had ended has begun again, and nobody tells it anything
            await asyncio.gather(*running.values(), return_exceptions=True)
    assert contents(of_shards(tmp_path / "web", 3)) == contents([tmp_path / "one"])


@pytest.mark.parametrize("ticks", range(4))
async def test_a_cancel_that_comes_with_a_call_is_not_lost(ticks: int) -> None:
    """Else a shard that is to die goes on, and nobody tells it anything any more."""
    crawl = Crawl.__new__(Crawl)
    crawl.peers = Mock()
    crawl._call, crawl._look = asyncio.Event(), asyncio.Event()

    async def sleep_again_and_again() -> None:
        while True:
            await crawl._sleep(600)

    task = asyncio.ensure_future(sleep_again_and_again())
    for _ in range(3):
        await asyncio.sleep(0)
    crawl.call()
    for _ in range(ticks):
        await asyncio.sleep(0)
    task.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert task.cancelled()


class Counted:
    """A web that counts how many of its pages are asked for at once, and takes its time for each."""

    def __init__(self, web: Mapping[str | tuple[str, str], str]) -> None:
        self.now = self.at_most = 0
        self.pages: Web = {place: Raw(partial(self._talk, text)) for place, text in web.items()}

    async def _talk(self, text: str, _: Request, wire: Wire) -> None:
        self.now += 1
        self.at_most = max(self.at_most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        await wire.send(html(text).plain)


@pytest.mark.parametrize("delay_s", [0.0, 0.03])
async def test_an_address_is_asked_by_one_shard_at_a_time(tmp_path: Path, delay_s: float) -> None:
    """All hosts have one address: what one process spares it, all shards together do."""
    web = Counted(small_web(5, 4))
    with Site(web.pages) as site:
        bounds = f"per_ip_concurrency = 1\nper_ip_delay_s = {delay_s}"
        text = text_for(site).replace("per_ip_concurrency = 64", bounds)
        assert bounds in text
        assert await crawl_in_shards(text, tmp_path / "web", 3) == NOTHING_LEFT
        assert set(requests(site).values()) == {1}
        times = sorted(request.time for request in site.log)
        assert min(after - before for before, after in pairwise(times)) >= delay_s
    assert web.at_most == 1
    found = [len(contents([directory])["pages"]) for directory in of_shards(tmp_path / "web", 3)]
    assert sum(found) == 5 * 4
    assert sum(map(bool, found)) > 1


async def test_redirects_lead_to_other_shards(tmp_path: Path) -> None:
    web: Web = {
        ("h0.test", "/"): redirect("http://h1.test/a"),
        ("h1.test", "/a"): links("http://h2.test/b"),
        ("h2.test", "/b"): "<p>granite summit",
    }
    with Site(web) as site:
        text = spec_text(site, ["http://h0.test/"], top={"strategy": "breadth-first", "name": "web"})
        await crawl_in_shards(text, tmp_path / "web", 8)
    pages = contents(of_shards(tmp_path / "web", 8))["pages"]
    assert {url: page[0] for url, page in pages.items()} == {
        "http://h0.test/": 302,
        "http://h1.test/a": 200,
        "http://h2.test/b": 200,
    }


def test_nobody_fetches_before_all_are_known() -> None:
    """A coordinator that was started again does not know what a silent shard was granted."""
    coordinator = Coordinator(2, Limits(pages=10), term=1.0)
    coordinator.hear(Report(shard=0, granted=3, pages=1, best=(0.9,) * 20))
    assert [orders.granted for orders in coordinator.round()] == [3, 0]
    coordinator.hear(Report(shard=1, granted=2, pages=2, best=(0.5,)))
    assert sum(orders.granted or 0 for orders in coordinator.round()) <= 10


def test_pages_are_granted_whoever_was_heard_of_first() -> None:
    """What a shard has is counted as its own: else one that has more than its part leaves nothing for anybody."""
    coordinator = Coordinator(2, Limits(pages=1000), term=1.0)
    for shard, pages in ((1, 255), (0, 515)):
        coordinator.hear(Report(shard=shard, pages=pages, granted=pages, waiting=9, best=(0.5,) * 9))
    granted = [orders.granted or 0 for orders in coordinator.round()]
    assert granted[0] > 515
    assert granted[1] > 255
    assert sum(granted) <= 1000


def test_rounds_are_longer_where_no_shard_waits_for_orders() -> None:
    coordinator = Coordinator(2, Limits(pages=1000), term=1.0)
    for pages in (0, 4):
        for shard in (0, 1):
            coordinator.hear(Report(shard=shard, pages=pages, waiting=9, flying=4, granted=500))
        coordinator.round()
    assert coordinator.pause_s(0.2) == pytest.approx(0.4)  # 8 pages in 0.2 s, of 16 that are enough
    coordinator.hear(Report(shard=1, pages=4, waiting=9, granted=500))
    assert coordinator.pause_s(0.4) == 0


def test_the_price_counts_priorities_as_the_choice_does() -> None:
    """A site that has had its share counts less in both: a shard that offers more than it then takes waits for ever."""
    frontier = SharedMemoryFrontier(
        Policy(max_waiting=100, site_share=1), shard=0, division=Division(1), send=lambda *_: None
    )
    frontier.add([offer("a/1", 0.9), offer("a/2", 0.8), offer("b/1", 0.5)])
    first = frontier.take(0.0)
    assert first is not None
    frontier.done(first, Outcome(0.0))
    frontier.price = frontier.best(0.0)[0]
    assert frontier.price == 0.5
    assert frontier.take(0.0) is not None


PRIORITIES = st.sampled_from([-math.inf, math.nan, 0.1, 0.1 + 1e-12, 0.5, 0.9])


def offers(trails: int) -> st.SearchStrategy[tuple[int, float, int, int]]:
    """Links as (URL, priority, trail, depth)."""
    return st.tuples(st.integers(0, 3), PRIORITIES, st.integers(0, trails), st.integers(0, 3))


@settings(max_examples=300)
@given(
    # One that arrives while its URL is taken is lost in one process too: only a later one would select what was explored.
    st.lists(offers(2), max_size=40) | st.lists(offers(0) | st.sampled_from(["take", "end"]), max_size=40)
)
def test_links_that_say_nothing_new_are_not_sent(steps: list[tuple[int, float, int, int] | str]) -> None:
    """Their owner takes the same URLs, found on the same pages, as if it had heard of every link."""
    sent: list[Link] = []
    division = Division(2)
    names = [
        name for name in (f"h{number}/1" for number in range(30)) if division.owner_of(url_of(name)) == 1
    ]
    sender = SharedMemoryFrontier(
        Policy(max_waiting=1000), shard=0, division=division, send=lambda _, links: sent.extend(links)
    )
    ours, theirs = (
        SharedMemoryFrontier(
            Policy(max_waiting=1000), shard=1, division=division, send=Mock(side_effect=AssertionError)
        )
        for _ in "ab"
    )
    taken: list[Link] = []
    for number, step in enumerate(steps):
        if step == "take":
            links = [ours.take(0.0), theirs.take(0.0)]
            assert links[0] == links[1]
            taken += [link for link in links[:1] if link]
        elif step == "end" and taken:
            link = taken.pop()
            for frontier in (ours, theirs):
                frontier.done(link, Outcome(0.0))
        elif not isinstance(step, str):
            name, priority, trail, depth = step
            decision = offer(names[name], priority, trail=trail, depth=depth, parent=number)
            sent.clear()
            sender.add([decision])
            ours.add([Decision(link, link.priority) for link in sent])
            theirs.add([Decision(replace(decision.link, priority=priority), priority)])
            for known in names[:4]:
                assert ours.find(key(known)) == theirs.find(key(known))


def test_what_is_sent_again_and_again() -> None:
    """A better link, one with a record, every one where links are summed up, and one in sixteen of the others."""
    send = Mock()
    frontier = SharedMemoryFrontier(Policy(max_waiting=1000), shard=1, division=Division(1), send=send)

    def is_sent(decision: Decision, merge: Merge = Merge.MAX) -> bool:
        send.reset_mock()
        frontier.add([decision], merge)
        return bool(send.called)

    assert is_sent(offer("a/1", 0.5, depth=3))
    assert not is_sent(offer("a/1", 0.5, depth=3))
    assert is_sent(offer("a/1", 0.5, depth=2))
    assert is_sent(offer("a/1", 0.6, depth=4))
    assert not is_sent(offer("a/1", 0.6, depth=2))
    assert is_sent(offer("a/1", 0.1, record=b"more"))
    assert is_sent(offer("a/1", 0.1), Merge.SUM)
    assert is_sent(offer("a/1", 0.1, kind=Kind.LIST))
    assert not is_sent(offer("a/1", 0.1, kind=Kind.IMAGE))
    assert sum(is_sent(offer("a/1", 0.6, depth=4)) for _ in range(10 * TOLD_AGAIN)) == 10
    for number in range(MAX_TOLD):
        frontier.add([offer(f"b/{number}")])
    assert is_sent(offer("a/1", 0.6, depth=4))


async def test_the_judge_learns_from_all_shards(tmp_path: Path) -> None:
    """When the crawl has ended, every page is judged as one process judges it that has seen the same pages."""
    with Site(small_web(HOSTS, PAGES)) as site:
        text = text_for(site).replace('kind = "all"', 'kind = "topic"')
        await asyncio.to_thread(crawl, text, tmp_path / "one")
        await crawl_in_shards(text, tmp_path / "web", 3)
    shards = of_shards(tmp_path / "web", 3)
    assert_judged_alike(shards, [tmp_path / "one"])
    fitted, *followed = [set(saved_versions(directory / "models")) for directory in shards]
    assert all(versions <= fitted for versions in followed)  # one shard fits, for all
    with Collection.open(shards[0]) as first, Collection.open(shards[2]) as last:
        assert first.reader.judge_version() == last.reader.judge_version() == max(fitted)


def assert_judged_alike(some: list[Path], others: list[Path]) -> None:
    """The same pages, with the same judgements but for what the order of a sum does to a score."""
    ours, theirs = contents(some)["pages"], contents(others)["pages"]
    assert ours.keys() == theirs.keys()
    for url, (_, _, judgement, _) in ours.items():
        assert theirs[url][2].relevant == judgement.relevant, url
        assert theirs[url][2].score == pytest.approx(judgement.score, abs=1e-6), url
