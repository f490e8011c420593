"""multimedia: selection, exploration by the paper's figure 4, and links that wait for images."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest

from lycosa.clock import VirtualClock
from lycosa.collection.collection import Collection
from lycosa.engine.conclude import Conclusions
from lycosa.engine.loop import Crawl
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.limits import Limits
from lycosa.errors import SpecError
from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.learn.judges.kinds import EveryPage
from lycosa.methods import Step
from lycosa.methods.multimedia.rules import is_selected
from lycosa.methods.multimedia.strategy import Multimedia, Scored
from lycosa.report.html import write_report
from lycosa.spec.sections import ArchiveSpec, FetchSpec, FrontierSpec, ScopeSpec
from lycosa.testing import Site, data, redirect, status, text
from lycosa.urls import key_of
from lycosa.values import (
    Decision,
    Fact,
    Fetched,
    Image,
    Judgement,
    Kind,
    Link,
    Notes,
    Page,
    Release,
    Score,
    fact_of,
)
from lycosa.why import explain
from lycosa_lab.demo_web import maps
from lycosa_lab.runs.memory_sink import MemorySink
from tests.crawling import crawl, pages_of, refusal_of, spec_text
from tests.misbehaviours import stalls

NO = Judgement(False, 0.0)
HEATMAP = maps.heatmap(Random("heatmap4"))
PHOTO = maps.photograph(Random(1))

FIGURE_4 = {
    "A": {"B": 0.8},
    "B": {"C": 0.3},
    "C": {"D1": 0.8, "D2": 0.3, "D3": 0.1, "D4": 0.1, "D5": 0.9},
    "D2": {"E1": 0.8, "E2": 0.75},
}


class DrawnWeb:
    """A web of pages that are nothing but links with given scores: fetcher and analyser in one."""

    def __init__(self, pages: dict[str, dict[str, float]]) -> None:
        self.pages = pages

    async def fetch(self, link: Link) -> Fetched:
        return Fetched(link, 200, (), link.url.encode(), b"", b"", 0.0, 0.0)

    async def analyse(self, fetched: Fetched) -> Page:
        link = fetched.link
        found = self.pages.get(link.url.rpartition("/")[2], {})
        links = tuple(
            Link(
                f"http://a.test/{name}",
                key_of(f"http://a.test/{name}"),
                depth=link.depth + 1,
                parent=link.key,
            )
            for name in found
        )
        return Page(link, link.url, links=links, link_evidence={"link_text": tuple(found.values())})


def crawled(strategy: Multimedia, pages: dict[str, dict[str, float]]) -> tuple[set[str], set[str]]:
    """The names of the pages collected and explored, from A."""
    store, fetch = MemorySink(), FetchSpec(per_host_delay_s=0)
    web = DrawnWeb(pages)
    conclusions = Conclusions(
        frontier=MemoryFrontier(Policy(max_waiting=1000)),
        strategy=strategy,
        store=store,
        admission=Admission(ScopeSpec(), fetch, FrontierSpec()),
        follow=Follow(fetch, ArchiveSpec()),
    )
    loop = Crawl(
        fetcher=web,
        analyser=web,
        conclusions=conclusions,
        limits=Limits(concurrency=1),
        clock=VirtualClock(),
    )
    asyncio.run(loop.run([Link("http://a.test/A", key_of("http://a.test/A"), priority=1.0)]))
    explored = {url for url in store.fetched if key_of(url) in store.explored}
    names = {url.rpartition("/")[2] for url in store.fetched}
    looked = {url.rpartition("/")[2] for url in explored}
    return names - looked, looked


@pytest.mark.parametrize(
    ("k", "collected", "explored"),
    [
        (0, {"A", "B"}, set()),
        (1, {"A", "B", "D1", "D5"}, {"C"}),
        (2, {"A", "B", "D1", "D5", "E1", "E2"}, {"C", "D2"}),
    ],
)
def test_skip_k_is_figure_4(ready, k, collected, explored):
    """With t1 = 0.7: without exploration the trail ends at C; C opens D1 and D5; only k = 2 opens D2."""
    strategy = Multimedia(selection="text", t1=0.7, exploration="text", t3=0.2, k=k)
    strategy.fit(replace(ready, judge=EveryPage()))

    assert crawled(strategy, FIGURE_4) == (collected, explored)


@pytest.mark.parametrize(
    ("rule", "with_image", "without"),
    [
        ("text", {"high"}, {"high"}),
        ("visual", {"high", "middle", "low"}, set()),
        ("both", {"high"}, set()),
        ("either", {"high", "middle"}, {"high"}),
    ],
)
def test_what_each_rule_selects(rule, with_image, without):
    """f', f'', f''' and f_S at t1 = 0.7 and t2 = 0.3, on a page with and without such an image."""
    scores = {"high": 0.9, "middle": 0.5, "low": 0.1}

    for visual, expected in ((True, with_image), (False, without)):
        assert {
            name for name, text in scores.items() if is_selected(rule, text, visual, 0.7, 0.3)
        } == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"selection": "all"},
        {"exploration": "far"},
        {"t1": 0.5, "t2": 0.5},
        {"selection": "text", "t1": 0.5, "exploration": "text", "t3": 0.5},
        {"t1": 0.5, "t2": 0.1, "exploration": "text", "t3": 0.2},
        {"max_images": 0},
        {"max_images": 51},
        {"parent": 1.0},
        {"target": -0.1},
        {"fade": -1.0},
        {"fade": float("nan")},
    ],
)
def test_settings_that_contradict_are_refused(ready, settings):
    """Thresholds out of order and unknown rules are errors that name the setting."""
    with pytest.raises(SpecError, match="multimedia"):
        Multimedia(**settings).fit(ready)


def page_with(strategy: Multimedia, name: str, images: list[str], **scores: float) -> Page:
    """A page with images and links of given scores."""
    link = Link(f"http://a.test/{name}", key_of(f"http://a.test/{name}"))
    return Page(
        link,
        link.url,
        links=tuple(
            Link(f"http://a.test/{to}", key_of(f"http://a.test/{to}"), parent=link.key) for to in scores
        ),
        images=tuple(Image(f"http://a.test/{image}", key_of(f"http://a.test/{image}")) for image in images),
        link_evidence={strategy.text_: tuple(scores.values())},
    )


def seen(strategy: Multimedia, name: str, value: float) -> list[Step]:
    """What the strategy does when an image has been looked at."""
    link = Link(f"http://a.test/{name}", key_of(f"http://a.test/{name}"), kind=Kind.IMAGE)
    evidence: dict[str, Fact] = {"image": Score(value)}
    strategy.learn(link, NO, evidence)
    return strategy.rank(Page(link, link.url, evidence=evidence), NO)


def decided(strategy: Multimedia, page: Page, judgement: Judgement = NO) -> list[Decision]:
    """The decisions on the links of a page."""
    return [step for step in strategy.rank(page, judgement) if isinstance(step, Decision)]


def test_only_what_images_can_change_waits_for_them(ready):
    """A promising link goes at once, a hopeless one is refused at once, the one between is held."""
    strategy = Multimedia(t1=0.7, t2=0.3).fit(ready)
    page = page_with(strategy, "p", ["i.png"], good=0.9, middle=0.5, bad=0.1)
    good, middle, bad, image = decided(strategy, page)

    assert not good.hold
    assert not good.refusal
    assert middle.waits_for == (key_of("http://a.test/i.png"),)
    assert bad.refusal
    assert image.link.kind is Kind.IMAGE


def test_a_hit_releases_and_is_remembered(ready):
    """The first image that shows it settles the page; the next page with that image waits for nothing."""
    strategy = Multimedia(t1=0.7, t2=0.3).fit(ready)
    held = decided(strategy, page_with(strategy, "p", ["i.png", "j.png"], middle=0.5))[0]

    assert seen(strategy, "j.png", 0.1) == []
    assert seen(strategy, "i.png", 0.9) == [Release(held.hold, 1.0)]
    assert not strategy.settle([held.link], 1.0)[0].refusal
    again = strategy.rank(page_with(strategy, "q", ["i.png"], other=0.5), NO)
    assert [isinstance(step, Decision) and not step.hold and not step.refusal for step in again] == [True]


def test_what_was_seen_before_a_restart_settles_links(ready):
    """A strategy that starts anew knows from the link itself which images it waited for."""
    held = Multimedia(t1=0.7, t2=0.3).fit(ready)
    decision = decided(held, page_with(held, "p", ["i.png"], middle=0.5))[0]
    strategy = Multimedia(t1=0.7, t2=0.3).fit(ready)
    seen(strategy, "i.png", 0.9)

    settled = strategy.settle([decision.link], None)[0]

    assert not settled.refusal
    memo = Scored.of(settled.link)
    assert memo is not None
    assert not memo.images


def test_an_image_that_redirects_is_the_image_that_was_waited_for(ready):
    """What stands at the end of the redirect settles the page."""
    strategy = Multimedia(t1=0.7, t2=0.3).fit(ready)
    held = decided(strategy, page_with(strategy, "p", ["i.png"], middle=0.5))[0]
    url = "http://b.test/i.png"
    image = Link(url, key_of(url), kind=Kind.IMAGE, noted=Notes(via=(key_of("http://a.test/i.png"),)))
    strategy.learn(image, NO, {"image": Score(0.9)})

    assert strategy.rank(Page(image, url), NO) == [Release(held.hold, 1.0)]
    assert not strategy.settle([held.link], 1.0)[0].refusal


def test_near_links_are_believed_before_far_ones(ready):
    """With `fade` a picture counts half that many links away: t2 rises towards t1 with the distance."""
    strategy = Multimedia(t1=0.8, t2=0.2, fade=2.0).fit(ready)
    page = page_with(strategy, "p", ["i.png"], near=0.4, far=0.4)
    near, far = page.links
    links = (near, msgspec.structs.replace(far, position=9))
    strategy.rank(msgspec.structs.replace(page, links=links), NO)
    strategy.learn(
        Link("http://a.test/i.png", page.images[0].key, kind=Kind.IMAGE), NO, {"image": Score(0.9)}
    )

    steps = strategy.rank(msgspec.structs.replace(page, links=links), NO)

    assert [isinstance(step, Decision) and step.refusal is None for step in steps] == [True, False]


def test_the_text_of_the_page_counts_where_it_is_asked_for(ready):
    """With `parent` a link of a relevant page needs fewer words of its own."""
    relevant, other = Judgement(True, 1.0), Judgement(False, 0.0)

    for weight, judgement, selected in ((0.0, relevant, False), (0.5, relevant, True), (0.5, other, False)):
        strategy = Multimedia(selection="text", t1=0.6, parent=weight).fit(ready)
        (step,) = decided(strategy, page_with(strategy, "p", [], link=0.4), judgement)
        assert (step.refusal is None) is selected


def test_t2_follows_the_success_of_images(ready):
    """Pages that only an image selected raise t2 when they fail and lower it when not; others leave it."""
    strategy = Multimedia(t1=0.9, t2=0.3, target=0.6).fit(ready)
    strategy.shown_[key_of("http://a.test/i.png")] = True
    by_image, by_text = decided(strategy, page_with(strategy, "p", ["i.png"], weak=0.4, good=0.95))

    strategy.learn(by_text.link, NO, {})
    assert strategy.t2_ == 0.3
    strategy.learn(by_image.link, NO, {})
    assert strategy.t2_ == pytest.approx(0.33)
    strategy.learn(by_image.link, Judgement(True, 1.0), {})
    assert strategy.t2_ == pytest.approx(0.31)


def test_a_link_held_by_two_pages_goes_by_the_better(ready):
    """A link that waits for one page's images is selected when another page's image shows it."""
    strategy = Multimedia(t1=0.7, t2=0.3).fit(ready)
    strategy.rank(page_with(strategy, "p", ["i.png"], target=0.5), NO)
    strategy.rank(page_with(strategy, "q", ["j.png"], target=0.4), NO)

    decision, release = seen(strategy, "j.png", 0.9)

    assert isinstance(decision, Decision)
    assert (decision.link.url, decision.refusal, decision.hold) == ("http://a.test/target", None, "")
    assert isinstance(release, Release)


def test_no_more_than_max_images_and_no_small_ones(ready):
    """Images that the markup calls small, and drawings, are never asked for; of others at most `max_images`."""
    strategy = Multimedia(t1=0.7, t2=0.3, max_images=2).fit(ready)
    page = page_with(strategy, "p", ["a.svg", "b.png", "c.png", "d.png"], middle=0.5)
    small = Image("http://a.test/s.png", 5, width=90, height=400)
    page = Page(
        page.link, page.url, links=page.links, images=(small, *page.images), link_evidence=page.link_evidence
    )

    asked = [step.link.url for step in decided(strategy, page)[1:]]

    assert asked == ["http://a.test/b.png", "http://a.test/c.png"]


START = '<p><img src="/it.png"></p><p><a href="/other">unpromising</a></p>'


def crawl_web(
    out: Path,
    image: object,
    more: Mapping[str, object] | None = None,
    slots: int = 2,
    patience_s: float = 60.0,
    **settings: object,
) -> None:
    """A crawl of a page with one image and one link that only the image can select."""
    web = {"/": START, "/it.png": image, "/other": "<p>another page", **(more or {})}
    with Site(web) as site:  # type: ignore[arg-type]
        fetch = {
            "per_host_delay_s": 0,
            "per_host_concurrency": slots,
            "retries": 0,
            "read_timeout_s": patience_s,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        }
        text = spec_text(
            site,
            ["http://a.test/"],
            top={"strategy": "multimedia"},
            multimedia={"t1": 0.9, "t2": 0.0, **settings},
            fetch=fetch,
        )
        crawl(text, out)


def test_an_image_opens_the_links_of_its_page(tmp_path):
    """The image is fetched through the frontier, archived and catalogued, and its page's link followed."""
    crawl_web(tmp_path / "c", data(HEATMAP, "image/png"))
    pages = pages_of(tmp_path / "c")

    assert set(pages) == {"http://a.test/", "http://a.test/it.png", "http://a.test/other"}
    assert pages["http://a.test/it.png"].kind is Kind.IMAGE
    with Collection.open(tmp_path / "c") as collection:
        ((_, evidence),) = collection.reader.images()
    assert fact_of(evidence, "image", Score).value >= 0.5


