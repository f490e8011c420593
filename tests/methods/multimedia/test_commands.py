"""`lycosa train images`, `judge` and a crawl with the model, as users call them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.collection import Collection
from lycosa.errors import InputError, LycosaError
from lycosa.testing import Site, data
from lycosa.values import Score, fact_of
from lycosa.why import explain, explanation_text
from lycosa_lab.demo_web import maps
from tests.crawling import crawl, pages_of, spec_text
from tests.library import sample_library

DRAWN = {"maps": maps.heatmap, "charts": maps.chart, "other": maps.photograph}


def lycosa(*arguments: object) -> tuple[str, str]:
    """What a command prints on its two streams; its own errors are raised."""
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if isinstance(result.exception, LycosaError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def judged(*arguments: object) -> dict[str, str]:
    """The label of each file."""
    told = [json.loads(line) for line in lycosa("judge", *arguments)[0].splitlines()]
    return {Path(one["input"]).name: one["label"] for one in told}


@pytest.fixture(scope="module")
def examples(tmp_path_factory) -> Path:
    """A folder of drawn images for each class, and one image of each that is in none."""
    folder: Path = tmp_path_factory.mktemp("examples")
    for name, draw in DRAWN.items():
        (folder / name).mkdir()
        for i in range(12):
            (folder / name / f"{i}.png").write_bytes(draw(Random(f"{name} {i}")))
        (folder / f"{name}.png").write_bytes(draw(Random(f"new {name}")))
    return folder


@pytest.fixture(scope="module")
def model(examples, tmp_path_factory) -> Path:
    """A model of two classes and the rest, with a broken file among its examples."""
    path: Path = tmp_path_factory.mktemp("project") / "pictures.model"
    (examples / "maps" / "half.png").write_bytes(maps.heatmap(Random(1))[:200])
    told, skipped = lycosa("train", "images", *(examples / name for name in DRAWN), "--out", path)
    assert "maps: precision" in told
    assert "charts: precision" in told
    assert "half.png: it could not be read as an image" in skipped
    return path


def test_any_number_of_classes_is_trained_and_judged(examples, model):
    """Each image gets its class; what is no image says so and holds nothing up."""
    (examples / "broken.png").write_bytes(b"no image")
    files = [examples / f"{name}.png" for name in (*DRAWN, "broken")]

    assert judged(model, *files) == {f"{name}.png": name for name in DRAWN} | {"broken.png": ""}


def test_the_built_in_model_judges_by_its_name(examples):
    """Nobody has to know where it is installed."""
    told = judged("heatmap", *(examples / f"{name}.png" for name in DRAWN))

    assert told == {"maps.png": "heatmap", "charts.png": "other", "other.png": "other"}


@pytest.mark.parametrize("name", DRAWN)
def test_an_image_of_any_class_but_the_rest_opens_links(tmp_path, examples, model, name):
    """The model is found from the folder of the spec, wherever the crawl is started; `why` names class and image."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "pictures.model").write_bytes(model.read_bytes())
    start = '<p><img src="/it.png"></p><p><a href="/behind">unpromising</a></p>'
    image = data((examples / f"{name}.png").read_bytes(), "image/png")
    with Site({"/": start, "/it.png": image, "/behind": "<p>another page"}) as site:
        settings = {"t1": 0.9, "t2": 0.0, "images": "models/pictures.model"}
        top = {"strategy": "multimedia"}
        crawl(spec_text(site, ["http://a.test/"], top=top, multimedia=settings), tmp_path / "c")

    assert ("http://a.test/behind" in pages_of(tmp_path / "c")) is (name != "other")
    with Collection.open(tmp_path / "c") as collection:
        ((_, evidence),) = collection.reader.images()
    assert fact_of(evidence, "image", Score).label == name
    why = explain(tmp_path / "c", "http://a.test/behind")
    named = f"image     http://a.test/it.png shows {name} (" in explanation_text(why)
    assert named is (name != "other")


def test_the_library_names_the_image_that_opened_a_link(tmp_path):
    """On the reasons of a page, and where any address is asked for; both lead to what is known of the image."""
    start = '<p><img src="/it.png"></p><p><a href="/behind">unpromising</a></p>'
    image = data(maps.heatmap(Random("heatmap4")), "image/png")
    with Site({"/": start, "/it.png": image, "/behind": "<p>another page"}) as site:
        settings = {"t1": 0.9, "t2": 0.0}
        top = {"strategy": "multimedia"}
        crawl(spec_text(site, ["http://a.test/"], top=top, multimedia=settings), tmp_path / "c")
    number = pages_of(tmp_path / "c")["http://a.test/behind"].id

    with sample_library.client(tmp_path / "c") as browser:
        for path in (f"page/{number}?view=reasons", "why?url=http://a.test/behind"):
            text = browser.get(f"/c/c/{path}").text
            assert "<dt>Opened by the image</dt>" in text
            assert 'http://a.test/it.png</a> <span class="soft small">heatmap 0.' in text


def test_two_folders_of_one_name_are_refused(examples, tmp_path):
    """The name is the class."""
    (tmp_path / "maps").mkdir()
    with pytest.raises(InputError, match=r"same name.*Rename"):
        lycosa("train", "images", examples / "maps", tmp_path / "maps", "--out", tmp_path / "m.model")
