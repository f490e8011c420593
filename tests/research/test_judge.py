"""The programs on the judge, on tiny data."""

from __future__ import annotations

import pytest
from research.judge.coefficients import HELD, rows_of
from research.judge.coefficients import summary as coefficients_summary
from research.judge.crawls import STRATEGIES, JudgedCrawl, crawled, crawls_of

from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb


@pytest.fixture(scope="module")
def web(demo_folder) -> CachedWeb:
    return CachedWeb(VirtualWeb.open(demo_folder))


@pytest.fixture(scope="module")
def crawls(web) -> list[JudgedCrawl]:
    return crawls_of(web, "examples:3", 1, 40, ("bread", "owls"))


def test_a_crawl_has_the_signs_of_calibration(crawls):
    """Signs of every page except the examples, in both rounds, with the labels."""
    crawl = crawls[0]
    assert [told.shape for told in crawl.fitter.fitted({}).signs] == [(len(crawl.relevant), 2)] * 2
    assert len(crawl.found) == len(crawl.relevant) - 3
    assert 0 < crawl.relevant[crawl.found].sum() < len(crawl.found)


def test_compared_strategies_start_with_the_same_judge(web):
    """A judge that learned in one crawl of the lab knows nothing of it in the next."""
    laboratory = Laboratory(web, "bread", 1, Options(pages=30, given=parse_given("examples:3")))
    laboratory.prepare(["best-first"])
    first, second = (crawled(laboratory, "best-first").relevant.tolist() for _ in range(2))
    assert first == second


def test_coefficients_are_fitted_on_other_topics(crawls):
    """A row for each strategy and weight, chosen and shipped ones too; the same for another web."""
    told = coefficients_summary("examples", crawls, {"other": crawls[:2]})
    assert told.count("| fused |") == len(HELD) + 2 + len(HELD) + 1
    right = [crawl.relevant for crawl in crawls]
    assert {row[2] for row in rows_of("right", crawls, right)} == {"1.000"}
    assert len(crawls) == 2 * len(STRATEGIES)
