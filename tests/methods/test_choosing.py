"""Which strategy to take when: five lines, whose figures are data."""

from __future__ import annotations

from lycosa.methods.choosing import Figures, choices, choices_table, choices_text, figures_in
from lycosa.methods.lookup import strategy_names

FOUND = Figures(
    "two webs", {"pages": 200}, {"best-first": {"recall": 0.4, "precision": 0.61}, "opic": {"recall": 0.2}}
)


def test_five_strategies_are_somebodys_choice():
    names = [choice.strategy for choice in choices()]
    assert len(names) == 5
    assert {*names} <= {*strategy_names()}


def test_figures_are_shown_where_there_are_some():
    for text in (choices_text(FOUND), choices_table(FOUND)):
        assert "(finds 40%, right 61%)" in text
        assert "Measured on two webs" in text
    assert "Measured" not in choices_text(Figures())


def test_the_shipped_figures_are_of_strategies_that_there_are():
    assert {*figures_in().strategies} <= {*strategy_names()}
