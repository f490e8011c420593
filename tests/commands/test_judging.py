"""`lycosa judge` as users call it: every input has its line, and a model of another kind is named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from lycosa.cli import app
from lycosa.engine.start.prepare import CrawlMeans, preparation
from lycosa.errors import LycosaError, ModelError
from lycosa.evidence.text_model import TextModel
from lycosa.learn.topic import TopicModel, make_topic
from lycosa.methods.event.model import EventModel, save_event
from lycosa.methods.multimedia.strategy import Multimedia
from lycosa.spec.sections import FetchSpec, JudgeSpec, Spec, TopicSpec
from lycosa.testing import Site, data
from lycosa_lab.demo_web import maps
from tests.methods.conftest import tiny_model


def judge(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["judge", *map(str, arguments)])


def rows(result: Result) -> dict[str, dict[str, Any]]:
    """The lines by the names of their files."""
    return {Path(row["input"]).name: row for row in map(json.loads, result.stdout.splitlines())}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A text model (owls yes, bread no) and a page."""
    (tmp_path / "page.html").write_text("<p>The owl, the owl of the night.")
    tiny_model().save(tmp_path / "owls.model")
    return tmp_path / "owls.model"


def test_what_is_no_page_is_refused_by_a_text_model(model, tmp_path):
    """An image or a PDF has no words to judge, whatever its file is called."""
    files = {
        "page.html": (tmp_path / "page.html").read_bytes(),
        "wide.html": "<p>owl".encode("utf-16"),
        "odd.html": b"<p>an owl\x00",
        "x.png": maps.heatmap(Random(1)),
        "x.html": maps.heatmap(Random(2)),
        "x.pdf": b"%PDF-1.7\nowl owl owl",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    result = judge(model, *(tmp_path / name for name in files))

    found = rows(result)
    assert result.exit_code == 0
    assert {name for name, row in found.items() if row["relevant"]} == {"page.html", "wide.html", "odd.html"}
    for name in ("x.png", "x.html", "x.pdf"):
        assert found[name]["score"] is None
        assert "could not be read as a page" in found[name]["refused"]


def test_link_models_and_text_models_are_told_apart(model, tmp_path):
    """`judge`, topic.model and multimedia.links each name what they were given, and what makes the right one."""
    ready = preparation(make_topic(TopicSpec(keywords=("owl",)), [], []), JudgeSpec())
    links = tmp_path / "links.model"
    msgspec.structs.replace(tiny_model(), of="links").save(links)

    def given(path: Path) -> Mapping[str, TextModel]:
        means = CrawlMeans(tmp_path, None, get=None, say=print)  # type: ignore[arg-type]
        return means.classifiers(["text"], Spec(topic=TopicSpec(model=str(path))), TopicModel("english", {}))

    no_text = r"links\.model is a link model; a text model is needed here\. Train one: lycosa train text$"
    no_links = r"owls\.model is a text model; a link model is needed here\. Train one: lycosa train links$"

    error = judge(links, tmp_path / "page.html").exception
    assert isinstance(error, ModelError)
    with pytest.raises(ModelError, match=no_text):
        raise error
    with pytest.raises(ModelError, match=no_text):
        given(links)
    with pytest.raises(ModelError, match=no_links):
        Multimedia(links=str(model)).fit(ready)
    Multimedia(links=str(links)).fit(ready)
    given(model)


def test_every_input_has_its_line(model, tmp_path):
    """A file that is missing and a URL that is not asked hold nothing up, and say why."""
    result = judge(model, tmp_path / "none.html", "http://127.0.0.1:9/x", tmp_path, tmp_path / "page.html")

    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [row["relevant"] for row in told] == [False, False, False, True]
    assert "No such file" in told[0]["refused"]
    assert "private" in told[1]["refused"]
    assert told[1]["refused"].endswith("judge keeps to the defaults: save it and name the file")
    assert "directory" in told[2]["refused"]


def test_nothing_judged_is_a_failure(model, tmp_path):
    """Scripts see it in the exit code; the lines are there all the same."""
    result = judge(model, tmp_path / "none.html")

    assert list(rows(result)) == ["none.html"]
    assert isinstance(result.exception, LycosaError)
    assert result.exception.exit_code == 1
    assert "Nothing was judged" in str(result.exception)


@pytest.mark.parametrize(("path", "told"), [("gone", "error status: 404"), ("it.png", "image/png")])
def test_a_url_that_gives_no_page_says_so(model, monkeypatch, path, told):
    """An error page or an image is not judged in the place of the page."""
    with Site({"/": "<p>an owl", "/it.png": data(maps.heatmap(Random(1)), "image/png")}) as site:
        settings = partial(
            FetchSpec, per_host_delay_s=0, connect_to=site.connect_to, allow_private=site.allow_private
        )
        monkeypatch.setattr("lycosa.spec.sections.FetchSpec", settings)
        result = judge(model, "http://a.test/", f"http://a.test/{path}")

    page, other = (json.loads(line) for line in result.stdout.splitlines())
    assert page["relevant"]
    assert told in other["refused"]
    assert site.hits("http://a.test/robots.txt") == 1  # one reader asks for all, and hosts rest in between


def test_an_event_model_is_called_one(tmp_path):
    """It is a model of Lycosa, and another command's; other JSON is not."""
    save_event(tmp_path / "event.json", EventModel({"shoot": 3.0}))
    (tmp_path / "other.json").write_text('{"a": 1}')

    told = {name: str(judge(tmp_path / name, tmp_path).exception) for name in ("event.json", "other.json")}
    assert "is an event model; judge takes text models and image models" in told["event.json"]
    assert "not a model of Lycosa" in told["other.json"]
