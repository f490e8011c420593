"""The profile strategy on the demo's sharing site: better than its baselines, and nothing stops it."""

from __future__ import annotations

import asyncio

import pytest

from lycosa.errors import SpecError
from lycosa.methods.profile.strategy import Profile
from lycosa.urls import key_of
from lycosa.values import Link
from lycosa_lab.demo_web import DemoWeb
from lycosa_lab.demo_web.sharing import HOST, sharing_part
from lycosa_lab.papers.profile.crawls import (
    accuracy,
    confusion,
    crawl_site,
    fitted,
    lab_settings,
    trained_site,
)
from lycosa_lab.runs.run import CountingStore, make_crawl
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

PAGES = 150


@pytest.fixture(scope="module")
def web(tmp_path_factory) -> CachedWeb:
    folder = tmp_path_factory.mktemp("sharing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LYCOSA_CACHE", str(folder / "cache"))
        DemoWeb((sharing_part(1),)).write(folder)
        return CachedWeb(VirtualWeb.open(folder))


def crawled(web, **settings):
    """The store of a whole crawl for kites, and the strategy."""
    strategy = fitted("profile", {**lab_settings(web, web.web.topic("kites")), **settings})
    assert isinstance(strategy, Profile)
    store = CountingStore(frozenset(), 10_000)
    crawl = make_crawl(strategy, web, store)
    asyncio.run(crawl.run([Link(url, key_of(url), priority=1.0) for url in web.web.start]))
    return store, strategy


def test_page_types(web):
    """The lab learns the site's types from its page-types.csv."""
    assert accuracy(confusion(web, trained_site(web))) == 1.0


@pytest.mark.parametrize("topic", ["kites", "lanterns"])
def test_better_than_baselines(web, topic):
    """Harvest over detail pages is above OPIC's and breadth-first's."""
    about = web.web.topic(topic)
    ours = crawl_site("profile", web, about, PAGES, lab_settings(web, about))
    others = [crawl_site(name, web, about, PAGES) for name in ("opic", "breadth-first")]

    assert all(ours.harvest(n) > other.harvest(n) for n in (100, 150) for other in others)


def test_as_in_the_paper(web):
    """With FIFO order, no lists and no look at items, the rank alone prunes."""
    about = web.web.topic("kites")
    plain = {"order": "fifo", "topic_lists": False, "prior_items": -1.0, "rank_threshold": 0.1}
    ours = crawl_site("profile", web, about, 500, {**lab_settings(web, about), **plain})
    breadth = crawl_site("breadth-first", web, about, 500)

    assert ours.types.count("detail") < breadth.types.count("detail")
    assert ours.harvest(500) > breadth.harvest(500)


def test_below_the_threshold(web):
    """Items of users off the topic wait until nothing better is left; refused, the crawl ends without them."""
    whole, _ = crawled(web)
    pruned, _ = crawled(web, below_threshold="refuse")
    pieces = [sum("/piece/" in link.url for link in store.counted) for store in (whole, pruned)]
    last = [link.priority < 0 for link in whole.counted if "/piece/" in link.url]

    assert pieces[0] == sum("/piece/" in web.url(key) for key in web.pages)
    assert pieces[1] < pieces[0]
    assert last == sorted(last)


def test_strangers(web):
    """At 0, items at hand go before strangers: more items for each page fetched."""
    about = web.web.topic("kites")
    first, later = (
        crawl_site("profile", web, about, PAGES, {**lab_settings(web, about), "strangers": worth})
        for worth in (1.0, 0.0)
    )

    assert later.capture(PAGES) > first.capture(PAGES)


def test_strangers_whom_only_users_off_the_topic_name(web):
    """They come after all items at hand; where the rank only prunes, they wait like all others."""
    ranked, _ = crawled(web, rank_threshold=0.3)
    plain, _ = crawled(web, rank_threshold=0.3, order="fifo")
    profiles = [[link for link in store.counted if "/maker/" in link.url] for store in (ranked, plain)]

    assert any(link.priority < -1 for link in profiles[0])
    assert all(link.priority == 1 for link in profiles[1])


