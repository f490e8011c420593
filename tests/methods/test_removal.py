"""A method is a folder: without it everything else still imports, and a crawl with a baseline still works."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lycosa
from lycosa.methods.registry import built_in
from tests.conftest import MadeOnce

ROOT = Path(lycosa.__file__).parent
BY_CHANCE = {"lycosa_lab.bench.scrapy_spider"}
"""Needs a package that few have."""
METHODS = [each for each in built_in() if each.name != "baselines"]
LIBRARIES = "numpy scipy.stats sklearn.linear_model sklearn.svm pydantic aiohttp jinja2 PIL.Image resiliparse selectolax"
WITHOUT = """
import importlib, json, os, pkgutil, sys
from pathlib import Path
libraries, methods, by_chance = sys.argv[1].split(), sys.argv[2].split(), set(sys.argv[3].split())
for name in libraries:  # what takes time to load, and is none of ours: once for all
    importlib.import_module(name)


def all_else_works(method):
    sys.path.insert(0, str(Path(method) / "src"))
    import lycosa
    names = [found.name for found in pkgutil.walk_packages(lycosa.__path__, "lycosa.")]
    for name in names:
        if not name.endswith("__main__") and name not in by_chance:
            importlib.import_module(name)
    from lycosa.testing import Site
    page = "<title>Owls</title><p>owl night <a href=/owls>owls</a> <a href=/x>x</a>"
    with Site({"/": page, "/owls": page + "!", "/x": "<p>x"}) as site:
        summary = lycosa.crawl(
            strategy="best-first", topic={"keywords": ["owl"]}, seeds={"urls": ["http://a.test/"]},
            fetch={"connect_to": site.connect_to, "allow_private": list(site.allow_private), "per_host_delay_s": 0},
            process={"workers": 0}, out=Path(method) / "out",
        )
    from lycosa.methods.lookup import judge_kinds, section_names, strategy_names
    from lycosa.report import design
    from lycosa.report.html import report_text
    design.embedded_fonts = lambda text: ""  # which takes longer than all else
    assert "Owls" in report_text(Path(method) / "out")
    found = [lycosa.__file__, len(names), summary.pages, strategy_names(), judge_kinds(), section_names()]
    (Path(method) / "found.json").write_text(json.dumps(found))


for method in methods:
    if not os.fork():
        all_else_works(method)
        sys.exit()
    os.wait()
"""


@pytest.fixture(scope="session")
def without(made_once: MadeOnce) -> Path:
    """A folder for each method, with a copy of the package that lacks it, and what that one could do."""

    def remove(place: Path) -> None:
        for method in METHODS:
            shutil.copytree(
                ROOT,
                place / method.name / "src" / "lycosa",
                ignore=lambda at, _, gone=method.name: [gone] if Path(at) == ROOT / "methods" else [],
            )
        names = " ".join(method.name for method in METHODS)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", WITHOUT, LIBRARIES, names, " ".join(BY_CHANCE)],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        (place / "said.txt").write_text(done.stderr, encoding="utf-8")

    return made_once("removed", remove)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_without_its_folder_all_else_works(method, without):
    """Nobody else names it: nothing is missing but what it brings."""
    copy = without / method.name / "src" / "lycosa"
    assert not (copy / "methods" / method.name).exists()
    found = without / method.name / "found.json"
    assert found.exists(), (without / "said.txt").read_text(encoding="utf-8")
    where, modules, pages, strategies, judges, sections = json.loads(found.read_text())
    assert Path(where).parent == copy
    assert modules > 200
    assert pages == 3
    assert not {*strategies} & {*method.strategies}
    assert not {*judges} & {*method.judges}
    assert method.name not in sections
