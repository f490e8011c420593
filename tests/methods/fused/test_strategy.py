"""What `fused` learns, remembers and tells."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from lycosa.evidence.topic import TopicEvidence
from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.learn.judges.kinds import EveryPage
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.judges.version import Brief
from lycosa.learn.training.examples import ExamplePage
from lycosa.methods.fused import outcomes as fused_outcomes
from lycosa.methods.fused.outcomes import OWN, PLACES, Outcomes, UrlWords
from lycosa.methods.fused.record import (
    PARENTS,
    Known,
    Offers,
    merged,
    packed_words,
    parts_in,
    records_of,
    words_in,
)
from lycosa.methods.fused.strategy import Fused
from lycosa.methods.preparation import Preparation
from lycosa.urls import key_of
from lycosa.values import RECORD_BYTES, Decision, Judgement, Link, Merge, Outcome, Page, Touch

GOOD, BAD = Judgement(True, 0.9), Judgement(False, 0.1)


def link(name: str) -> Link:
    url = f"http://a.test/{name}"
    return Link(url, key_of(url))


def page(name: str, *targets: str) -> Page:
    own = link(name)
    links = tuple(link(target) for target in targets)
    return Page(own, own.url, links=tuple(Link(out.url, out.key, parent=own.key) for out in links))


def fused(**prepared: object) -> Fused:
    topic = TopicEvidence({"owl": 1.0}, "english")
    return Fused().fit(Preparation(EveryPage(), topic, **prepared))  # type: ignore[arg-type]


class Crawl:
    """Ranks and learns pages as the engine does, over a frontier in memory."""

    def __init__(self, strategy: Fused) -> None:
        self.strategy = strategy
        self.frontier = MemoryFrontier(Policy(max_waiting=1000, records=strategy.records))

    def see(self, seen: Page, judgement: Judgement) -> None:
        steps = self.strategy.rank(seen, judgement)
        self.strategy.learn(seen.link, judgement, {})
        self.frontier.add([step for step in steps if isinstance(step, Decision)], Merge.KEEP)
        for step in steps:
            if isinstance(step, Touch):
                self.frontier.touch(step.keys)

    def take(self) -> Link:
        taken = self.frontier.take(0.0)
        assert taken is not None
        self.frontier.done(taken, Outcome(0.0))
        return taken

    def priority(self, name: str) -> float:
        standing = self.frontier.find(link(name).key)
        assert standing is not None
        return standing.link.priority


def test_a_url_that_several_good_pages_link_to_goes_first() -> None:
    crawl = Crawl(fused())
    crawl.see(page("3", "w"), BAD)
    crawl.see(page("1", "x", "y"), GOOD)
    crawl.see(page("2", "z", "y"), GOOD)
    assert crawl.take().url.endswith("/y")
    assert crawl.priority("w") < min(crawl.priority("x"), crawl.priority("z"))


def test_a_neighbour_that_turned_out_well_lifts_what_stands_beside_it() -> None:
    """Only its waiting neighbours are rescored; URL words are turned off here."""
    crawl = Crawl(
        Fused(url=0.0, parents=0.0).fit(Preparation(EveryPage(), TopicEvidence({"owl": 1.0}, "english")))
    )
    crawl.see(page("list", "1", "2", "3", "4", "5"), GOOD)
    crawl.see(page("other", "9"), BAD)
    first = crawl.take()
    before = crawl.priority("2"), crawl.priority("3"), crawl.priority("5")
    crawl.see(Page(first, first.url), Judgement(True, 1.0))
    after = crawl.priority("2"), crawl.priority("3"), crawl.priority("5")
    assert first.url.endswith("/1")
    assert after[0] > after[1] > before[1] == before[0]
    assert after[2] == before[2]


def test_words_of_urls_that_led_to_relevant_pages_count() -> None:
    crawl = Crawl(fused())
    for number in range(5):
        crawl.see(page(f"owls/{number}x"), GOOD)
        crawl.see(page(f"bread/{number}x"), BAD)
    crawl.see(page("start", "bread/new", "far", "away", "from", "owls/new"), BAD)
    assert crawl.priority("owls/new") > crawl.priority("far") > crawl.priority("bread/new")


def test_words_of_urls_that_led_to_no_page_count_against_others() -> None:
    """Against those that share them, not against the site: its name stands in the URLs of good pages, too."""
    crawl = Crawl(fused())
    for number in range(5):
        crawl.see(page(f"owls/{number}x"), GOOD)
    crawl.see(page("start", "pictures/new", "one", "two", "three", "other/new"), BAD)
    before = crawl.priority("pictures/new"), crawl.priority("other/new")
    for number in range(20):
        crawl.strategy.led_nowhere(link(f"pictures/{number}x"))
    crawl.frontier.rescore(1000)
    assert crawl.priority("pictures/new") < 0.4 * before[0]
    assert crawl.priority("other/new") == pytest.approx(before[1], rel=0.05)


def test_learned_again_it_is_the_same() -> None:
    """A resumed crawl learns from the catalogue what it knew: priorities are the same to the last bit."""
    pages = [(page(f"p{n}", f"x{n}", "y", "z"), GOOD if n % 3 else BAD) for n in range(20)]
    crawl = Crawl(fused())
    for seen, judgement in pages:
        crawl.see(seen, judgement)
        crawl.strategy.led_nowhere(link(f"x{len(seen.url)}/gone"))
    crawl.frontier.rescore(1000)
    before = [crawl.priority(f"x{n}") for n in range(20)]
    resumed = fused()
    for seen, judgement in pages:
        resumed.learn(seen.link, judgement, {})
    for seen, _ in pages:
        resumed.led_nowhere(link(f"x{len(seen.url)}/gone"))
    found = [crawl.frontier.find(link(f"x{n}").key) for n in range(20)]
    again, _ = resumed.ranking_.scored([standing.link.record for standing in found if standing])
    assert again.tolist() == before


def test_pages_that_are_judged_otherwise_count_otherwise() -> None:
    """A record names its parents: what they are worth is looked up when it is scored."""
    crawl = Crawl(fused())
    crawl.see(page("1", "x"), GOOD)
    crawl.see(page("2", "y"), BAD)
    crawl.strategy.rejudged({link("1").key: BAD, link("2").key: GOOD, link("never learned").key: GOOD})
    crawl.frontier.rescore(1000)
    assert crawl.priority("y") > crawl.priority("x")
    other = fused()
    for name, judgement in (("1", BAD), ("2", GOOD)):
        other.learn(link(name), judgement, {})
    assert np.allclose(crawl.strategy.ranking_.outcomes.good, other.ranking_.outcomes.good)
    assert crawl.strategy.ranking_.outcomes.base == pytest.approx(other.ranking_.outcomes.base)


def test_an_answered_page_counts_for_what_it_would_be_taken_for_without_the_answer() -> None:
    """A near miss that somebody calls wrong still leads to better pages than one that is far off."""
    judge = LearningJudge(Brief(keywords={"owl": 1.0}))
    strategy = Fused().fit(Preparation(judge, TopicEvidence({"owl": 1.0}, "english")))
    crawl = Crawl(strategy)
    crawl.see(page("near", "x"), GOOD)
    crawl.see(page("far", "y"), BAD)
    near, far = link("near").key, link("far").key
    judge.use(msgspec.structs.replace(judge.version, forecasts={near: 0.45, far: 0.02}))
    strategy.rejudged(dict.fromkeys((near, far), Judgement(False, 0.0, "answered")))
    crawl.frontier.rescore(1000)
    assert crawl.priority("x") > crawl.priority("y")


def test_a_page_that_is_fetched_again_counts_once() -> None:
    crawl = Crawl(fused())
    crawl.see(page("1", "x"), GOOD)
    before = crawl.priority("x")
    crawl.frontier.add(
        [s for s in crawl.strategy.rank(page("1", "x"), GOOD) if isinstance(s, Decision)], Merge.KEEP
    )
    assert crawl.priority("x") == before


@pytest.mark.parametrize("links", [1, PARENTS, PARENTS + 1, 200])
def test_a_record_stays_small_and_its_parts_add_up(links: int) -> None:
    crawl = Crawl(fused())
    for number in range(links):
        crawl.see(page(f"p{number}", "a", "b", "x", "c"), GOOD)
        crawl.see(page(f"q{number}", "d"), BAD)
    standing = crawl.frontier.find(link("x").key)
    assert standing is not None
    assert len(standing.link.record) <= RECORD_BYTES
    parts = parts_in(standing.link.record)
    assert parts is not None
    score = math.log(standing.link.priority / (1 - standing.link.priority))
    assert sum(parts.values()) == pytest.approx(score, abs=1e-6)
    assert sum(value for _, value in Fused.reasons(standing.link.record)) == pytest.approx(score, abs=1e-6)


def test_what_training_pages_say_counts_when_a_url_is_met_and_once() -> None:
    """They let nothing wait; met in the crawl, such a page adds nothing that was not counted."""
    good, bad = (
        ExamplePage(link(name).key, {}, anchors=[(link(target).key, [])], url=link(name).url, contexts=[{}])
        for name, target in (("good", "x"), ("bad", "y"))
    )
    crawl = Crawl(fused(training=((good, True), (bad, False))))
    assert crawl.frontier.counts().waiting == 0
    crawl.see(page("start", "y", "a", "b", "c", "x"), GOOD)
    assert crawl.priority("x") > crawl.priority("b") > crawl.priority("y")
    before = crawl.priority("x")
    crawl.see(page("good", "x", "new"), GOOD)
    assert crawl.priority("x") == before
    assert crawl.priority("new") > 0


def test_reasons_name_the_version_of_the_judge() -> None:
    judge = LearningJudge(Brief(keywords={"owl": 1.0}))
    crawl = Crawl(Fused().fit(Preparation(judge, TopicEvidence({"owl": 1.0}, "english"))))
    judge.use(msgspec.structs.replace(judge.version, number=7))
    crawl.see(page("start", "x"), GOOD)
    crawl.see(page("other", "y"), BAD)
    crawl.frontier.rescore(1000)
    standing = crawl.frontier.find(link("x").key)
    assert standing is not None
    assert any(words.endswith("by judge version 7") for words, _ in Fused.reasons(standing.link.record))


def test_what_is_no_record_of_ours_has_no_reasons() -> None:
    assert Fused.reasons(b"of another") == []


def test_a_record_of_an_earlier_version_begins_anew() -> None:
    """A crawl that goes on with another layout of records loses what links said so far, and nothing else."""
    crawl = Crawl(fused())
    crawl.frontier.add([Decision(msgspec.structs.replace(link("x"), record=b"earlier"), 0.5)], Merge.KEEP)
    assert crawl.priority("x") == 0.5
    crawl.see(page("1", "x"), GOOD)
    standing = crawl.frontier.find(link("x").key)
    assert standing is not None
    assert parts_in(standing.link.record)


def test_a_page_whose_place_another_took_counts_as_the_mean() -> None:
    """Pages are remembered in a table of fixed size: the later of two at one place stays, and is corrected alone."""
    outcomes = Outcomes()
    outcomes.learn(5, [1], 0.9)
    outcomes.learn(5 + PLACES, [1, 2], 0.1)
    relevance, known = outcomes.of(np.array([[5, 5 + PLACES, 0, 7]], np.uint32))
    assert (relevance.tolist(), known.tolist()) == ([[0.0, 0.1, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0]])
    outcomes.correct({5: 0.0, 5 + PLACES: 0.5, 8: 1.0})
    assert outcomes.good[[0, 1, 2]].tolist() == pytest.approx([0.0, 1.4, 0.5])
    assert outcomes.relevance == pytest.approx(1.4)


def test_a_page_that_led_to_good_ones_speaks_for_its_other_links() -> None:
    """And less for them when these are judged otherwise; a page that nobody knows, or that was forgotten, is credited nothing."""
    outcomes = Outcomes()
    outcomes.learn(1, [], 0.2)
    for child in (2, 3, 4, 5):
        outcomes.learn(child, [], 1.0, parent=1)
    outcomes.learn(6, [], 1.0, parent=99)
    tags = np.array([1, 99], np.uint32)
    assert outcomes.leading_to(tags)[0].tolist() == pytest.approx([(OWN * 0.2 + 4) / (OWN + 4), 0.0])
    outcomes.correct({2: 0.0, 3: 0.0})
    assert outcomes.leading_to(tags)[0].tolist() == pytest.approx([(OWN * 0.2 + 2) / (OWN + 4), 0.0])
    outcomes.learn(1 + PLACES, [], 0.5)  # takes the place of the parent
    outcomes.correct({4: 0.0})
    assert outcomes.leading_to(np.array([1 + PLACES], np.uint32))[0].tolist() == pytest.approx([0.5])


def test_words_of_urls_are_remembered_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_outcomes, "URLS", 3)
    words = UrlWords("english")
    urls = [f"http://a.test/owl/{name}" for name in ("cat", "dog", "elk", "fox")]
    assert [len(words_in(words.of([url])[0])) for url in (*urls, *urls)] == [3] * 8
    assert words.of(urls) == [words.of([url])[0] for url in urls]


def test_records_of_many_urls_are_merged_as_each_alone() -> None:
    """Whether the page of a link is new to all URLs, to some or to none; keys that stand beside a URL twice count once."""
    rng = np.random.default_rng(7)

    def offered(page: int) -> list[bytes]:
        keys = rng.integers(1, 6, 12).tolist()
        anchors, contexts = rng.random((2, 12)).tolist()
        return records_of(Offers(page, 0.7, keys, anchors, contexts, [packed_words([1, 2])] * 12), Known())

    known = offered(100)
    for page in range(101, 101 + PARENTS - 1):
        told = offered(page)
        at_once = merged(known, told)
        assert at_once == [merged([old], [new])[0] for old, new in zip(known, told, strict=True)]
        again = [*told[:6], *offered(page + 50)[6:]]  # of the first half the page is known already
        assert merged(at_once, again)[:6] == at_once[:6]
        assert merged(at_once, again) == [
            merged([old], [new])[0] for old, new in zip(at_once, again, strict=True)
        ]
        known = merged(at_once, again)
