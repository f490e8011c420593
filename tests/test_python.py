"""`import lycosa`: quick, complete, typed and documented."""

from __future__ import annotations

import ast
import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lycosa
import lycosa_lab
from lycosa.errors import InputError, LycosaError, SpecError
from lycosa.testing import Site

ROOT = Path(__file__).parents[1]
PAGE = "<title>Owls</title><p>owl owl owl night <a href=/owls>owls</a> <a href=/x>x</a>"
PAGES: Any = {"/": PAGE, "/owls": PAGE + "!", "/x": "<p>x"}
OWLS: Any = {"topic": {"keywords": ["owl"]}, "seeds": {"urls": ["http://a.test/"]}, "process": {"workers": 0}}

LOADED = """
import sys
before = set(sys.modules)
import lycosa
dir(lycosa)
import json
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_the_import_loads_nothing_that_is_not_pythons_own():
    """What costs time is what is loaded: no library, no module of ours, until a name is used."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=ROOT / "src"
    )
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert loaded - {"lycosa"} <= sys.stdlib_module_names
    assert [name for name in json.loads(done.stdout) if name.startswith("lycosa")] == ["lycosa"]
    assert not loaded & {"asyncio", "inspect", "dataclasses", "re", "sqlite3", "json"} - {"json", "re"}


