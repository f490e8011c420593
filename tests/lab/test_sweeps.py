"""A setting over its values, as `lab run --set S.KEY=FIRST:LAST:STEP` sweeps it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.errors import SpecError
from lycosa_lab.grids.grid import variants
from lycosa_lab.grids.sweeps import Sweep, plot_sweeps, sweeps
from lycosa_lab.metrics import Mean
from lycosa_lab.runs.run import Run


def run(strategy: str, found: int, **settings: object) -> Run:
    """A run of one page that found `found` of 4 targets."""
    name = " ".join([strategy, *(f"{key}={value}" for key, value in settings.items())])
    nothing = (0.0, 0.0, 0.0)
    return Run(name, dict(settings), "t", 1, 1, 4, [found], [], [], 0.0, nothing, nothing, {}, [0.0], None)


def test_a_range_is_a_grid():
    """First, last and step; the ends are included, and whole numbers stay whole."""
    weights = [dict(one.settings)["w_r"] for one in variants(["genre"], ["genre.w_r=0:1:0.05"])]
    assert weights == [round(0.05 * step, 2) for step in range(21)]
    pages = variants(["event"], ["event.prior_pages=1:3:1,0.5"])
    assert [one.settings[0][1] for one in pages] == [1, 2, 3, 0.5]


@pytest.mark.parametrize("wrong", ["1:0:0.1", "0:1:0", "0:100000:0.001"])
def test_a_range_that_makes_no_sense_is_refused(wrong: str):
    """The message shows how to write it."""
    with pytest.raises(SpecError, match=r"0:1:0\.05"):
        variants(["genre"], [f"genre.w_r={wrong}"])


def test_the_largest_area_wins():
    """Of equals the largest value; other settings of the grid are swept apart; two values are no sweep."""
    runs = [run("genre", found, w_r=value) for value, found in ((0.0, 1), (0.5, 3), (1.0, 3))]
    runs += [run("selective", 1, drop=flag, threshold=t) for flag in (True, False) for t in (1, 2, 3)]
    runs += [run("opic", 1, x=value) for value in (1, 2)]
    found = {(sweep.setting, sweep.others): sweep for sweep in sweeps(runs)}
    assert set(found) == {
        ("genre.w_r", ""),
        ("selective.threshold", "drop=True"),
        ("selective.threshold", "drop=False"),
    }
    best = found["genre.w_r", ""]
    assert best.best == 1.0
    assert best.areas[0.0].mean == 0.25
    assert "at 1" in best.told()


def test_pictures_have_names_for_any_system(tmp_path: Path):
    """Only letters, digits, - and _ come from a setting, and what the user calls the file stays whole."""
    found = Sweep("ideas/short.py:Short.fading", "", {n / 2: Mean(0.1, 0.0) for n in range(3)})
    drawn = plot_sweeps([found], tmp_path / "lab.v2.png")
    assert [path.name for path in drawn] == [f"lab.v2-short-py-Short-fading.{end}" for end in ("png", "svg")]
    assert all(path.exists() for path in drawn)


def test_a_picture_of_another_kind_is_refused(demo_folder: Path, tmp_path: Path):
    """Before the runs, with the endings that there are."""
    out = tmp_path / "a.docx"
    refused = CliRunner().invoke(app, ["lab", "run", str(demo_folder), "--plot", str(out)]).exception
    assert isinstance(refused, SpecError)
    assert "ends in .png or .svg" in str(refused)


def test_the_command_sweeps_w_r(demo_folder: Path, tmp_path: Path):
    """Simulated crawls for each w_R: the best is told, the areas are in the JSON and in a picture."""
    out = tmp_path / "lab.json"
    sizes = ["--topic", "owls", "--pages", "30", "--runs", "1", "--workers", "1", "--out", str(tmp_path)]
    sweep = ["--strategy", "genre", "--set", "genre.w_r=0:1:0.5"]
    result = CliRunner().invoke(app, ["lab", "run", str(demo_folder), *sweep, *sizes])
    assert result.exit_code == 0, result.output
    (found,) = json.loads(out.read_text())["sweeps"]
    assert [area["value"] for area in found["auc"]] == [0.0, 0.5, 1.0]
    assert f"largest AUC {max(area['mean'] for area in found['auc']):.4f}" in result.output
    assert (tmp_path / "lab-genre-w_r.png").stat().st_size > 1_000
