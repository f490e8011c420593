"""Which strategy to take when: five lines, whose figures are data."""

from __future__ import annotations

from tools.strategy_figures import figures_of, write

from lycosa.methods.choosing import Figures, choices, choices_table, choices_text, figures_in
from lycosa.methods.lookup import strategy_names

RESULT = {
    "strategies": [
        {
            "strategy": "best-first",
            "recall": {"mean": 0.4, "se": 0.1},
            "precision": {"mean": 0.61, "se": 0.0},
        },
        {"strategy": "opic", "recall": {"mean": 0.2, "se": 0.1}},
    ],
    "options": {"pages": 200},
}


def test_five_strategies_are_somebodys_choice():
    names = [choice.strategy for choice in choices()]
    assert len(names) == 5
    assert {*names} <= {*strategy_names()}


def test_figures_are_the_means_of_results(tmp_path):
    other = {"strategies": [{"strategy": "best-first", "recall": {"mean": 0.6, "se": 0.1}}], "options": {}}
    figures = figures_of("two webs", [RESULT, other])
    write(figures, tmp_path / "figures.json")
    assert figures_in(tmp_path / "figures.json") == figures
    assert figures.strategies["best-first"] == {"recall": 0.5, "precision": 0.61}
    assert figures.options == {"pages": 200}


def test_figures_are_shown_where_there_are_some():
    figures = figures_of("two webs", [RESULT])
    for text in (choices_text(figures), choices_table(figures)):
        assert "(finds 40%, right 61%)" in text
        assert "Measured on two webs" in text
    assert "Measured" not in choices_text(Figures())


def test_the_shipped_figures_are_of_strategies_that_there_are():
    assert {*figures_in().strategies} <= {*strategy_names()}
