"""A guide of `fused`: what it holds is held, what it says counts beside all else, and is what it said last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from lycosa.evidence.topic import TopicEvidence
from lycosa.learn.judges.kinds import EveryPage
from lycosa.methods import BaseStrategy, Step, lookup
from lycosa.methods.fused.record import (
    Known,
    Offers,
    extras_in,
    merged,
    packed_words,
    parts_in,
    read_records,
    records_of,
    with_guide,
)
from lycosa.methods.fused.strategy import Fused
from lycosa.methods.preparation import Preparation
from lycosa.methods.strategy import log_odds
from lycosa.urls import key_of
from lycosa.values import Decision, Fact, Judgement, Link, Merge, Page, Release

GOOD = Judgement(True, 0.9)


class Warden(BaseStrategy):
    """Holds what is called an item until its owner was read; lists only lead on."""

    merge = Merge.REPLACE
    judges_itself = True
    guides = "what the warden says of it"

    def __init__(self, *, least: float = 0.5) -> None:
        self.least = least
        self.learned: list[int] = []

    def judge(self, page: Page) -> Judgement:
        return Judgement("item" in page.url, 0.0, "an item")

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        steps: list[Step] = [
            Decision(link, hold="owner", rule="owner unknown")
            if "item" in link.url
            else Decision(link, self.least, rule="a list")
            for link in page.links
        ]
        return [*steps, Release("owner", 0.75)]

    def settle(self, links: Sequence[Link], value: float | None) -> list[Decision]:
        return [Decision(link, value or 0.0, rule="its owner") for link in links]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        self.learned.append(link.key)

    def only_leads_on(self, decision: Decision) -> bool:
        return "list" in decision.link.url


@pytest.fixture
def guided(monkeypatch: pytest.MonkeyPatch) -> Fused:
    monkeypatch.setattr(lookup, "strategy_names", lambda: ["warden"])
    monkeypatch.setattr(lookup, "strategy_class", lambda name: Warden if name == "warden" else name)
    monkeypatch.setattr(
        lookup, "fitted", lambda _name, settings, preparation: Warden(**settings).fit(preparation)
    )
    topic = TopicEvidence({"owl": 1.0}, "english")
    return Fused().fit(Preparation(EveryPage(), topic, options={"warden": {"least": 0.9}}))


def page(*targets: str) -> Page:
    own = "http://a.test/"
    links = [Link(f"{own}{name}", key_of(f"{own}{name}"), parent=key_of(own)) for name in targets]
    return Page(Link(own, key_of(own)), own, links=tuple(links))


def test_it_holds_releases_judges_and_learns(guided):
    """Steps that are no Decision pass; held links keep what is known of their URLs, and get a score when settled."""
    seen = page("item/1", "list/1")
    item, listed, release = guided.rank(seen, GOOD)
    guided.learn(seen.link, GOOD, {})
    (settled,) = guided.settle([item.link], 0.75)

    assert (item.hold, listed.rule, release) == ("owner", "a list", Release("owner", 0.75))
    assert guided.merge is Merge.REPLACE
    assert guided.guide_.learned == [seen.link.key]
    assert not guided.judge(seen).relevant
    assert read_records([settled.link.record])["links"].tolist() == [1], "found on one page"
    assert extras_in(settled.link.record)[0][0] == pytest.approx(log_odds(0.75), abs=1e-3)


def test_nothing_else_counts_for_what_only_leads_on(guided):
    """The score of a list is what the guide says, whatever its URL and its parents."""
    _, listed, _ = guided.rank(page("item/1", "list/1"), GOOD)
    guided.learn(page().link, Judgement(False, 0.0), {})
    _, (record,) = guided.ranking_.scored([listed.link.record])

    assert {name: value for name, value in (parts_in(record) or {}).items() if value} == {
        "extra": pytest.approx(log_odds(0.9), abs=2e-3)
    }


def test_what_it_said_last_counts(guided):
    """It takes the place of what it said before; evidence of links is a mean, as without a guide."""
    one, two = (
        records_of(Offers(parent, 0.5, [5], [0.0], [0.0], [packed_words([])], [[told], [told]]), Known())[0]
        for parent, told in ((7, 1.0), (8, 2.0))
    )
    (both,) = guided.ranking_.merge([one], [two])
    (again,) = guided.ranking_.merge([both], [with_guide(b"", -3.0)])

    assert extras_in(both)[0][:2] == [2.0, 1.5]
    assert extras_in(again)[0][:2] == [-3.0, 1.5]
    assert extras_in(*merged([one], [two]))[0][:2] == [1.5, 1.5]


def test_without_its_table_there_is_none():
    """A spec that does not name a guide's table is crawled as ever."""
    plain = Fused().fit(Preparation(EveryPage(), TopicEvidence({"owl": 1.0}, "english")))

    assert plain.guide_ is None
    assert plain.merge is Merge.KEEP
    assert plain.settle([], None) == []
