"""selective: anchor and context weighed, or, as in the paper, the context only where the anchor fails."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.errors import SpecError
from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.methods.selective.strategy import Selective
from lycosa.values import Merge, Reason
from tests.methods.conftest import analysed

PAGE = """<p>bread and bread <a href=/1>owl</a></p><p>owl owl at night <a href=/2>next</a></p>
    <p>bread bread <a href=/3>next one</a></p>"""


def test_anchor_then_context_then_dropped(ready):
    """A telling anchor decides alone; a mute one asks its context; what fails both is refused."""
    strategy = Selective(combine="paper").fit(ready)
    page = analysed(strategy, PAGE)
    by_anchor, by_context, dropped = strategy.rank(page, strategy.judge(page))
    assert (by_anchor.rule, by_anchor.refusal) == ("anchor text alone", None)
    assert (by_context.rule, by_context.refusal) == ("anchor text and link context", None)
    assert by_anchor.priority == page.link_evidence["anchor"][0]
    assert by_context.priority > page.link_evidence["anchor"][1]
    assert dropped.refusal is not None
    assert dropped.refusal.reason is Reason.LOW_PRIORITY
    assert strategy.merge is Merge.KEEP


def test_the_threshold_is_the_classifiers_boundary_unless_set(ready):
    """Without a setting the decision boundary; with one, that; drop = false lets all wait."""
    assert Selective(combine="paper").fit(ready).threshold_ == ready.model("text").boundary_probability
    strategy = Selective(combine="paper", threshold=1.0, drop=False).fit(ready)
    page = analysed(strategy, PAGE)
    assert strategy.threshold_ == 1.0
    assert not any(decision.refusal for decision in strategy.rank(page, strategy.judge(page)))


def test_weighed_averages_anchor_and_context(ready):
    """The default: both always count, nothing is dropped."""
    strategy = Selective(anchor_weight=0.5).fit(ready)
    page = analysed(strategy, PAGE)
    decisions = strategy.rank(page, strategy.judge(page))
    model = ready.model("sublinear")
    anchor, context = model.decision([{"owl": 1}, {"bread": 2, "owl": 1}])
    expected = model.sigmoid(np.array([(anchor + context) / 2]))[0]
    assert decisions[0].priority == pytest.approx(expected)
    assert not any(decision.refusal for decision in decisions)


def test_a_url_waits_by_the_best_and_the_mean_of_all_links_to_it(ready):
    """Found again with poorer words it falls, with better ones it rises; `lycosa why` tells both halves."""
    strategy = Selective().fit(ready)
    frontier = MemoryFrontier(Policy(max_waiting=10, records=strategy.records))
    offered: list[float] = []
    record = b""
    for words in ("owl", "bread", "owl owl at night"):
        page = analysed(strategy, f"<p>{words} <a href=/1>{words}</a></p>")
        (decision,) = strategy.rank(page, strategy.judge(page))
        frontier.add([decision])
        offered.append(decision.priority)
        state = frontier.find(decision.link.key)
        assert state is not None
        assert state.link.priority == pytest.approx((max(offered) + np.mean(offered)) / 2)
        record = state.link.record
    (_, best), (told, mean) = strategy.reasons(record)
    assert told == "mean of 3 links"
    assert best + mean == pytest.approx((max(offered) + np.mean(offered)) / 2)


def test_an_unknown_way_to_combine_is_refused(ready):
    """The message names the choices."""
    with pytest.raises(SpecError, match="'weighed' or 'paper'"):
        Selective(combine="max").fit(ready)  # type: ignore[arg-type]
