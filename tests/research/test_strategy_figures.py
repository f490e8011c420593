"""Tables, picture and shipped figures of strategies come from the same kept runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from research.measured import Case, Measured, measured

from lycosa.methods.choosing import figures_in
from research import strategy_figures

CASE = Case("demo", ("fused", "breadth-first", "oracle", "look-ahead"), 20, 2, topics=("owls",))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Small runs on the demo web."""
    return measured(CASE, Path(), tmp_path_factory.mktemp("kept"), processes=1)


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
