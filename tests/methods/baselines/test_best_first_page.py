"""best-first-page: every link inherits its page's score."""

from __future__ import annotations

from lycosa.methods.baselines.best_first_page import BestFirstPage
from lycosa.values import Judgement
from tests.methods.conftest import analysed


def test_links_inherit_the_judges_score(ready):
    """All links of a page alike, whatever they say themselves."""
    strategy = BestFirstPage().fit(ready)
    page = analysed(strategy, '<p>owl <a href="/owl">owl</a> <a href="/x">bread</a>')
    judgement = strategy.judge(page)
    assert [decision.priority for decision in strategy.rank(page, judgement)] == [judgement.score] * 2
    assert [decision.priority for decision in strategy.rank(page, Judgement(False, 0.125))] == [0.125] * 2
