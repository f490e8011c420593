"""Images as a guide of fused: links wait at once, images come one by one, and a hit speaks for the links of its page."""

from __future__ import annotations

import math
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from lycosa.engine.start.checking import check_spec
from lycosa.errors import LycosaError, SpecError
from lycosa.methods import Step
from lycosa.methods.fused.record import extras_in, read_records
from lycosa.methods.fused.strategy import Fused
from lycosa.methods.multimedia import guide as guiding
from lycosa.methods.multimedia.guide import ShownImages
from lycosa.methods.multimedia.led_to import LedTo
from lycosa.methods.multimedia.shown import IMAGES_FIRST
from lycosa.methods.multimedia.strategy import Multimedia
from lycosa.methods.preparation import Preparation
from lycosa.testing import Site, data, status
from lycosa.urls import key_of
from lycosa.values import Decision, Image, Judgement, Kind, Link, Merge, Page, Reason, Score
from lycosa.why import explain
from lycosa_lab.demo_web import maps
from tests.crawling import crawl, crawling, kept, pages_of, spec_text
from tests.misbehaviours import stalls

HALF = Judgement(False, 0.5)
HEATMAP = maps.heatmap(Random("heatmap4"))
PHOTO = maps.photograph(Random(1))


def close(value: float) -> Any:
    return pytest.approx(value, abs=1e-3)


def url_of(name: str) -> str:
    return f"http://a.test/{name}"


def page_with(name: str, images: Sequence[str], *links: str) -> Page:
    """A page with images before its first link."""
    own = Link(url_of(name), key_of(url_of(name)))
    found = [Link(url_of(to), key_of(url_of(to)), position=at, parent=own.key) for at, to in enumerate(links)]
    shown = [Image(url_of(image), key_of(url_of(image))) for image in images]
    return Page(own, own.url, links=tuple(found), images=tuple(shown))


def image_page(name: str, value: float) -> Page:
    link = Link(url_of(name), key_of(url_of(name)), kind=Kind.IMAGE)
    return Page(link, link.url, evidence={"image": Score(value)})


def seen(guide: ShownImages | Fused, name: str, value: float) -> list[Step]:
    """What is done when an image has been looked at."""
    page = image_page(name, value)
    guide.learn(page.link, HALF, page.evidence)
    return list(guide.rank(page, HALF))


def decisions(steps: Sequence[Step]) -> list[Decision]:
    found = [step for step in steps if isinstance(step, Decision)]
    assert len(found) == len(steps)
    return found


def taught(guide: ShownImages) -> ShownImages:
    """One that has seen such pages lead to good ones, and others to bad ones."""
    for page, relevance, parent in (
        (1, 0.5, 0),
        (2, 0.5, 0),
        *((n, 1.0, 1) for n in range(3, 43)),
        (43, 0.0, 2),
    ):
        guide.led_to_.learn(page, relevance, parent)
    guide.led_to_.shows(1)
    return guide


SHOWN = math.log(7 / 3)
"""What an image says then: log( (40 + 10 r) / (20 + 10) / r ), r = 1 / 1.5."""


@pytest.fixture
def guide(ready: Preparation) -> ShownImages:
    return taught(Multimedia().fit(ready).as_guide())


def test_links_wait_at_once_and_images_come_one_by_one(guide):
    """No words refuse a link, none is held; the second image waits for the first to come."""
    page = page_with("p", ["i.png", "j.png", "k.png"], "good", "bad")
    good, bad, first, second, third = decisions(guide.rank(page, HALF))

    assert [(one.hold, one.refusal, one.priority, guide.log_odds(one)) for one in (good, bad)] == [
        ("", None, 0.5, 0.0)
    ] * 2
    assert (first.link.kind, first.hold, first.link.url) == (Kind.IMAGE, "", url_of("i.png"))
    assert first.priority > 1
    assert (second.hold, second.waits_for) == (third.hold, (first.link.key,))

    then, last = guide.settle([second.link, third.link], None)
    assert (then.link.url, then.hold, last.waits_for) == (url_of("j.png"), "", (second.link.key,))


