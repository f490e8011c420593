"""Recording a web: a breadth-first crawl becomes a virtual web on which the lab can run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.errors import InputError
from lycosa.lab import grid
from lycosa.lab.record import record_web
from lycosa.lab.reproduce import reproduce_paper
from lycosa.lab.web import VirtualWeb
from lycosa.methods.selective import reproduce as selective
from lycosa.spec.writing import toml
from lycosa.testing import Page as ServedPage
from lycosa.testing import Site, links


def test_a_crawl_becomes_a_web(tmp_path: Path):
    """The archive, the start pages and an empty labels file are there; nothing is overwritten."""
    pages: dict[str | tuple[str, str], ServedPage] = {
        "/": links("/a", "/b"),
        "/a": "<title>A</title><p>One <a href=/c>more",
        "/b": "<p>Two",
        "/c": "<p>Three",
    }
    with Site(pages) as site:
        spec = tmp_path / "crawl.toml"
        spec.write_text(
            f"""name = "small"
[topic]
keywords = ["owl"]
[seeds]
urls = ["http://a.test/"]
[fetch]
per_host_delay_s = 0.0
allow_private = {toml(site.allow_private)}
connect_to = {toml(site.connect_to)}
[process]
workers = 0
"""
        )
        web = record_web(spec, tmp_path / "web", lambda _: None)
    opened = VirtualWeb.open(web)

    assert opened.start == ("http://a.test/",)
    assert "http://a.test/c" in opened.archive
    with pytest.raises(InputError, match="is a web already"):
        record_web(spec, web, lambda _: None)
    for topic in ([], ["--topic", "owls"]):
        refused = CliRunner().invoke(app, ["lab", "run", str(web), *topic]).exception
        assert isinstance(refused, InputError)
        assert "has no labels: write" in str(refused)
        assert "url,topic,grade" in str(refused)


def test_the_selective_paper_is_drawn(demo_folder: Path, tmp_path: Path, monkeypatch):
    """Figures 7 to 9, the runs and the table's figures are written."""
    monkeypatch.setattr(selective, "PAGES", 15)
    monkeypatch.setattr(selective, "RUNS", 1)
    opened = VirtualWeb.open(demo_folder)
    few = VirtualWeb(demo_folder, "few", opened.start, opened.folding, {"owls": opened.topic("owls")}, {})
    monkeypatch.setattr(VirtualWeb, "open", lambda _: few)
    monkeypatch.setattr(
        grid, "_web", cache(grid._web.__wrapped__)
    )  # what is opened here is for no other test
    written = reproduce_paper("selective", demo_folder, tmp_path, lambda _: None)

    assert {path.name for path in written} >= {
        "figure-7-harvest-rate.png",
        "figure-8-target-recall.svg",
        "figure-9-what-decided.png",
        "figure-9.csv",
        "runs.csv",
        "selective.json",
    }


def test_an_unknown_paper_is_refused_with_the_known_ones(tmp_path: Path):
    """The message lists them."""
    with pytest.raises(InputError, match="selective"):
        reproduce_paper("none", None, tmp_path, print)