def test_an_image_that_redirects_to_itself_holds_nothing_up(tmp_path):
    """A loop of redirects costs its image only."""
    crawl_web(tmp_path / "c", redirect("/b.png"), {"/b.png": redirect("/it.png")})

    assert set(pages_of(tmp_path / "c")) & {"http://a.test/", "http://a.test/other"} == {"http://a.test/"}


def test_another_image_does_not(tmp_path):
    """A photograph is looked at too, and the link stays refused."""
    crawl_web(tmp_path / "c", data(PHOTO, "image/png"))

    assert set(pages_of(tmp_path / "c")) == {"http://a.test/", "http://a.test/it.png"}


@pytest.mark.parametrize(
    "image", [stalls(), data(b"<html>", "image/png"), data(b"", "text/html"), status(404), status(500)]
)
def test_the_crawl_goes_on_without_visual_evidence(tmp_path, image):
    """An image host that stalls, or sends no image, costs its image only: the text alone decides."""
    crawl_web(tmp_path / "c", image, patience_s=1.0)

    assert "http://a.test/" in pages_of(tmp_path / "c")
    assert "http://a.test/other" not in pages_of(tmp_path / "c")


def test_after_the_first_hit_no_other_image_of_the_page_is_asked_for(tmp_path):
    """The first of thirty shows it: the rest stay on their host."""
    others = {f"/{number}.png": data(PHOTO, "image/png") for number in range(29)}
    images = "".join(f'<img src="{path}">' for path in ("/it.png", *others))
    start = f'{images}<p><a href="/other">unpromising</a></p>'
    crawl_web(tmp_path / "c", data(HEATMAP, "image/png"), {"/": start, **others}, slots=1)
    fetched = set(pages_of(tmp_path / "c"))

    assert "http://a.test/other" in fetched
    assert len([url for url in fetched if url.endswith(".png")]) <= 2  # one may be under way meanwhile


