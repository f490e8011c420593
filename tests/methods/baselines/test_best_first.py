"""best-first: the event paper's baseline, number by number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lycosa.learn.judges.kinds import EveryPage
from lycosa.learn.judges.learning import LearningJudge
from lycosa.methods import Preparation, best_first_priority
from lycosa.methods.baselines.best_first import BestFirst
from lycosa.values import Reason, Score, fact_of
from tests.methods.conftest import analysed


@pytest.fixture
def about(ready: Preparation) -> Preparation:
    """A preparation whose judge has no words of its own, so that the topic vector counts, as in the paper."""
    return replace(ready, judge=EveryPage())


PAGE = '<p>owl night <a href="/owl">owl</a> <a href="/x">bread</a>'


def test_priority_is_the_mean_of_link_and_page(about):
    """Each link waits by the mean of its own score and its page's."""
    strategy = BestFirst().fit(about)
    page = analysed(strategy, PAGE)
    decisions = strategy.rank(page, strategy.judge(page))
    of_page = fact_of(page.evidence, "topic", Score).value
    of_links = page.link_evidence["topic"]
    assert of_links[0] > 0 == of_links[1]
    assert [decision.priority for decision in decisions] == [
        best_first_priority(score, of_page) for score in of_links
    ]
    assert not any(decision.refusal for decision in decisions)


def test_by_a_judge_that_learns_links_wait_by_what_it_has_learned(ready):
    """The page counts by its probability, the anchor by the words of the judge; no other evidence is asked for."""
    strategy = BestFirst().fit(ready)
    assert [kind.name for kind in strategy.needs] == ["terms"]
    page = analysed(strategy, PAGE)
    judgement = strategy.judge(page)
    good, bad = strategy.rank(page, judgement)
    assert isinstance(ready.judge, LearningJudge)
    assert [good.priority, bad.priority] == [
        best_first_priority(score, judgement.score) for score in ready.judge.link_scores(page.links)
    ]
    assert good.priority > bad.priority


def test_url_threshold_refuses_and_keeps_the_score(about):
    """A link below it is refused with the setting's name, and `why` still shows its priority."""
    strategy = BestFirst(url_threshold=0.6).fit(about)
    page = analysed(strategy, PAGE)
    good, bad = strategy.rank(page, strategy.judge(page))
    assert good.refusal is None
    assert bad.refusal is not None
    assert bad.refusal.reason is Reason.LOW_PRIORITY
    assert "url_threshold" in bad.refusal.detail
    assert 0 < bad.priority < 0.6


def test_without_tunnelling_poor_pages_lead_nowhere(ready):
    """page_threshold counts only when tunnelling is off."""
    html = '<p>bread <a href="/owl">bread</a>'
    for tunnelling, refused in ((False, True), (True, False)):
        strategy = BestFirst(page_threshold=0.5, tunnelling=tunnelling).fit(ready)
        page = analysed(strategy, html)
        (decision,) = strategy.rank(page, strategy.judge(page))
        assert (decision.refusal is not None) == refused


@pytest.mark.parametrize(
    ("settings", "terms"), [({"k": 1}, {"owl"}), ({"k": 2, "weights": "centroid"}, {"owl", "night"})]
)
def test_a_vector_of_its_own(ready, settings, terms):
    """With k or centroid weights it ranks by a vector of the examples; the judge keeps the spec's."""
    strategy = BestFirst(**settings).fit(ready)
    assert set(strategy.topic_.vector) == terms
    assert [kind.name for kind in strategy.needs] == ["terms", "best-first"]
