"""The figures of docs/as-user.md come from the lab, row by row."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.user_figures import BEGIN, END, PAGE, Case, f1_of_all, measured, rows, table, written


def test_a_case_becomes_rows_of_the_table(demo_folder: Path):
    """A row a strategy, with as many figures as the head has columns."""
    case = Case("demo", "keywords,examples:3", pages=20)
    compared = measured(case, demo_folder, 1, ["best-first"], processes=1)
    made = rows(case, compared)
    head = table(made).splitlines()[0]

    assert len(made) == 1
    assert made[0].startswith("| demo | keywords,examples:3 | best-first | 5 | ")
    assert made[0].count("|") == head.count("|")
    run = compared.runs[0]
    relevant = len(compared.web.topics[run.topic].relevant()) - 3
    right = run.precision * len(run.collected)
    assert f1_of_all(run, compared) == pytest.approx(2 * right / (len(run.collected) + relevant))


def test_the_page_has_a_place_for_them():
    """What is written goes between the marks, and stays the only thing there."""
    text = PAGE.read_text(encoding="utf-8")
    again = written(written(text, "old"), "new")

    assert again.count(BEGIN) == again.count(END) == 1
    assert "old" not in again.partition(BEGIN)[2].partition(END)[0]
    assert again.partition(END)[2] == text.partition(END)[2]
