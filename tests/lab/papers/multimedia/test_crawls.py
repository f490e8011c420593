"""The multimedia lab: images of a virtual web are looked at once, and tables hold what was collected."""

from __future__ import annotations

import tomllib
from pathlib import Path
from random import Random

import pytest
from tests.methods.conftest import tiny_model

from lycosa.methods.multimedia.images import ImageEvidence, ImageModel
from lycosa.methods.multimedia.strategy import Multimedia
from lycosa.testing import data, html
from lycosa.urls import key_of
from lycosa_lab.demo_web import DemoTopic, DemoWeb, Part, maps
from lycosa_lab.papers import output
from lycosa_lab.papers.multimedia.crawls import (
    STRICT,
    Bench,
    Collected,
    Trial,
    demo_bench,
    demo_models,
    pooled,
    precision,
)
from lycosa_lab.papers.multimedia.figures import draw_figures, exclusive
from lycosa_lab.papers.multimedia.reproduce import (
    TEXT_ONLY,
    best_of,
    findings,
    fresh_table,
    links_table,
    table,
    write_tables,
)
from lycosa_lab.papers.multimedia.trials import candidates, papers_trials
from lycosa_lab.webs import seen_images as seeing
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

HOME = "http://a.test/"


@pytest.fixture
def bench(tmp_path, monkeypatch) -> Bench:
    """A page with a map and a page with a photograph, each with a link of unpromising words."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / "cache"))
    pages = {
        HOME: html(
            '<img src="/map.png"><p><a href="/bread">bread</a> <a href="/owl">owl at night, an owl</a>'
        ),
        "http://a.test/owl": html('<img src="/photo.png"><img src="/icon.png"><p><a href="/rye">bread</a>'),
        "http://a.test/bread": html("<p>bread"),
        "http://a.test/rye": html("<p>rye"),
        "http://a.test/map.png": data(maps.heatmap(Random("heatmap4")), "image/png"),
        "http://a.test/photo.png": data(maps.photograph(Random(1)), "image/png"),
        "http://a.test/icon.png": data(maps.icon(Random(1)), "image/png"),
    }
    labels = tuple((url, "maps", 2 if url.endswith("/bread") else 0) for url in pages if ".png" not in url)
    topic = DemoTopic("maps", (), "", (HOME,))
    DemoWeb((Part(pages, labels, {"maps": topic}, (HOME,)),)).write(tmp_path / "web")
    return Bench(CachedWeb(VirtualWeb.open(tmp_path / "web")), "maps", (HOME,), tiny_model())


def test_precision_stays_above_its_floors(tmp_path, monkeypatch):
    """lab/floors.toml: images and exploration beat text alone on the environmental part of the demo web."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path))
    floors = tomllib.loads((Path(__file__).parents[4] / "lab" / "floors.toml").read_text())["multimedia"]
    web = demo_bench(1, *demo_models(101))
    trials = papers_trials()
    strict = {name: web.crawl(*trials[name]).precision(STRICT) for name in floors}

    assert {name: value for name, value in strict.items() if value < floors[name]} == {}
    assert sorted(strict, key=lambda name: strict[name]) == list(floors)


def test_images_decide_in_the_lab_as_in_a_crawl(bench):
    """Follow the link next to the map, not the one next to the photograph; text alone takes neither."""
    either = bench.crawl({"selection": "either", "t1": 0.6, "t2": 0.0})
    text = bench.crawl({"selection": "text", "t1": 0.6})

    assert set(either.pages) == {"http://a.test/bread", "http://a.test/owl"}
    assert set(text.pages) == {"http://a.test/owl"}
    assert (either.precision(2), text.precision(2)) == (0.5, 0.0)
    assert (either.images, text.images) == (2, 0)


async def test_images_are_looked_at_once(bench, monkeypatch):
    """The verdicts are kept on disk: a second look needs no model."""
    looks = ImageEvidence(ImageModel.builtin())
    first = await seeing.seen_images(bench.web, looks)
    seeing.in_memory.cache_clear()
    monkeypatch.setattr(seeing, "_look", None)

    assert await seeing.seen_images(bench.web, looks) == first
    assert first[key_of("http://a.test/icon.png")] is None


