"""The comparison on any web with images: learned from training pages alone, paired, written as tables."""

from __future__ import annotations

import asyncio
import csv
from random import Random

from lycosa.testing import data, html
from lycosa.urls import key_of
from lycosa_lab.demo_web import DemoTopic, DemoWeb, Part, maps
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.papers.multimedia.comparison import TEXT_ONLY, VARIANTS, _look, compare, image_model
from lycosa_lab.runs.protocol import Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

GOOD, BAD = 14, 26


def web_in(folder):
    """Pages with maps about ozone and pages with photographs about bread, which link to one another."""
    rng = Random(7)
    pages, labels = {}, []
    names = [f"good{i}" for i in range(GOOD)] + [f"bad{i}" for i in range(BAD)]
    for name in names:
        is_good = name.startswith("good")
        others = rng.sample(names, 6)
        anchors = " ".join(
            f'<p><a href="/{other}">{"ozone today" if other.startswith("good") else "bread and salt"}</a> {i}'
            for i, other in enumerate(others)
        )
        words = "ozone air quality measured today" if is_good else "bread flour salt water oven"
        pages[f"http://a.test/{name}"] = html(f'<img src="/{name}.png"><p>{words} {name}</p>{anchors}')
        picture = maps.heatmap(rng) if is_good else maps.photograph(rng)
        pages[f"http://a.test/{name}.png"] = data(picture, "image/png")
        labels.append((f"http://a.test/{name}", "ozone", 2 if is_good else 0))
    start = ("http://a.test/good0",)
    topic = DemoTopic("ozone", ("ozone",), "", start)
    DemoWeb((Part(pages, tuple(labels), {"ozone": topic}, start),)).write(folder)
    return folder


def test_crawlers_are_compared_topic_by_topic(tmp_path, monkeypatch):
    """Every crawler has a line for each topic, with p against the one that reads only."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / "cache"))
    few = {name: VARIANTS[name] for name in (TEXT_ONLY, "f_S, t1 = 0.5, t2 = 0.1")}
    monkeypatch.setattr("lycosa_lab.papers.multimedia.comparison.VARIANTS", few)
    said: list[str] = []

    found = compare(web_in(tmp_path / "web"), tmp_path / "out", said.append, runs=2, pages=12)

    assert set(found) == {("ozone", name) for name in few}
    assert {len(runs) for runs in found.values()} == {2}
    with (tmp_path / "out" / "comparison.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["crawler"] for row in rows] == list(few)
    assert rows[0]["p"] == "1.000"
    assert any(line.startswith(TEXT_ONLY) and "2 draws" in line for line in said)


def test_images_are_learned_from_training_pages_alone(tmp_path, monkeypatch):
    """No image of a page that counts is an example."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / "cache"))
    web = CachedWeb(VirtualWeb.open(web_in(tmp_path / "web")))
    laboratory = Laboratory(web, "ozone", 1, Options(pages=12))
    features = asyncio.run(_look(web))
    training = (*laboratory.draw.positives, *laboratory.draw.negatives)
    shown = {key_of(f"{web.url(key)}.png") for key in training}

    model = image_model(web, laboratory.topic, laboratory.draw, features)

    assert sum(model.about["examples"].values()) == len(shown)
    poorer = {key: value for key, value in features.items() if key in shown}
    assert (
        image_model(web, laboratory.topic, laboratory.draw, poorer).vectors.tolist() == model.vectors.tolist()
    )


def test_a_web_without_enough_images_is_told(tmp_path, monkeypatch):
    """A topic whose training pages show hardly an image is left out, with the reason."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("lycosa_lab.papers.multimedia.comparison.FEWEST_IMAGES", 50)
    said: list[str] = []

    assert compare(web_in(tmp_path / "web"), tmp_path / "out", said.append, runs=1, pages=12) == {}
    assert any("left out" in line for line in said)
