"""Image models are fitted from folders, on folds by source, and bad folders are named clearly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lycosa.errors import InputError
from lycosa.methods.multimedia.image_training import (
    Setting,
    average_precision,
    folds_of,
    read_sources,
    source_of,
    train_images,
)
from lycosa.methods.multimedia.images.model import ImageModel
from tests.methods.multimedia.images.drawn import fact, graded_map, line_chart, noise, png

QUICK = [Setting(10, 1, False)]


def fill(folder: Path, draw, count: int) -> Path:
    folder.mkdir()
    for i in range(count):
        (folder / f"site{i % 4}__{i}.png").write_bytes(png(draw(i)))
    return folder


@pytest.fixture
def folders(tmp_path) -> dict[str, Path]:
    return {"good": fill(tmp_path / "good", graded_map, 12), "other": fill(tmp_path / "other", noise, 12)}


def test_two_folders_make_a_model(folders, tmp_path):
    """Train, save, load, judge: the way of the command line."""
    train_images(folders, settings=QUICK, provenance="drawn").save(tmp_path / "maps.model")
    model = ImageModel.load(tmp_path / "maps.model")

    assert fact(model.judge(png(graded_map(77)))).label == "good"
    assert fact(model.judge(png(noise(77)))).label == "other"
    assert model.about["provenance"] == "drawn"
    assert model.about["examples"] == {"good": 12, "other": 12}
    assert model.about["folds"] == {"good": "by source"}


def test_training_twice_gives_the_same_model(folders, tmp_path):
    """Folds are drawn from a seed and files are read in the order of names."""
    for name in ("a", "b"):
        train_images(folders, settings=QUICK).save(tmp_path / name)

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_settings_are_searched_by_default(folders):
    """C, γ and class weights come from cross-validation and are told in the metadata."""
    model = train_images(folders)

    assert set(model.about["figures"]["good"]["all"]["setting"]) == {"c", "gamma", "balanced"}


def test_three_folders_make_two_classes(folders, tmp_path):
    """Any number of classes; the rest can be named."""
    folders["chart"] = fill(tmp_path / "chart", line_chart, 12)

    model = train_images(folders, rest="other", settings=QUICK)

    assert [c.label for c in model.classes] == ["good", "chart"]
    assert fact(model.judge(png(line_chart(55)))).label == "chart"


def test_the_last_folder_is_the_rest_where_none_is_called_other(folders):
    """`train images GOOD BAD`: the second folder is what is not sought."""
    model = train_images({"maps": folders["good"], "bad": folders["other"]}, settings=QUICK)

    assert model.rest == "bad"


def test_broken_files_are_skipped_and_listed(folders):
    """A text, an SVG and half a PNG among the images cost only themselves."""
    (folders["good"] / "notes.txt").write_text("no image")
    (folders["good"] / "map.svg").write_text("<svg/>")
    (folders["other"] / "half.png").write_bytes(png(noise(1))[:300])
    (folders["other"] / ".hidden").write_text("not even listed")

    skipped = dict(train_images(folders, settings=QUICK).about["skipped"])

    assert {Path(file).name for file in skipped} == {"notes.txt", "map.svg", "half.png"}
    assert all(skipped.values())


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("empty", r"empty has no readable images\. Put at least 10"),
        ("bad", r"12 skipped, such as 0\.png"),
        ("nowhere", "not a folder"),
    ],
)
def test_a_folder_without_images_is_refused(folders, tmp_path, name, complaint):
    """The message names the folder or the skipped files, and says what to do."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    for i in range(12):
        (tmp_path / "bad" / f"{i}.png").write_bytes(b"broken")
    with pytest.raises(InputError, match=complaint):
        train_images({"good": tmp_path / name, "other": folders["other"]})


def test_classes_that_cannot_be_told_apart_are_refused(folders):
    """A single class, or a rest that is no class: the message names the classes."""
    with pytest.raises(InputError, match="two classes"):
        train_images({"good": folders["good"]})
    with pytest.raises(InputError, match="good, other"):
        train_images(folders, rest="others")


def test_folds_hold_out_whole_sources():
    """No source is in both parts of a fold."""
    truth = np.array([True, False] * 20)
    sources = [f"s{i // 4}" for i in range(40)]

    folds, way = folds_of(truth, sources, 0)

    assert way == "by source"
    for train, test in folds:
        assert not {sources[i] for i in train} & {sources[i] for i in test}


def test_too_few_sources_fall_back_to_folds_by_image():
    """One source for everything cannot be held out; the metadata will say so."""
    truth = np.array([True, False] * 20)

    folds, way = folds_of(truth, ["one"] * 40, 0)

    assert way == "by image"
    assert sorted(i for _, test in folds for i in test) == list(range(40))


def test_sources_come_from_a_file_or_from_names(tmp_path):
    """A CSV with file and source; else what stands before two underscores; else the file itself."""
    (tmp_path / "s.csv").write_text("file,source\ngood/a.png,one\nb.png,two\n")

    assert read_sources(tmp_path / "s.csv") == {"a.png": "one", "b.png": "two"}
    assert source_of("site__1.png") == "site"
    assert source_of("1.png") == "1.png"


@pytest.mark.parametrize("text", ["", "name,site\na,b\n", "file,source"])
def test_a_wrong_sources_file_says_how_to_begin(tmp_path, text):
    """The first line that it needs is in the message."""
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError, match="file,source"):
        read_sources(tmp_path / "s.csv")


def test_a_missing_sources_file_is_refused(tmp_path):
    """It cannot be read."""
    with pytest.raises(InputError, match="cannot be read"):
        read_sources(tmp_path / "none.csv")


def test_average_precision_of_a_perfect_order_is_one():
    """All positives first."""
    assert average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, True, False])) == 1
