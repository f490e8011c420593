"""Curves of the lab: what a run that ran dry may claim."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa_lab.plots import draw_curves, figure_library, harvest_over_pages
from lycosa_lab.runs.run import Run

pytest.importorskip("matplotlib")


def _run(curve: list[int], strategy: str = "best-first", *, ran_dry: bool = False) -> Run:
    none = (0.0, 0.0, 0.0)
    return Run(strategy, {}, "owls", 1, 8, 10, curve, [], [], 0.0, none, none, {}, [], None, ran_dry=ran_dry)


def test_a_run_that_ran_dry_is_not_drawn_as_if_it_had_gone_on():
    """Its line ends with it, and its harvest never passes that of who found as much with the same pages."""
    dry, oracle = _run([1, 2, 3], ran_dry=True), _run([1, 2, 3, 4, 4, 4, 4, 4], "oracle")
    assert (harvest_over_pages(dry, 8) <= harvest_over_pages(oracle, 8)).all()
    figure, axes = figure_library().subplots()
    draw_curves(axes, [dry, oracle], 8, harvest_over_pages, "harvest")
    ends = [max(line.get_xdata()) for line in axes.lines if line.get_label() == "best-first"]
    assert ends == [3]
    assert max(np.max(line.get_xdata()) for line in axes.lines) == 8
    figure_library().close(figure)


def test_examples_that_use_up_the_budget_leave_a_line_whole():
    """Given three examples, five of eight pages count: the line is solid to the end of the budget."""
    figure, axes = figure_library().subplots()
    draw_curves(axes, [_run([1, 2, 3, 3, 4])], 8, harvest_over_pages, "harvest")

    assert [line.get_linestyle() for line in axes.lines] == ["-"]
    assert max(axes.lines[0].get_xdata()) == 8
    figure_library().close(figure)
