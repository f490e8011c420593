"""The programs on the judge, on tiny data."""

from __future__ import annotations

from tools.judge.coefficients import crawled
from tools.judge.cost import cost_at, made_pages
from tools.judge.links import SIGNS, summary
from tools.judge.links import crawled as crawled_with_links

from lycosa.demo import demo_web
from lycosa.lab.cache import CachedWeb
from lycosa.lab.given import parse_given
from lycosa.lab.grid import Laboratory
from lycosa.lab.protocol import Options
from lycosa.lab.web import VirtualWeb


def test_a_cost_is_measured():
    pages = made_pages(30)
    assert all(number > 0 for number in cost_at(pages))


def test_a_crawl_tells_what_calibration_saw(tmp_path):
    """Of every page but the examples, in both rounds, with the labels beside it."""
    demo_web().write(tmp_path / "web")
    web = CachedWeb(VirtualWeb.open(tmp_path / "web"))
    topic = sorted(web.web.topics)[0]
    laboratory = Laboratory(web, topic, 1, Options(pages=30, given=parse_given("examples:3")))
    laboratory.prepare(["best-first"])
    signs, relevant = crawled(laboratory, "best-first")
    assert [told.shape for told in signs] == [(len(relevant), 2)] * 2
    assert 0 < relevant.sum() < len(relevant)


def test_strategies_that_are_compared_begin_alike(tmp_path):
    """A judge that learned in one crawl of the lab knows nothing of it in the next."""
    demo_web().write(tmp_path / "web")
    web = CachedWeb(VirtualWeb.open(tmp_path / "web"))
    laboratory = Laboratory(
        web, sorted(web.web.topics)[0], 1, Options(pages=30, given=parse_given("examples:3"))
    )
    laboratory.prepare(["best-first"])
    first, second = (crawled(laboratory, "best-first")[1].tolist() for _ in range(2))
    assert first == second


def test_links_are_weighed_beside_words(tmp_path):
    """A row for each strategy and sign, each topic judged by what the other has taught."""
    demo_web().write(tmp_path / "web")
    web = CachedWeb(VirtualWeb.open(tmp_path / "web"))
    crawls = []
    for topic in ("bread", "owls"):
        laboratory = Laboratory(web, topic, 1, Options(pages=40, given=parse_given("keywords,examples:3")))
        laboratory.prepare(["best-first", "fused"])
        crawls += [crawled_with_links(laboratory, strategy) for strategy in ("best-first", "fused")]
    assert all(crawl.linked.any() and (crawl.linked == crawl.linked.T).all() for crawl in crawls)
    assert summary(crawls).count("| fused |") == len(SIGNS)
