"""The tables of research/as-user.md come from kept runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from research.measured import Case, Measured, measured

from lycosa_lab.webs.web import VirtualWeb
from research import user_figures

CASE = Case("demo", user_figures.RANKINGS, 20, 1, given="keywords,examples:3", topics=("bread", "owls"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Measured, Path]:
    """Small runs, and their folder."""
    kept = tmp_path_factory.mktemp("kept")
    return measured(CASE, Path(), kept, processes=1), kept


def test_runs_are_made_once(runs: tuple[Measured, Path], monkeypatch: pytest.MonkeyPatch):
    """The same case is read from the folder; a different number of pages is a different case."""
    found, kept = runs
    monkeypatch.setattr("research.measured.compare", lambda *_, **__: 1 / 0)

    assert measured(CASE, Path(), kept) == found
    assert len(found.runs) == 4
    with pytest.raises(ZeroDivisionError):
        measured(msgspec.structs.replace(CASE, pages=30), Path(), kept)


def test_f1_of_all_counts_pages_that_no_link_leads_to(runs: tuple[Measured, Path]):
    """It counts all relevant pages of the web."""
    found, kept = runs
    web, run = VirtualWeb.open(kept / "demo-web"), found.runs[0]
    relevant = len(web.topics[run.topic].relevant()) - 3
    right = run.precision * len(run.collected)

    assert user_figures.f1_of_all(run, 3, web) == pytest.approx(2 * right / (len(run.collected) + relevant))


def test_losses_are_counted_by_topic(runs: tuple[Measured, Path]):
    """Knowing more of the truth never lowers F1; with the most answers there is a row for each topic."""
    found, _ = runs
    for run in found.runs:
        assert all(of_run(run) >= run.f1 - 1e-9 for of_run in user_figures.BETTER.values())
    table = user_figures.lost({("wikischools", user_figures.ANSWERED[-1]): found}).splitlines()
    assert [row.split(" | ")[1] for row in table[2:]] == ["all", "bread", "owls"]