def test_memory_is_bounded(web, monkeypatch):
    """With room for little, a crawl forgets, and still comes to its end."""
    from lycosa.methods.profile import people
    from lycosa.methods.profile import strategy as profile

    monkeypatch.setattr(profile, "LINKS", 40)
    monkeypatch.setattr(profile, "USERS", 5)
    monkeypatch.setattr(people, "USERS", 10)
    store, strategy = crawled(web)

    assert len(store.counted) > 400
    assert len(strategy.people_.users) <= 10
    assert len(strategy.waiting_) <= 5
    assert max(map(len, (strategy.seen_, strategy.hopes_, strategy.listed_))) <= 40
    assert len(strategy.cash_) < 40 + 60, "the links of one page are added at once"


def test_items_of_stage_one_are_put_in_order(web):
    """What waited for its tags waits by its uploader's rank when that is known."""
    store, _ = crawled(web, topic_tags=(), tag="kite", cotag_items=5, topic_lists=False)

    assert store.decided_by["its user's rank, which has changed"]


def test_a_closed_profile_and_no_tags(web):
    """A profile behind a login and a user without tags cost their items, and the crawl goes on to its end."""
    store, strategy = crawled(web, topic_lists=False)
    fetched = {link.url for link in store.counted}

    assert f"{HOST}/maker/ada" in fetched
    assert len(fetched) > 50
    assert (
        store.decided_by["no profile of its uploader"] or store.decided_by["its uploader is not ranked yet"]
    )
    assert strategy.people_.rank(key_of(f"{HOST}/maker/ada")) is not None


def test_two_stages(web, tmp_path):
    """From one tag, stage one finds its neighbours, writes the table, and stage two reads profiles."""
    table = tmp_path / "tags.csv"
    store, strategy = crawled(
        web, topic_tags=(), tag="kite", cotag_items=15, cotag_top=4, cotag_table=str(table)
    )

    assert strategy.search_ is None
    assert table.read_text().splitlines()[1].startswith("kite,")
    assert {"bamboo", "wind", "meadow", "tail", "ripstop"} & strategy.topic_.tags
    assert strategy.people_.users
    assert any("/maker/" in link.url for link in store.counted)


def test_stage_one_ends_when_nothing_is_left(web):
    """A site with too few items for stage one still gets to stage two."""
    _, strategy = crawled(web, topic_tags=(), tag="kite", cotag_items=10_000)

    assert strategy.search_ is None


def test_learning_again(web):
    """What a crawl learned, a resumed one learns from the stored evidence alone."""
    from lycosa.values import Judgement

    _, strategy = crawled(web)
    other = fitted("profile", lab_settings(web, web.web.topic("kites")))
    assert isinstance(other, Profile)
    view = web.for_evidence(other.needs)
    for key in strategy.seen_:
        document = web.document(key)
        facts = {kind.name: fact for kind in view.recipe.evidence if (fact := kind.of_page(document))}
        other.learn(Link(document.url, key), Judgement(False, 0.0), facts)

    ranked = {key for key, user in strategy.people_.users.items() if user.profiled}
    assert ranked == {key for key, user in other.people_.users.items() if user.profiled}
    assert all(strategy.people_.users[key].inner == other.people_.users[key].inner for key in ranked)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"below_threshold": "never"}, "'last' or 'refuse'"),
        ({"alpha": -1.0}, "alpha: .* it says -1"),
        ({"alpha": 0.0, "beta": 0.0}, "both 0"),
        ({"topic_tags": 5}, "topic_tags"),
    ],
)
def test_settings_without_sense(web, setting, words):
    """What cannot be is refused with what can."""
    with pytest.raises(SpecError, match=words):
        fitted("profile", {**lab_settings(web, web.web.topic("kites")), **setting})


def test_settings_are_checked(web):
    """Without a model or a topic the error says what to set."""
    with pytest.raises(SpecError, match="page_types"):
        fitted("profile", {"tag": "kite"})
    with pytest.raises(SpecError, match="topic_tags"):
        fitted("profile", {**lab_settings(web, web.web.topic("kites")), "topic_tags": ()})
