"""Which strategy to take when: five lines, whose figures are data."""

from __future__ import annotations

from lycosa.methods.choosing import Figures, choices, choices_table, choices_text, figures_in
from lycosa.methods.lookup import strategy_names

FOUND = Figures(
    "two webs",
    "Tuned elsewhere.",
    {"pages": 200},
    {"best-first": {"recall": 0.4, "precision": 0.61}, "opic": {"recall": 0.2}},
)


def test_five_strategies_are_somebodys_choice():
    names = [choice.strategy for choice in choices()]
    assert len(names) == 5
    assert {*names} <= {*strategy_names()}


def test_figures_are_shown_where_there_are_some():
    for text in (choices_text(FOUND), choices_table(FOUND)):
        assert "(finds 40%, right 61%)" in text
        assert "Measured on two webs" in text
        assert "Tuned elsewhere." in text
    assert "Measured" not in choices_text(Figures())
    assert {choice.measured for choice in choices(FOUND)} == {"", "two webs. Tuned elsewhere."}


def test_the_shipped_figures_say_what_was_tuned_on_them():
    """A figure without that is read as if it held everywhere."""
    figures = figures_in()
    assert figures.measured
    assert "tuned" in figures.tuned


def test_the_shipped_figures_are_of_strategies_that_there_are():
    assert {*figures_in().strategies} <= {*strategy_names()}
