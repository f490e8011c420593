"""A collection that goes on under another strategy, topic or judge is judged anew from its archive."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.errors import InputError
from lycosa.learn.judges.version import load_version
from lycosa.learn.topic import load_topic
from lycosa.testing import Page, Site, links
from tests.crawling import TOPIC, crawl, kept, pages_of, small_web, spec_text
from tests.toys import add_toys

FOCUSED: dict[str, dict[str, Any]] = TOPIC | {"judge": {"kind": "topic", "threshold": 0.4}}


@pytest.fixture
def site() -> Any:
    with Site(small_web(3, 40)) as local:
        yield local


def _fetch(site: Site) -> dict[str, Any]:
    return {
        "per_host_delay_s": 0,
        "concurrency": 1,
        "connect_to": site.connect_to,
        "allow_private": list(site.allow_private),
    }


def _spec(site: Site, pages: int, **sections: dict[str, Any]) -> str:
    return spec_text(site, ["http://h0.test/"], limits={"pages": pages}, fetch=_fetch(site), **sections)


def _conclusions(out: Path) -> dict[str, Any]:
    """What was concluded of each page and its links."""
    found = {}
    with Collection.open(out) as collection:
        for page in collection.reader.pages():
            links = [
                (link.target, link.priority, link.rule, link.refusal)
                for link in collection.reader.links(page.id)
            ]
            evidence = collection.reader.evidence(page.id)
            found[page.link.url] = (page.judgement, page.refusal, evidence, links)
    return found


def _relevant(out: Path) -> list[str]:
    return [url for url, page in pages_of(out).items() if page.judgement and page.judgement.relevant]


def _waiting(out: Path) -> dict[int, float]:
    connection = sqlite3.connect(out / "catalogue.db")
    try:
        return dict(connection.execute("SELECT hash, priority FROM urls WHERE state = 2"))
    finally:
        connection.close()


def test_a_changed_strategy_judges_as_if_it_had_crawled(site: Site, tmp_path: Path) -> None:
    """Breadth-first, then best-first: the same pages say what a focused crawl would have said of them."""
    focused = FOCUSED | {
        "judge": {"kind": "all"}
    }  # one that learns judges by all pages, which are others here
    crawl(_spec(site, 30), tmp_path / "out")
    asked = len(site.log)
    said: list[str] = []
    crawl(_spec(site, 30, **focused), tmp_path / "out", say=said.append)
    assert len(site.log) == asked  # nothing was fetched for it
    assert len(kept(tmp_path / "out")) == 30
    assert any("judged again" in line for line in said)
    crawl(_spec(site, 1000, **focused), tmp_path / "fresh")
    fresh, again = _conclusions(tmp_path / "fresh"), _conclusions(tmp_path / "out")
    assert again == {url: fresh[url] for url in again}
    offered: dict[int, float] = {}
    for _, _, _, found in again.values():
        for target, priority, _, _ in found:
            offered[target] = max(priority, offered.get(target, 0.0))
    waiting = _waiting(tmp_path / "out")
    assert waiting
    assert waiting == {key: offered[key] for key in waiting}
    with Collection.open(tmp_path / "out") as collection:
        counts = collection.reader.counts()
    assert counts.relevant == sum(judgement.relevant for judgement, *_ in again.values())


def test_pages_are_judged_by_what_is_learned_from_all_of_them(site: Site, tmp_path: Path) -> None:
    """Breadth-first, every page wanted, then a topic: one version that has seen all pages judges them."""
    out = tmp_path / "out"
    crawl(_spec(site, 30), out)
    crawl(_spec(site, 30, **FOCUSED), out)
    with Collection.open(out) as collection:
        number = collection.reader.judge_version()
        judgements = [page.judgement for page in collection.reader.pages() if page.judgement]
    version = load_version(out / "models", number)
    assert version.pages == 30
    assert {judgement.rule for judgement in judgements} == {version.rule}


def test_links_that_the_new_strategy_refuses_wait_no_longer(site: Site, tmp_path: Path) -> None:
    """A threshold drops them; seeds that were not fetched yet still wait."""
    seeds = {"urls": ["http://h0.test/", "http://h2.test/p39"]}
    crawl(_spec(site, 20, **FOCUSED, seeds=seeds), tmp_path / "out")
    before = _waiting(tmp_path / "out")
    strict = FOCUSED | {"best-first": {"url_threshold": 0.5}}
    summary = crawl(_spec(site, 20, **strict, seeds=seeds), tmp_path / "out")
    after = _waiting(tmp_path / "out")
    assert 0 < len(after) < len(before)
    assert all(priority >= 0.5 for priority in after.values())
    assert summary.waiting == len(after)


def test_a_changed_topic_is_prepared_anew(site: Site, tmp_path: Path) -> None:
    """The saved topic is replaced, and relevance follows the new one."""
    crawl(_spec(site, 30, **FOCUSED), tmp_path / "out")
    first = (tmp_path / "out" / "models" / "topic.json").read_text()
    relevant = set(_relevant(tmp_path / "out"))
    other = FOCUSED | {"topic": {"keywords": ["kart", "lolm", "nund"]}}
    crawl(_spec(site, 30, **other), tmp_path / "out")
    assert (tmp_path / "out" / "models" / "topic.json").read_text() != first
    assert relevant != set(_relevant(tmp_path / "out"))


def test_a_topic_edited_by_hand_judges_all_pages_again(site: Site, tmp_path: Path) -> None:
    """models/topic.json counts as it stands; once: the next run has nothing to judge again."""
    out = tmp_path / "out"
    crawl(_spec(site, 30, **FOCUSED), out)
    path = out / "models" / "topic.json"
    topic = json.loads(path.read_text(encoding="utf-8"))
    before, edited = set(_relevant(out)), dict.fromkeys(("kart", "lolm", "nund"), 1.0)
    path.write_text(json.dumps(topic | {"vector": edited, "keywords": edited}), encoding="utf-8")
    said: list[str] = []
    crawl(_spec(site, 30, **FOCUSED), out, say=said.append)
    assert any("judged again" in line for line in said)
    assert load_topic(path).vector == edited
    assert set(_relevant(out)) != before
    said.clear()
    crawl(_spec(site, 30, **FOCUSED), out, say=said.append)
    assert not any("judged again" in line for line in said)


def test_refused_links_are_counted_as_they_are_now(site: Site, tmp_path: Path) -> None:
    """Judged again and again, each link counts once, for the reason that it has now."""
    for scope in ({"hosts": ["h0.test"]}, {"exclude": ["/p1*"]}, {"hosts": ["h0.test"]}):
        crawl(_spec(site, 12, scope=scope, **FOCUSED), tmp_path / "out")
        with Collection.open(tmp_path / "out") as collection:
            rows = collection.connection.execute(
                "SELECT refusal, count(*) FROM links WHERE refusal IS NOT NULL GROUP BY refusal"
            )
            counted = collection.connection.execute("SELECT reason, links FROM refused_links")
            assert dict(rows) == dict(counted)


def test_nothing_is_judged_again_without_need(site: Site, tmp_path: Path) -> None:
    """Other limits, scope or politeness change no judgement."""
    crawl(_spec(site, 10, **FOCUSED), tmp_path / "out")
    said: list[str] = []
    crawl(_spec(site, 20, **FOCUSED), tmp_path / "out", say=said.append)
    assert not any("judged again" in line for line in said)


def test_judging_again_that_was_cut_short_starts_over(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash in the middle leaves no mixture: the next run begins it again."""
    crawl(_spec(site, 30), tmp_path / "out")
    monkeypatch.setattr("lycosa.engine.catch_up.rejudge.BATCH", 10)
    commits = 0

    def fail(point: str) -> None:
        nonlocal commits
        commits += point == "committed"
        if commits == 4:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        crawl(_spec(site, 30, **FOCUSED), tmp_path / "out", pause_points=fail)
    crawl(_spec(site, 30, **FOCUSED), tmp_path / "out")
    crawl(_spec(site, 30), tmp_path / "other")
    crawl(_spec(site, 30, **FOCUSED), tmp_path / "other")
    assert _conclusions(tmp_path / "out") == _conclusions(tmp_path / "other")
    assert _waiting(tmp_path / "out") == _waiting(tmp_path / "other")


