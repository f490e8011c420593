"""A setting over its values, as `lab run --set S.KEY=FIRST:LAST:STEP` takes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.errors import SpecError
from lycosa_lab.grids.variants import variants


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


def test_a_picture_of_another_kind_is_refused(demo_folder: Path, tmp_path: Path):
    """Before the runs, with the endings that there are."""
    out = tmp_path / "a.docx"
    refused = CliRunner().invoke(app, ["lab", "run", str(demo_folder), "--plot", str(out)]).exception
    assert isinstance(refused, SpecError)
    assert "ends in .png or .svg" in str(refused)
