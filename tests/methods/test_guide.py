"""The strategies that the docs show run as they stand."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from lycosa_lab.grids.comparing import compare
from lycosa_lab.runs.protocol import Options
from tests.crawling import ROOT

DOCS = ROOT / "docs"
SHOWN = re.compile(r'^```python title="([^"]+)"\n(.*?)^```', re.M | re.S)
GUIDE = dict(SHOWN.findall((DOCS / "strategies" / "index.md").read_text(encoding="utf-8")))
TUTORIAL = dict(SHOWN.findall((DOCS / "tutorials" / "method.md").read_text(encoding="utf-8")))


def test_the_choice_of_hosts_that_the_guide_shows_runs_in_the_lab(
    demo_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It changes the order of a crawl."""
    (tmp_path / "ucb.py").write_text(GUIDE["ucb.py"], encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    options = Options(pages=30)
    found = compare(
        demo_folder,
        ["best-first-page", f"{tmp_path}/ucb.py:UcbHosts"],
        topics=["owls"],
        options=options,
        runs=1,
    )
    plain, own = found.runs

    assert len(own.fetched) == 30
    assert own.fetched != plain.fetched


def test_the_example_is_the_strategy_of_the_tutorial():
    """The same code, but for type hints and docstrings."""

    def code(text: str) -> dict[str, list[str]]:
        kinds = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
        return {
            f"{kind.name}.{part.name}": [
                ast.unparse(line) for line in part.body[ast.get_docstring(part) is not None :]
            ]
            for kind in kinds
            for part in kind.body
            if isinstance(part, ast.FunctionDef)
        }

    example = (ROOT / "examples" / "own_strategy.py").read_text(encoding="utf-8")

    assert code(example) == code(TUTORIAL["wordy.py"])