def test_the_table_has_the_papers_cells():
    """t2 stays below t1, and the baselines are in the last column and row."""
    one = Collected({"u": (2, 1), "v": (1, 2), "w": (0, 3)}, explored=4, images=5)
    found = {name: [one] for name in papers_trials()}
    rows = table(precision(found, 2))

    assert rows[1] == ["0.1", "0.333", *[""] * 8, "0.333"]
    assert len(rows) == 11
    assert "0.333 (fS 0.1 0.0) against 0.333" in findings(found)


def test_tables_and_figures_are_written(tmp_path, monkeypatch):
    """All that the paper shows: tables 3-6 in its order, figures 5-9, recall of the whole web."""
    monkeypatch.setattr(output, "save", lambda _figure, path: path.with_suffix(".png").touch())
    one = Collected({"u": (2, 1), "v": (1, 2), "w": (0, 3)}, 4, 5, (3, 2))
    names = [*papers_trials(), *(name for group in candidates().values() for name in group)]
    found = {name: [one, one] for name in names}

    write_tables(found, tmp_path)
    draw_figures(found, tmp_path)

    written = {path.name for path in tmp_path.iterdir()}
    assert {
        "table-3-precision-strict.csv",
        "table-4-f1-strict.csv",
        "table-5-precision-lenient.csv",
    } <= written
    assert {"table-6-f1-lenient.csv", "recall-of-the-whole-web-strict.csv", "figures-8-9.csv"} <= written
    assert {f"figure-{number}" for number in range(5, 10)} <= {name[:8] for name in written}
    assert exclusive(found, 9, 1, 2) == 1.0
    assert exclusive(found, 8, 1, 2) == 0.0


def test_quality_is_on_a_recall_base():
    """Recall counts the relevant pages that the base has."""
    one = Collected({"u": (2, 1), "v": (1, 2)}, explored=0, images=0)

    assert one.quality(2, frozenset({"u", "x"})).recall == 0.5
    assert one.quality(1, frozenset()).recall == 0.0


def test_pooled_precision_counts_pages_and_not_crawls():
    """A crawl of one wrong page hardly matters beside one of three right ones; none at all is 0."""
    pages = {f"http://a.test/{number}": (2, 1) for number in range(3)}
    found = {
        "a": [Collected(pages, 0, 0), Collected({"http://a.test/x": (0, 1)}, 0, 0)],
        "b": [Collected({}, 0, 0)],
    }

    assert (pooled(found, 2)("a"), precision(found, 2)("a")) == (0.75, 0.5)
    assert pooled(found, 2)("b") == 0


def test_settings_are_chosen_on_some_webs_and_told_on_others():
    """Of each group the best that collects enough pages; its line has p against text only."""
    many = {f"u{i}": (2 if i < 15 else 0, 1) for i in range(30)}
    better, tiny = Collected(many, 0, 0, (20, 20)), Collected({"u0": (2, 1)}, 0, 0, (20, 20))
    poor = Collected(dict.fromkeys(many, (0, 1)), 0, 0, (20, 20))
    group = {"f' 0.1": Trial({}), "f' 0.2": Trial({}), "f' 0.3": Trial({})}
    found = {"f' 0.1": [poor] * 4, "f' 0.2": [better] * 4, "f' 0.3": [tiny] * 4, "fS 0.1 0.0": [better] * 4}

    assert best_of(group, found) == "f' 0.2"
    header, *rows = fresh_table({TEXT_ONLY: "f' 0.2", "f_S": "fS 0.1 0.0"}, found)
    assert len(header) == len(rows[0]) == len(rows[1])
    assert rows[1][:5] == ["f_S", "fS 0.1 0.0", "0.500", "0.000", "1.000"]
    assert dict(zip(header, rows[0], strict=True))["strict recall of the web"] == "0.750"


def test_every_candidate_is_a_setting_of_the_strategy():
    """Names are unique over groups, and each can be built."""
    for group in candidates().values():
        for trial in group.values():
            Multimedia(**trial.settings)


def test_links_are_counted_by_score_and_image(bench):
    """On the page with the map and on the one without, by tenths of T and the grade behind them."""
    links = bench.links_by_score()

    assert sum(count for (visual, _, _), count in links.items() if visual) == 2
    assert sum(links.values()) == 3
    assert links_table(links)[0][0] == "page shows such an image"
