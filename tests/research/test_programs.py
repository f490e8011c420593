"""The programs of research are documented, can be imported, and stay out of the wheel."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for path in (ROOT / "research").rglob("*.py") if path.name != "__init__.py")


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
    listed = (ROOT / "research" / "README.md").read_text(encoding="utf-8")
    assert f"`{path.relative_to(ROOT / 'research')}`" in listed


def test_the_readme_lists_existing_programs_and_every_notebook():
    text = (ROOT / "research" / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([\w/-]+\.(?:py|csv|toml))`", text):
        assert (ROOT / "research" / name).exists(), name
    for notebook in (ROOT / "research").glob("*.md"):
        assert notebook.name == "README.md" or f"`{notebook.name}`" in text, notebook.name


def test_the_documentation_names_programs_that_are_there():
    """`python -m …` in the docs and docstrings leads to a module."""
    kinds = (("docs", "*.md"), ("src", "*.py"), ("research", "*.py"), ("research", "*.md"))
    pages = [page for folder, names in kinds for page in (ROOT / folder).rglob(names)]
    for page in pages:
        for name in re.findall(
            r"python -m ((?:research|lycosa|tests)[\w.]*)", page.read_text(encoding="utf-8")
        ):
            place = ROOT / ("src" if name.startswith("lycosa") else "") / Path(*name.rstrip(".").split("."))
            found = place.with_suffix(".py").exists() or (place / "__main__.py").exists()
            assert found, f"{page.relative_to(ROOT)}: python -m {name}"


def test_the_wheel_has_the_package_and_no_research_program():
    """What users install: no program that measures or labels, and no table of labels."""
    files = [file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()]
    assert "lycosa/__init__.py" in files
    assert all(file.startswith("lycosa/") for file in files)
    assert not [file for file in files if re.search(r"made-(pages|forms)|measure|genre-labels", file)]
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
