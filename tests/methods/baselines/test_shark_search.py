"""Shark-search: what is inherited fades, what stands around counts."""

from __future__ import annotations

import math

from lycosa.methods.baselines.shark_search import Inherited, SharkSearch, inherited_score, neighbourhood
from lycosa.values import Link, Score, fact_of
from tests.methods.conftest import analysed


def test_score_is_the_papers(ready):
    """g · inherited + (1 - g) · neighbourhood, for a link with a telling anchor and one without."""
    strategy = SharkSearch().fit(ready)
    page = analysed(strategy, "<p>owl <a href=/1>owl night</a> <a href=/2>bread</a>")
    decisions = strategy.rank(page, strategy.judge(page))
    inherited = inherited_score(fact_of(page.evidence, "topic", Score).value, 0.0, 0.5)
    around = page.link_evidence["neighbourhood"]
    assert math.isclose(around[0], neighbourhood(ready.topic.of_text("owl night"), 0.0, 0.8))
    for decision, score in zip(decisions, around, strict=True):
        assert math.isclose(decision.priority, 0.1 * inherited + 0.9 * score)


def test_interest_fades_along_irrelevant_pages(ready):
    """A page without the topic hands on half of what it inherited, by the memo of its link."""
    strategy = SharkSearch().fit(ready)
    link = Inherited(0.4).on(Link("http://a.example/", 1))
    page = analysed(strategy, "<p>bread <a href=/1>bread</a>", link)
    (decision,) = strategy.rank(page, strategy.judge(page))
    assert Inherited.of(decision.link) == Inherited(0.2)