def test_a_hit_speaks_for_the_links_of_its_page(guide):
    """They are told of again; the images that are left are not asked for, and the next page with it knows at once."""
    *_, held = decisions(guide.rank(page_with("p", ["i.png", "j.png"], "one", "two"), HALF))

    told = decisions(seen(guide, "i.png", 0.9))
    assert [(one.link.url, guide.log_odds(one)) for one in told] == [
        (url_of("one"), close(SHOWN)),
        (url_of("two"), close(SHOWN)),
    ]
    (dropped,) = guide.settle([held.link], None)
    assert dropped.refusal.reason is Reason.NOT_NEEDED
    (again,) = decisions(guide.rank(page_with("q", ["x.png", "i.png"], "three"), HALF))
    assert guide.log_odds(again) == close(SHOWN)


def test_other_images_say_nothing(guide):
    """Neither for links nor against them; and they are not asked for again."""
    guide.rank(page_with("p", ["i.png"], "one"), HALF)

    assert seen(guide, "i.png", 0.1) == []
    assert not guide.looked_
    (again,) = decisions(guide.rank(page_with("q", ["i.png"], "two"), HALF))
    assert guide.log_odds(again) == 0.0


def test_one_image_of_two_pages_speaks_for_both(guide):
    """Whoever asked for it first."""
    guide.rank(page_with("p", ["i.png"], "one"), HALF)
    guide.rank(page_with("q", ["j.png", "i.png"], "two"), HALF)

    assert [one.link.url for one in decisions(seen(guide, "i.png", 0.9))] == [url_of("one"), url_of("two")]


def test_it_says_what_such_pages_have_led_to(ready):
    """Nothing at first; more with each good page found there; nothing where other pages lead to more."""
    guide = Multimedia().fit(ready).as_guide()
    seen(guide, "i.png", 0.9)
    page = page_with("p", ["i.png"], "one", "two")
    one, two = decisions(guide.rank(page, HALF))
    assert guide.log_odds(one) == 0.0

    guide.learn(page.link, HALF, {})
    guide.learn(one.link, Judgement(True, 1.0), {})
    assert guide.log_odds(two) > 0
    guide.rejudged({one.link.key: Judgement(False, 0.0)})
    assert guide.led_to_.lift < 0
    assert guide.log_odds(two) == 0.0


def test_what_pages_led_to_is_the_same_in_any_order():
    """Whether a page shows it is known before its links are judged, or after; a page that is judged twice counts once."""
    known, later = LedTo(), LedTo()
    known.shows(1)
    for one in (known, later):
        for key, relevance, parent in ((1, 0.5, 0), (2, 0.25, 0), (3, 0.75, 1), (4, 0.5, 2), (3, 0.1, 1)):
            one.learn(key, relevance, parent)
    later.shows(1)

    assert known.lift == pytest.approx(later.lift)
    assert known.lift > 0
    known.correct(3, 0.5)
    known.correct(3, 0.75)
    assert known.lift == pytest.approx(later.lift)


def test_it_fades_with_the_distance(ready):
    """With `fade` an image counts half that many links away."""
    guide = taught(Multimedia(fade=1.0).fit(ready).as_guide())
    guide.rank(page_with("p", ["i.png"], "near", "far"), HALF)
    image = msgspec.structs.replace(page_with("p", ["i.png"]).images[0], after_link=-1)
    known = msgspec.structs.replace(page_with("p", [], "near", "far"), images=(image,))
    seen(guide, "i.png", 0.9)

    near, far = decisions(guide.rank(known, HALF))
    assert guide.log_odds(near) == close(SHOWN)
    assert guide.log_odds(far) == close(SHOWN / 2)


def test_only_what_can_matter_is_asked_for(ready):
    """No drawings, no small ones, at most `max_images`, and nothing for a page without links."""
    guide = Multimedia(max_images=2).fit(ready).as_guide()
    small = Image(url_of("s.png"), 5, width=90, height=400)
    page = page_with("p", ["a.svg", "b.png", "b.png", "c.png", "d.png"], "one")
    page = msgspec.structs.replace(page, images=(small, *page.images))

    assert [one.link.url for one in decisions(guide.rank(page, HALF))[1:]] == [
        url_of("b.png"),
        url_of("c.png"),
    ]
    assert guide.rank(page_with("q", ["e.png"]), HALF) == []


def test_pages_whose_images_come_too_slowly_go_without(guide, monkeypatch):
    """What is remembered of pages is bounded; the images that are left of the oldest one are not asked for."""
    monkeypatch.setattr(guiding, "PAGES", 1)
    *_, held = decisions(guide.rank(page_with("p", ["i.png", "j.png"], "one"), HALF))
    guide.rank(page_with("q", ["k.png"], "two"), HALF)

    assert list(guide.looked_) == [key_of(url_of("q"))]
    assert seen(guide, "i.png", 0.9) == []
    assert guide.settle([held.link], None)[0].refusal