def test_held_links_are_held_and_settled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy with holds that takes over a collection decides on every link that still waits."""
    add_toys(monkeypatch)
    web: dict[str | tuple[str, str], Page] = {
        "/": links("/profile", "/page", "/detail", "/detail/anyway"),
        "/page": "<p>Q.",
        "/profile": "<p>P.",
    }
    with Site(web | {"/detail/anyway": "<p>D."}) as site:
        crawl(_spec(site, 3), tmp_path / "out")
        summary = crawl(_spec(site, 10, top={"strategy": "patient"}), tmp_path / "out")
        assert not site.hits("http://h0.test/detail")
    assert summary.pages == 4
    with Collection.open(tmp_path / "out") as collection:
        decided = [(link.hold, link.rule) for link in collection.reader.links(1)]
    rules = ["a profile", "a page", "without a profile", "without a profile"]
    assert decided == [("", rule) for rule in rules]


@pytest.mark.parametrize(
    ("section", "narrow"),
    [
        ("scope", {"depth": 1}),
        ("scope", {"hosts": ["h0.test"]}),
        ("scope", {"languages": ["xx"], "unknown_language": False}),
        ("limits", {"pages": 200, "pages_per_host": 3}),
    ],
)
def test_a_wider_scope_takes_what_was_refused(
    tmp_path: Path, site: Site, section: str, narrow: dict[str, Any]
) -> None:
    """Without the bound that ended it, a crawl goes on as if it had never been there."""
    out = tmp_path / "out"
    sections = {"limits": {"pages": 200}, "fetch": _fetch(site)}
    first = crawl(spec_text(site, ["http://h0.test/"], **(sections | {section: narrow})), out)
    assert first.ended == "nothing is left to fetch"
    second = crawl(spec_text(site, ["http://h0.test/"], **sections), out)
    assert first.pages < second.pages == len(pages_of(out)) == 120


def test_what_a_failed_run_prepared_is_not_used(tmp_path: Path, site: Site) -> None:
    """A run that ended before its first page leaves no topic behind for another one."""
    out = tmp_path / "out"
    with pytest.raises(InputError):
        crawl(_spec(site, 5, topic={"keywords": ["bread"]}, seeds={"files": ["missing.txt"]}), out)
    crawl(_spec(site, 5, topic={"keywords": ["owl"]}), out)
    assert list(load_topic(out / "models" / "topic.json").vector) == ["owl"]
