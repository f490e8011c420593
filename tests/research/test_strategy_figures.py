"""Tables, picture and shipped figures of strategies come from the same kept runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from research.measured import Case, Measured, measured

from lycosa.methods.choosing import figures_in
from lycosa_lab.plots import plot_webs
from research import strategy_figures

CASE = Case("demo", ("fused", "breadth-first", "oracle", "look-ahead"), 20, 2, topics=("owls",))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Small runs on the demo web."""
    return measured(CASE, Path(), tmp_path_factory.mktemp("kept"), processes=1)


def test_oracles_come_last_and_are_not_tested(found: Measured):
    """A row for each strategy; oracles have no p values."""
    rows = [row.split(" | ") for row in strategy_figures.compared(found).splitlines()[2:]]

    assert {row[0] for row in rows[2:]} == {"| oracle", "| look-ahead"}
    assert {row[0]: bool(row[2].strip()) for row in rows} == {
        "| fused": False,
        "| breadth-first": True,
        "| oracle": False,
        "| look-ahead": False,
    }


def test_a_part_that_is_left_out_has_a_row(found: Measured):
    """It is compared with all parts on the same draws."""
    runs = found.by_strategy["fused"]

    row = strategy_figures.ablation(runs, {"url": runs[:1]}).splitlines()[-1]

    assert row.startswith("| url | 1 | ")
    assert row.endswith("| 1.000 |")


def test_figures_are_the_means_of_runs(found: Measured, tmp_path: Path):
    """The shipped file can be read."""
    figures = strategy_figures.figures_of("a web", found)
    strategy_figures.write(figures, tmp_path / "figures.json")
    runs = found.by_strategy["fused"]

    assert figures_in(tmp_path / "figures.json") == figures
    assert figures.strategies["fused"]["recall"] == round((runs[0].recall + runs[1].recall) / 2, 4)


def test_all_webs_are_one_picture(found: Measured, tmp_path: Path):
    """With one legend."""
    webs = {"a": (found.runs, 20), "b": (found.runs[:2], 20)}

    assert [path.name for path in plot_webs(webs, tmp_path / "w.png")] == ["w.png", "w.svg"]
