"""A method is a folder: without it everything else still imports, and a crawl with a baseline still works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lycosa
from lycosa.methods.registry import built_in

ROOT = Path(lycosa.__file__).parent
BY_CHANCE = {"lycosa.bench.scrapy_spider"}
"""Needs a package that few have."""
WITHOUT = """
import importlib, json, pkgutil, sys
import lycosa
names = [found.name for found in pkgutil.walk_packages(lycosa.__path__, "lycosa.")]
for name in names:
    if not name.endswith("__main__") and name not in set(json.loads(sys.argv[2])):
        importlib.import_module(name)
from lycosa.testing import Site
page = "<title>Owls</title><p>owl night <a href=/owls>owls</a> <a href=/x>x</a>"
with Site({"/": page, "/owls": page + "!", "/x": "<p>x"}) as site:
    summary = lycosa.crawl(
        strategy="best-first", topic={"keywords": ["owl"]}, seeds={"urls": ["http://a.test/"]},
        fetch={"connect_to": site.connect_to, "allow_private": list(site.allow_private), "per_host_delay_s": 0},
        process={"workers": 0}, out=sys.argv[1],
    )
from lycosa.methods.lookup import judge_kinds, section_names, strategy_names
from lycosa.report.html import report_text
from pathlib import Path
assert "Owls" in report_text(Path(sys.argv[1]))
print(json.dumps([lycosa.__file__, len(names), summary.pages, strategy_names(), judge_kinds(), section_names()]))
"""


@pytest.mark.parametrize(
    "method", [each for each in built_in() if each.name != "baselines"], ids=lambda m: m.name
)
def test_without_its_folder_all_else_works(method, tmp_path):
    """Nobody else names it: nothing is missing but what it brings."""
    copy = tmp_path / "src" / "lycosa"
    gone = ROOT / "methods" / method.name
    shutil.copytree(
        ROOT,
        copy,
        ignore=lambda at, names: [gone.name] if Path(at) == gone.parent else [],
    )
    assert not (copy / "methods" / method.name).exists()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHOUT, str(tmp_path / "out"), json.dumps([*BY_CHANCE])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(copy.parent)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    where, modules, pages, strategies, judges, sections = json.loads(done.stdout.splitlines()[-1])
    assert Path(where).parent == copy
    assert modules > 200
    assert pages == 3
    assert not {*strategies} & {*method.strategies}
    assert not {*judges} & {*method.judges}
    assert method.name not in sections