def test_what_was_shown_before_a_restart_is_known(ready, guide):
    """Images are learned again from the catalogue; what a page had still to ask for is not asked for any more."""
    *_, held = decisions(guide.rank(page_with("p", ["i.png", "j.png"], "one"), HALF))
    again = taught(Multimedia().fit(ready).as_guide())
    page = image_page("i.png", 0.9)
    again.learn(page.link, HALF, page.evidence)

    assert again.settle([held.link], None)[0].refusal
    (link,) = decisions(again.rank(page_with("q", ["i.png"], "one"), HALF))
    assert again.log_odds(link) == close(SHOWN)


@pytest.fixture
def guided(ready: Preparation) -> Fused:
    fused = Fused().fit(replace(ready, options={"multimedia": {}}))
    assert isinstance(fused.guide_, ShownImages)
    taught(fused.guide_)
    return fused


def test_fused_has_what_images_say_among_its_evidence(guided):
    """The records of links have it when an image was seen; an image has no record, and goes first."""
    link, image = decisions(guided.rank(page_with("p", ["i.png"], "one"), HALF))
    (told,) = decisions(seen(guided, "i.png", 0.9))
    (known,) = guided.ranking_.merge([link.link.record], [told.link.record])

    assert guided.merge is Merge.KEEP
    assert (image.link.record, image.priority) == (b"", IMAGES_FIRST)
    assert (extras_in(link.link.record)[0][0], extras_in(known)[0][0]) == (0.0, close(SHOWN))
    assert read_records([known])["links"].tolist() == [1], "the same page"
    before, after = (guided.ranking_.scored([one])[0][0] for one in (link.link.record, known))
    assert after > before


def test_the_best_page_that_links_to_a_url_counts(guided):
    """A page without such an image, found later, does not take away what another has shown."""
    seen(guided, "i.png", 0.9)
    (shown,) = decisions(guided.rank(page_with("p", ["i.png"], "one"), HALF))
    (other,) = decisions(guided.rank(page_with("q", [], "one"), HALF))
    (both,) = guided.ranking_.merge([shown.link.record], [other.link.record])

    assert extras_in(both)[0][0] == close(SHOWN)
    assert read_records([both])["links"].tolist() == [2]


def test_without_images_it_has_nothing_to_say(ready):
    """A table that looks at no image is refused where it should guide."""
    with pytest.raises(SpecError, match=r"selection is 'text'.*Leave selection out"):
        Fused().fit(replace(ready, options={"multimedia": {"selection": "text"}}))


def hub(*images: str, to: Sequence[str]) -> str:
    shown = "".join(f'<img src="{image}">' for image in images)
    return f"{shown}<p>A list of air pages {to}</p>" + "".join(
        f'<p><a href="{one}">more</a></p>' for one in to
    )


# Lists that say alike: behind those with the map stand pages about air, behind the other none.
MAPPED = ("/first", "/second", "/third")
WEB: dict[str | tuple[str, str], Any] = {
    "/": hub(to=["/plain", *MAPPED]),
    "/plain": hub("/photo.png", to=[f"/plain/{n}" for n in range(4)]),
    **{
        name: hub("/photo.png", f"{name}.png", "/other.png", to=[f"{name}/{n}" for n in range(4)])
        for name in MAPPED
    },
    "/photo.png": data(PHOTO, "image/png"),
    **{f"{name}.png": data(HEATMAP + name.encode(), "image/png") for name in MAPPED},
    "/other.png": data(PHOTO + b" ", "image/png"),
    **{f"/plain/{n}": f"<p>The shop {n} sells bread" for n in range(4)},
    **{f"{name}/{n}": f"<p>Air and ozone, {name} {n}: air, ozone" for name in MAPPED for n in range(4)},
}
PAGES = [path for path in map(str, WEB) if "." not in path]


def spec(site: Site, **tables: dict[str, Any]) -> str:
    fetch = {
        "per_host_delay_s": 0,
        "per_host_concurrency": 1,
        "retries": 0,
        "read_timeout_s": 1.0,
        "connect_to": site.connect_to,
        "allow_private": list(site.allow_private),
    }
    multimedia: dict[str, dict[str, Any]] = {"multimedia": {}, **tables}
    return spec_text(
        site,
        ["http://a.test/"],
        top={},
        fetch=fetch,
        topic={"keywords": ["air", "ozone"]},
        judge={"kind": "topic"},
        **multimedia,
    )


