"""The table of image rules holds out whole sources and has a line for every rule."""

from __future__ import annotations

import numpy as np
import pytest
from research.images.heatmap_model import make_model
from research.images.measure import SHARED_HEATMAPS, measure, steadiness

from lycosa.methods.multimedia.image_training import Examples, Setting
from lycosa.methods.multimedia.images.model import RULES, ImageModel, describe
from lycosa.values import Score
from tests.methods.multimedia.images.drawn import graded_map, noise, png

QUICK = [Setting(3, 1, False)]


def drawn() -> Examples:
    images = [draw(i) for i in range(20) for draw in (graded_map, noise)]
    sources = tuple(f"site{i // 4}" for i in range(40))
    return Examples(np.array([describe(image) for image in images]), ("heatmap", "other") * 20, sources, ())


def test_every_rule_has_its_figures():
    """Drawn maps and noise are told apart by the default rule on sources never seen."""
    table = {row.rule: row for row in measure(drawn(), seeds=[0, 1], settings=QUICK)}

    assert set(table) == set(RULES)
    assert table["mean"].f1 == 1
    assert table["mean"].f1_se == 0


def test_other_forms_of_the_same_pictures_are_compared(tmp_path):
    """Drawn maps stay maps, and noise noise, at half the size; nothing differs from itself."""
    for name, draw in (("heatmap", graded_map), ("other", noise)):
        (tmp_path / name).mkdir()
        for i in range(20):
            (tmp_path / name / f"site{i // 4}__{i}.png").write_bytes(png(draw(i)))
    rows = {row.form: row for row in steadiness(tmp_path, forms=["as they are", "half as large"])}

    assert rows["as they are"].flipped == 0
    assert rows["half as large"].f1 > 0.8


@pytest.mark.shared
@pytest.mark.skipif(not SHARED_HEATMAPS.is_dir(), reason="needs ../shared")
def test_the_built_in_model_knows_its_own_examples():
    """Of the images it was fitted on it knows nearly all: the shipped file fits the descriptors."""
    model = ImageModel.builtin()
    files = sorted(SHARED_HEATMAPS.glob("*/*"))[::40]
    judged = model.judge_all([file.read_bytes() for file in files])
    right = [isinstance(j, Score) and j.label == f.parent.name for j, f in zip(judged, files, strict=True)]

    assert np.mean(right) > 0.95


def test_the_shipped_model_is_made_by_one_command(tmp_path):
    """The same examples give the same file, with its provenance and its figures on held-out sources."""
    for name in ("a.model", "b.model"):
        make_model(drawn(), draws=[0], settings=QUICK, say=lambda _: None).save(tmp_path / name)
    about = ImageModel.load(tmp_path / "a.model").about

    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    assert "20 graded maps, 20 others" in about["provenance"]
    assert set(about["measured"]["heatmap"]) == set(RULES)
