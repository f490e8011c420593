"""A crawl that is killed again and again ends like one that was not, and stays polite meanwhile.

Compared are, by URL, the pages with status, judgement, refusal and evidence, and their links with
target, anchor, priority and refusal. Not compared is what depends on the order of arrival: depth,
parent, times, WARC positions, and which of two near duplicates came first.

A hundred kills, with faults of the web: `make endurance`; a thousand: research/endurance/kills.py.
"""

from __future__ import annotations

import signal
import sqlite3
import time
from itertools import pairwise
from pathlib import Path
from random import Random
from subprocess import Popen
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.testing import Site
from tests.collection.archives import records_of
from tests.crawling import KEYWORDS, crawling, small_web, spec_text

HOSTS, PAGES = 10, 30  # of each host
KILLS = 3
DELAY_S = 0.02
POINTS = ("appended", "synced", "committed")


@pytest.mark.parametrize(("strategy", "points"), [("best-first", POINTS), ("fused", ())])
def test_kills_change_nothing(tmp_path: Path, strategy: str, points: tuple[str, ...]) -> None:
    """SIGKILL at random moments and between append, fsync and commit loses, repeats and hurries nothing."""
    with Site(small_web(HOSTS, PAGES)) as site:
        spec = tmp_path / "crawl.toml"
        spec.write_text(_spec(site, strategy), encoding="utf-8")
        with crawling(spec, tmp_path / "whole") as process:
            assert process.wait() == 0
        site.log.clear()
        committed = _crawl_with_kills(site, spec, tmp_path / "killed", points)
        whole, killed = _contents(tmp_path / "whole"), _contents(tmp_path / "killed")
    assert len(whole["pages"]) == HOSTS * PAGES
    for part in whole:
        assert killed[part] == whole[part], part
    assert len(records_of(tmp_path / "killed" / "archive")) > 3 * HOSTS * PAGES  # every digest is checked
    _assert_polite(site)
    _assert_nothing_twice(site, committed)


def _spec(site: Site, strategy: str) -> str:
    return spec_text(
        site,
        ["http://h0.test/"],
        top={"strategy": strategy},
        topic={"keywords": list(KEYWORDS)},
        judge={"kind": "all"},  # one that learns: test_refit
        limits={"pages": 10 * HOSTS * PAGES},
        frontier={"selectivity": 0},
        fetch={
            "per_host_delay_s": DELAY_S,
            "per_ip_concurrency": 64,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        },
        process={"workers": 1},
    )


def _crawl_with_kills(
    site: Site, spec: Path, out: Path, points: tuple[str, ...]
) -> list[tuple[int, set[str]]]:
    """Kill and resume; after each kill: how long the server's log was, and what was committed."""
    chance = Random(20)
    committed: list[tuple[int, set[str]]] = []
    for nth, point in enumerate(points, start=3):
        with crawling(spec, out, point, str(nth)) as process:
            assert process.wait() == -signal.SIGKILL
        committed.append(_after_kill(site, out))
    least = len(committed[-1][1]) if committed else 1
    for goal in sorted(chance.randrange(least, HOSTS * PAGES // 2) for _ in range(KILLS)):
        with crawling(spec, out) as process:
            _wait_for_pages(process, out, goal)
            time.sleep(chance.random() * 0.05)
            assert process.poll() is None, "the crawl ended before it could be killed"
            process.kill()
            process.wait()
        committed.append(_after_kill(site, out))
    with crawling(spec, out) as process:
        assert process.wait() == 0
    return committed


def _wait_for_pages(process: Popen[bytes], out: Path, goal: int) -> None:
    """Until this many pages are committed, and a few more than at the start of this run."""
    while process.poll() is None and not (out / "control.sock").exists():  # its catalogue is there
        time.sleep(0.02)
    connection = sqlite3.connect(f"file:{out / 'catalogue.db'}?mode=ro", uri=True)
    try:
        while process.poll() is None:
            (count,) = connection.execute("SELECT count(*) FROM pages").fetchone()
            if count >= goal:
                return
            time.sleep(0.02)
    finally:
        connection.close()


def _after_kill(site: Site, out: Path) -> tuple[int, set[str]]:
    time.sleep(0.05)  # what the dead process had sent is in the server's log now
    with Collection.open(out) as collection:
        urls = {page.link.url for page in collection.reader.pages()}
    return len(site.log), urls


def _contents(out: Path) -> dict[str, dict[Any, Any]]:
    pages, links, evidence = {}, {}, {}
    with Collection.open(out) as collection:
        reader = collection.reader
        for page in reader.pages():
            url = page.link.url
            pages[url] = (page.status, page.title, page.judgement, page.refusal)
            evidence[url] = (reader.evidence(page.id), reader.link_evidence(page.id), reader.text(page.id))
            for link in reader.links(page.id):
                links[url, link.position] = (link.target, link.anchor, link.priority, link.refusal, link.rule)
    return {"pages": pages, "links": links, "evidence": evidence}


def _assert_polite(site: Site) -> None:
    hosts = {request.host for request in site.log}
    assert len(hosts) == HOSTS
    for host in hosts:
        gaps = [after - before for before, after in pairwise(site.times(host))]
        assert min(gaps) >= DELAY_S, host


def _assert_nothing_twice(site: Site, committed: list[tuple[int, set[str]]]) -> None:
    for asked, urls in committed:
        again = {request.url for request in site.log[asked:]} & urls
        assert not again