def test_an_image_host_that_stalls_holds_up_nobody_else(tmp_path):
    """Its page's links go by their words in the end; other pages go on at once."""
    start = (
        '<img src="http://slow.test/map.png"><p><a href="/other">unpromising</a></p>'
        '<p><a href="/second">unpromising too</a></p>'
    )
    web = {"/": start, ("slow.test", "/map.png"): stalls()}
    crawl_web(tmp_path / "c", status(404), web, patience_s=1.0)  # type: ignore[arg-type]

    assert set(pages_of(tmp_path / "c")) == {"http://a.test/"}
    assert refusal_of(tmp_path / "c", "http://slow.test/map.png") == "TIMEOUT"
    assert "no such image on its page" in explain(tmp_path / "c", "http://a.test/second").verdict


def test_an_image_that_robots_txt_disallows_is_not_asked_for(tmp_path):
    """Robots apply to images as to pages; the text alone decides then."""
    rules = text("User-agent: *\nDisallow: /it.png\n")
    crawl_web(tmp_path / "c", data(HEATMAP, "image/png"), {"/robots.txt": rules})

    assert refusal_of(tmp_path / "c", "http://a.test/it.png") == "ROBOTS"
    assert set(pages_of(tmp_path / "c")) == {"http://a.test/"}


def test_a_broken_image_says_so(tmp_path):
    """What is no image is refused as such, not as a page."""
    crawl_web(tmp_path / "c", data(b"<html>" * 100, "image/png"))

    assert refusal_of(tmp_path / "c", "http://a.test/it.png") == "NOT_AN_IMAGE"


