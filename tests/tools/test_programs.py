"""The tools are documented, can be imported, and stay out of the wheel; the small ones run on tiny data."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from lycosa.page.document import Document
from lycosa_lab.demo_web import demo_web

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for path in (ROOT / "tools").rglob("*.py") if path.name != "__init__.py")


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", PROGRAMS, ids=module_of)
def test_a_program_says_how_to_run_it_and_how_long_it_takes(path):
    """Its docstring has purpose, command line and time; the README lists it; it can be imported."""
    text = import_module(module_of(path)).__doc__ or ""
    assert re.search(r"^Command line: \S", text, re.M), path
    assert re.search(r"^Expected time: \S", text, re.M), path
    runs = "__main__" in path.read_text(encoding="utf-8")
    assert (f"python -m {module_of(path)}" in text) is runs
    listed = (ROOT / "tools" / "README.md").read_text(encoding="utf-8")
    assert f"`{path.relative_to(ROOT / 'tools')}`" in listed


def test_the_readme_lists_nothing_that_is_not_there():
    text = (ROOT / "tools" / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([\w/-]+\.(?:py|csv|toml))`", text):
        assert (ROOT / "tools" / name).exists(), name


def test_the_documentation_names_programs_that_are_there():
    """`python -m …` in the docs and docstrings leads to a module."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
    for page in pages:
        for name in re.findall(r"python -m ((?:tools|lycosa|tests)[\w.]*)", page.read_text(encoding="utf-8")):
            place = ROOT / ("src" if name.startswith("lycosa") else "") / Path(*name.rstrip(".").split("."))
            found = place.with_suffix(".py").exists() or (place / "__main__.py").exists()
            assert found, f"{page.relative_to(ROOT)}: python -m {name}"


def test_the_wheel_has_the_package_and_nothing_of_the_tools():
    """What users install: no program that measures or labels, and no table of labels."""
    files = [file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()]
    assert "lycosa/__init__.py" in files
    assert all(file.startswith("lycosa/") for file in files)
    assert not [file for file in files if re.search(r"made-pages|measure|genre-labels", file)]
    mains = {file for file in files if file.endswith(".py") and _runs(ROOT / "src" / file)}
    assert mains <= {
        "lycosa/page/files/office_process.py",
        "lycosa/page/files/pdf_process.py",  # reads one PDF
        "lycosa/spec/writing.py",  # writes docs/spec.md
        "lycosa/commands/reference.py",  # writes docs/commands.md
        "lycosa/processes.py",  # the crawl's own processes
        "lycosa/learn/training/classifiers.py",
        "lycosa/testing/__main__.py",  # a web in a process of its own
    }


def _runs(path: Path) -> bool:
    return bool(re.search(r'^if __name__ == "__main__":', path.read_text(encoding="utf-8"), re.M))


def test_what_a_genre_costs_has_all_its_parts():
    from tools.genre.cost import cost_of, row

    documents = [
        Document(b"<title>News</title><p>Today <a href=/x>more</a>", f"http://a.test/{n}") for n in range(3)
    ]
    cost = cost_of(documents)
    assert cost.pages == 3
    assert row("made up", cost)[:2] == ["made up", "0 KB"]


def test_path_strings_are_timed_on_a_web(tmp_path, capsys):
    from tools.path_strings import main

    demo_web().write(tmp_path / "web")
    main([str(tmp_path / "web")])
    assert capsys.readouterr().out.startswith("web PathCost(pages=40")
