"""Recording a web: a breadth-first crawl becomes a virtual web on which the lab can run."""

from __future__ import annotations

import signal
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.labels import Label, set_label
from lycosa.engine.run import crawl_file
from lycosa.errors import InputError
from lycosa.spec.writing import toml
from lycosa.testing import Page as ServedPage
from lycosa.testing import Request, Site, data, links, redirect, status
from lycosa.urls import key_of
from lycosa_lab.grids import grid
from lycosa_lab.papers import reproduce_paper
from lycosa_lab.papers.selective import reproduce as selective
from lycosa_lab.webs.record import record_web
from lycosa_lab.webs.web import VirtualWeb


def spec_for(site: Site, folder: Path) -> Path:
    """A crawl.toml in a folder, for a site that begins at http://a.test/."""
    spec = folder / "crawl.toml"
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
    return spec


def test_a_crawl_becomes_a_web(tmp_path: Path):
    """The archive, the start pages and an empty labels file are there; nothing is overwritten."""
    pages: dict[str | tuple[str, str], ServedPage] = {
        "/": links("/a", "/b"),
        "/a": "<title>A</title><p>One <a href=/c>more",
        "/b": "<p>Two",
        "/c": "<p>Three",
    }
    with Site(pages) as site:
        spec = spec_for(site, tmp_path)
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


def test_labels_of_a_recorded_web_become_its_labels(tmp_path: Path, lycosa):
    """What `lycosa label` was told can be measured on; finer grades and other topics stay."""
    pages: dict[str | tuple[str, str], ServedPage] = {
        "/": "<title>Owls</title><p>owl owl night <a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>",
        **{f"/{name}": f"<title>{name}</title><p>owl {name} at night" for name in "abc"},
    }
    with Site(pages) as site:
        web = record_web(spec_for(site, tmp_path), tmp_path / "web", lambda _: None)
    code, _, said = lycosa("lab", "labels", web)
    assert code == 2
    assert "has no labels. Label pages of a recorded web with: lycosa label" in said

    for name, relevant in (("", True), ("a", True), ("b", False), ("c", False)):
        url = f"http://a.test/{name}"
        set_label(web / "collection", Label(key_of(url), url, relevant, 1.0))
    (web / "labels.csv").write_text(
        "url,topic,grade\nhttp://a.test/a,small,1\nhttp://a.test/b,small,2\nhttp://a.test/b,bread,2\n"
    )
    code, told, said = lycosa("lab", "labels", web)

    assert code == 0, said
    assert "Wrote the labels of 4 pages" in told
    rows = {tuple(line.split(",")) for line in (web / "labels.csv").read_text().splitlines()[1:]}
    assert rows == {
        ("http://a.test/", "small", "2"),
        ("http://a.test/a", "small", "1"),
        ("http://a.test/b", "small", "0"),
        ("http://a.test/b", "bread", "2"),
        ("http://a.test/c", "small", "0"),
    }
    assert VirtualWeb.open(web).topic("small").relevant() == {
        key_of(f"http://a.test/{name}") for name in ("", "a")
    }


def test_an_interrupted_recording_goes_on(tmp_path: Path, lycosa):
    """It ends with code 3 and is no web yet; the same command brings it to its end, and fetches nothing twice."""
    interrupted: list[bool] = []

    def start(_: Request) -> ServedPage:
        if not interrupted:
            interrupted.append(True)
            signal.raise_signal(signal.SIGINT)
        return links("/a", "/b")

    with Site({"/": start, "/a": "<p>One", "/b": "<p>Two"}) as site:
        command = ("lab", "record", spec_for(site, tmp_path), tmp_path / "web")
        code, _, said = lycosa(*command)
        assert code == 3, said
        assert "run the same command again" in said
        assert [path.name for path in (tmp_path / "web").iterdir()] == ["collection"]

        code, _, said = lycosa(*command)
        assert code == 0, said
        assert len(site.log) == len(set(site.urls()))
    assert {"http://a.test/", "http://a.test/b"} <= set(VirtualWeb.open(tmp_path / "web").archive.urls())


@pytest.mark.parametrize(
    ("start", "advice"),
    [(status(404), "no seed could be fetched"), (redirect("http://a.test/2"), "See why: lycosa why")],
    ids=["failed", "refused"],
)
def test_without_a_page_there_is_no_web(tmp_path: Path, lycosa, start: ServedPage, advice: str):
    """It is an error, as it is of a crawl, and the same command tries again."""
    pages: dict[str | tuple[str, str], ServedPage] = {"/": start, "/2": data(b"\0" * 99, "application/zip")}
    with Site(pages) as site:
        code, _, said = lycosa("lab", "record", spec_for(site, tmp_path), tmp_path / "web")
    assert (code, "No page was recorded" in said, advice in said) == (1, True, True), said
    assert [path.name for path in (tmp_path / "web").iterdir()] == ["collection"]


def test_a_collection_does_not_become_a_web(tmp_path: Path):
    """It is left as it is, and the message says what to name instead."""
    with Site({"/": "<p>One"}) as site:
        spec = spec_for(site, tmp_path)
        crawl_file(spec, tmp_path / "crawl", say=lambda _: None, quiet=True)
        before = sorted((tmp_path / "crawl").rglob("*"))
        with pytest.raises(InputError, match=r"is a collection.*Name one that is not there"):
            record_web(spec, tmp_path / "crawl", lambda _: None)
    assert sorted((tmp_path / "crawl").rglob("*")) == before


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