def test_every_public_name_is_there_and_documented():
    """`__all__`, what can be had, what a type checker sees and docs/python.md name the same."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert sorted(lycosa.__all__) == lycosa.__all__
    assert {*lycosa.__all__} <= {*dir(lycosa)}
    for name in lycosa.__all__:
        assert getattr(lycosa, name) is not None
        assert f"`{name}" in text or f"lycosa.{name}" in text, f"docs/python.md does not say what {name} is"
    assert {*lycosa.__all__} == {*_typed(lycosa.__file__)}
    assert {*lycosa_lab.__all__} == {*_typed(lycosa_lab.__file__)}
    for name in lycosa_lab.__all__:
        assert getattr(lycosa_lab, name) is not None


def _typed(path: str | None) -> list[str]:
    """The names that a module imports for type checkers."""
    tree = ast.parse(Path(path or "").read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    return [
        alias.asname or ""
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'crawler'"):
        lycosa.crawler  # noqa: B018


def test_a_crawl_by_keywords_and_again(tmp_path):
    """Keywords are sections; the same call goes on; the spec as run is kept."""
    out = tmp_path / "owls"
    with Site(PAGES) as site:
        first = lycosa.crawl(**OWLS, fetch=site.fetch, limits={"pages": 1}, out=out)
        second = lycosa.crawl(**OWLS, fetch=site.fetch, out=str(out))
    assert (first.pages, second.pages) == (1, 3)
    assert second.collection == str(out)
    kept = (out / "crawl.toml").read_text(encoding="utf-8")
    assert "owl" in kept
    assert lycosa.crawl.__doc__


def test_a_crawl_of_a_file_with_other_limits(tmp_path, monkeypatch):
    """A file gives the spec and the place; keywords change single keys of its sections."""
    with Site(PAGES) as site:
        place = site.connect_to["*.test"]
        (tmp_path / "crawl.toml").write_text(
            f"""
            name = "owls"
            topic.keywords = ["owl"]
            seeds.urls = ["http://a.test/"]
            limits = {{ pages = 3, pages_per_host = 2 }}
            process.workers = 0
            fetch = {{ per_host_delay_s = 0, connect_to = {{ "*.test" = "{place}" }}, allow_private = ["*.test"] }}
            """
        )
        summary = lycosa.crawl(tmp_path, limits={"pages": 1})
        assert summary.pages == 1
        assert summary.collection == str(tmp_path / "owls")
        assert "pages_per_host = 2" in (tmp_path / "owls" / "crawl.toml").read_text(encoding="utf-8")
        with pytest.raises(SpecError, match="is a collection"):
            lycosa.crawl(tmp_path / "owls")


def test_a_spec_object_and_the_settings_of_a_strategy(tmp_path):
    spec = lycosa.Spec(name="owls", **OWLS)
    with Site(PAGES) as site:
        options = {"best-first": {"url_threshold": 0.5}}
        lycosa.crawl(spec, fetch=site.fetch, options=options, out=tmp_path / "owls")
    kept = (tmp_path / "owls" / "crawl.toml").read_text(encoding="utf-8")
    assert "url_threshold = 0.5" in kept
    assert 'name = "owls"' in kept


async def test_in_a_running_loop(tmp_path):
    """A notebook runs an event loop: the sync function works next to it, and the async one inside it."""
    with Site(PAGES) as site:
        beside = lycosa.crawl(**OWLS, fetch=site.fetch, out=tmp_path / "beside")
        inside = await lycosa.crawl_async(**OWLS, fetch=site.fetch, out=tmp_path / "inside")
    assert beside.pages == inside.pages == 3
    assert asyncio.get_running_loop().is_running()


def test_wrong_keywords_are_refused_with_the_nearest(tmp_path):
    with pytest.raises(
        SpecError, match=r"crawl\(\): \[topic\] unknown key 'keyword'. Did you mean 'keywords'"
    ):
        lycosa.crawl(topic={"keyword": ["owl"]}, out=tmp_path / "owls")
    with pytest.raises(LycosaError, match=r"crawl\(\): \[limits\] pages: .* Give another value"):
        lycosa.crawl(limits={"pages": "many"}, out=tmp_path / "owls")
    assert not (tmp_path / "owls").exists()


def test_notes_go_where_the_caller_says(tmp_path):
    """Nobody in particular crawls the live Web: that is said, before anything is asked for."""
    said: list[str] = []
    with pytest.raises(LycosaError):
        lycosa.crawl(
            seeds={"files": ["no.txt"]}, topic={"keywords": ["owl"]}, out=tmp_path / "owls", say=said.append
        )
    assert "No contact address set" in said[0]


def test_a_collection_as_pages_hits_rows_and_files(tmp_path):
    with Site(PAGES) as site:
        lycosa.crawl(**OWLS, fetch=site.fetch, out=tmp_path / "owls")
    with lycosa.Collection.open(str(tmp_path / "owls")) as owls:
        assert len(list(owls.pages())) == 3
        assert {page.link.url for page in owls.pages(relevant=True)} == {
            "http://a.test/",
            "http://a.test/owls",
        }
        assert [page.link.url for page in owls.pages(relevant=False)] == ["http://a.test/x"]
        assert len(owls.search.find("night", limit=1).hits) == 1
        rows = list(owls.rows())
        assert owls.export(tmp_path / "owls.jsonl") == 2
        everything = lycosa.PageFilter(relevance=lycosa.Relevance.JUDGED)
        assert owls.export(tmp_path / "owls.wacz", everything) == 3
        with pytest.raises(InputError, match=r"ends in \.wacz, \.jsonl, \.csv, \.parquet"):
            owls.export(tmp_path / "owls.xls")
    lines = [json.loads(line) for line in (tmp_path / "owls.jsonl").read_text().splitlines()]
    assert lines == rows
    assert str(lycosa.explain(str(tmp_path / "owls"), "http://a.test/x")).startswith("http://a.test/x")


def test_a_class_of_ones_own_in_the_lab(demo_folder):
    """A class is compared under its name, with its settings, and never read from an earlier version's runs."""

    class Backwards(lycosa.BaseStrategy):
        def __init__(self, *, step: float = 1.0) -> None:
            self.step = step

        def rank(self, page, judgement):
            return [
                lycosa.Decision(link, self.step * n, rule="last first") for n, link in enumerate(page.links)
            ]

    compared = lycosa_lab.compare(
        demo_folder,
        ["breadth-first", Backwards],
        topics=["owls"],
        changes=["Backwards.step=1.0,2.0"],
        options=lycosa_lab.Options(pages=20),
        runs=1,
        processes=None,
    )
    assert [row["strategy"] for row in compared.rows()] == [
        "breadth-first",
        "Backwards step=1.0",
        "Backwards step=2.0",
    ]
    assert compared.results()["options"]["strategies"] == ["breadth-first", "Backwards"]
    assert "Backwards step=1.0" in str(compared)
    with pytest.raises(LycosaError, match="not a strategy"):
        lycosa_lab.compare(demo_folder, [int])  # type: ignore[list-item]