def crawl_web(
    out: Path, more: dict[str | tuple[str, str], Any] | None = None, **tables: dict[str, Any]
) -> list[str]:
    """Crawl it with the default strategy; what was answered, in order."""
    with Site({**WEB, **(more or {})}) as site:
        crawl(spec(site, **tables), out)
    return [url.removeprefix("http://a.test") for url in pages_of(out)]


def part_in_why(out: Path, path: str) -> float:
    words = "whether a page that links to it shows such an image, and what such pages have led to"
    return dict(explain(out, f"http://a.test{path}").ranked_by).get(words, 0.0)


def test_a_crawl_goes_by_images(tmp_path):
    """What stands behind later maps has it among its reasons, in words; no image after a map is asked for."""
    order = crawl_web(tmp_path / "c")
    last = max(MAPPED, key=order.index)

    assert set(PAGES) <= set(order)
    assert "/other.png" not in order
    assert part_in_why(tmp_path / "c", f"{last}/3") > 0
    assert part_in_why(tmp_path / "c", "/plain/3") == 0.0


@pytest.mark.parametrize("image", [stalls(), data(b"<html>", "image/png"), status(404), status(500)])
def test_a_map_that_does_not_come_costs_only_what_it_would_say(tmp_path, image):
    """All pages are fetched; the next image of the page is asked for."""
    order = crawl_web(tmp_path / "c", {f"{name}.png": image for name in MAPPED})

    assert {*PAGES, "/other.png"} <= set(order)
    assert not any(part_in_why(tmp_path / "c", f"{name}/3") for name in MAPPED)


def test_without_the_table_no_image_is_fetched(tmp_path):
    """The default strategy alone asks for pages only."""
    with Site(WEB) as site:
        crawl(spec(site).replace("[multimedia]\n", ""), tmp_path / "c")

    assert {page.kind for page in pages_of(tmp_path / "c").values()} == {Kind.PAGE}


def test_a_crawl_that_goes_on_knows_what_images_showed(tmp_path):
    """Stopped again and again, it fetches each page and image once; what images are worth is learned from the catalogue."""
    for pages in (2, 4, 7, 10, 21):
        order = crawl_web(tmp_path / "c", limits={"pages": pages})

    assert len(order) == len(set(order))
    assert set(PAGES) <= set(order)
    assert any(part_in_why(tmp_path / "c", f"{name}/3") > 0 for name in MAPPED)


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_killed_crawl_goes_on(tmp_path, nth):
    """Killed in the midst of a commit, then run again: all pages are there, each once."""
    with Site(WEB) as site:
        path = tmp_path / "crawl.toml"
        path.write_text(spec(site))
        with crawling(path, tmp_path / "c", "appended", str(nth)) as process:
            assert process.wait(600) == -signal.SIGKILL
        crawl(path.read_text(), tmp_path / "c")

    assert len(kept(tmp_path / "c")) == len(PAGES)
    assert "http://a.test/first.png" in pages_of(tmp_path / "c")


def test_a_changed_table_ranks_all_pages_again(tmp_path):
    """Images are looked at first; with another rule the maps say nothing any more."""
    order = crawl_web(tmp_path / "c", limits={"pages": 10})
    waiting = [path for path in PAGES if path not in order and path.startswith(MAPPED)]
    assert any(part_in_why(tmp_path / "c", path) > 0 for path in waiting)
    crawl_web(tmp_path / "c", limits={"pages": 10}, multimedia={"rule": "eh"})
    assert not any(part_in_why(tmp_path / "c", path) for path in waiting)


def test_check_says_what_is_missing(tmp_path):
    """A spec with the table is accepted; a model that is not there is named."""
    path = tmp_path / "crawl.toml"
    with Site(WEB) as site:
        path.write_text(spec(site))
        assert check_spec(path).strategy == "fused"
        path.write_text(spec(site, multimedia={"images": "maps.model"}))
        with pytest.raises(LycosaError, match=r"maps\.model"):
            check_spec(path)
        path.write_text(spec(site, multimedia={"selection": "text"}))
        with pytest.raises(SpecError, match="Leave selection out"):
            check_spec(path)