def test_a_small_image_is_not_downloaded(tmp_path):
    """The first bytes tell that it is an icon."""
    crawl_web(tmp_path / "c", data(maps.icon(Random(1)) + bytes(500_000), "image/png"))

    assert refusal_of(tmp_path / "c", "http://a.test/it.png") == "SMALL_IMAGE"


def test_a_resumed_crawl_remembers_its_images(tmp_path):
    """Running the same crawl again changes nothing, and what was seen is learned from the catalogue."""
    crawl_web(tmp_path / "c", data(HEATMAP, "image/png"))
    before = set(pages_of(tmp_path / "c"))
    crawl_web(tmp_path / "c", data(HEATMAP, "image/png"))

    assert set(pages_of(tmp_path / "c")) == before


def test_pages_looked_through_are_archived_and_marked(tmp_path):
    """In the catalogue, `why`, the report and the export; they are no part of the collection."""
    out = tmp_path / "c"
    crawl_web(out, data(PHOTO, "image/png"), selection="text", t2=0.0, exploration="text", t3=0.0)
    page = pages_of(out)["http://a.test/other"]

    assert (page.explored, page.link.trail) == (True, 1)
    with Collection.open(out) as collection:
        assert collection.reader.harvest_curve()[-1] == (2, 1)
    assert "for its links only" in explain(out, "http://a.test/other").verdict
    assert "<b>1</b><span>only looked through</span>" in write_report(out).read_text("utf-8")


@pytest.mark.parametrize(("rule", "shows"), [("mean", True), ("eh", False)])
def test_a_changed_spec_keeps_what_images_showed(tmp_path, rule, shows):
    """Judged again from the archive, images are looked at first, by the rule of now."""
    out = tmp_path / "c"
    crawl_web(out, data(HEATMAP, "image/png"))
    crawl_web(out, data(HEATMAP, "image/png"), t1=0.8, rule=rule)
    with Collection.open(out) as collection:
        start = next(page for page in collection.reader.pages() if page.link.url == "http://a.test/")
        (link,) = [link for link in collection.reader.links(start.id) if not link.hold and link.anchor]
        ((_, evidence),) = collection.reader.images()

    assert ("its page shows such an image" in link.rule) is shows
    assert (fact_of(evidence, "image", Score).value >= 0.5) is shows
