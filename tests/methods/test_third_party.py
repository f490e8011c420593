"""Strategies that users write: from a file or a package, in crawls and in the lab, and what happens when they fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lycosa.cli import DEBUG
from lycosa.errors import SpecError
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import parse_spec
from lycosa.testing import Site
from tests.crawling import ROOT, kept, small_web, spec_text

GUIDE = (ROOT / "docs" / "strategies" / "index.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", GUIDE, re.M | re.S)[0]
ENTRY = re.search(r'entry-points\."lycosa\.strategies"\]\n(.*?)^```', GUIDE, re.M | re.S)
NAME = "short_paths.py:ShortPaths"
Told = tuple[int, str, str]


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(small_web(2, 6)) as local:
        yield local


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "short_paths.py").write_text(PYTHON, encoding="utf-8")
    return tmp_path


def in_a_process(
    folder: Path, *arguments: object, path: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "200"}
    if path:
        environment["PYTHONPATH"] = f"{path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    command = [sys.executable, "-W", "ignore", "-m", "lycosa", *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture
def afresh(lycosa: Callable[..., Told], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Told]:
    """A command in this process, which reads the strategy's file again, as a process of its own would."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(folder)

    def run(*arguments: object) -> Told:
        monkeypatch.delitem(sys.modules, "short_paths", raising=False)
        return lycosa(*arguments)

    return run


def write(folder: Path, site: Site, strategy: str, **sections: dict[str, object]) -> Path:
    text = spec_text(site, ["http://h0.test/"], top={"strategy": strategy}, **sections)
    (folder / "crawl.toml").write_text(text, encoding="utf-8")
    return folder


def broken(folder: Path, line: str) -> None:
    text = PYTHON.replace("        return [\n", f"        {line}\n        return [\n")
    (folder / "short_paths.py").write_text(text, encoding="utf-8")


def test_the_file_of_the_guide_crawls(folder, site, afresh):
    """Named in the spec (from another folder) with its settings, in worker processes too."""
    write(folder, site, NAME, process={"workers": 1})
    text = (folder / "crawl.toml").read_text(encoding="utf-8")
    (folder / "crawl.toml").write_text(f'{text}["{NAME}"]\nfading = 0.02\n', encoding="utf-8")
    (folder / "elsewhere").mkdir()
    done = in_a_process(folder / "elsewhere", "crawl", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert len(kept(folder / "crawl")) == 12
    assert "short URLs of good pages" in afresh("why", "crawl", "http://h0.test/p1")[1]
    assert in_a_process(folder, "index", "crawl").returncode == 0


def test_the_file_of_the_guide_runs_in_the_lab(folder, demo_folder, afresh):
    """Named on the command line, over a grid of its settings; edited, it is run again."""
    command = [
        "lab",
        "run",
        demo_folder,
        "--topic",
        "owls",
        "--pages",
        "20",
        "--runs",
        "2",
        "--strategy",
        NAME,
    ]
    command += ["--set", f"{NAME}.fading=0.01,0.1"]
    done = in_a_process(folder, *command, "--workers", 2)
    assert done.returncode == 0, done.stderr
    assert "fading=0.1 " in done.stdout
    assert not list(folder.glob("*.png")), "nothing is written that was not asked for"
    broken(folder, "1 / 0")
    code, _, said = afresh(*command, "--workers", 1)
    assert code == 1
    assert "ShortPaths" in said
    assert "ZeroDivisionError" in said
    assert "Traceback" not in said


def installed(folder: Path, module: str) -> Path:
    """A folder that looks as if a package with the entry point of the guide were installed there."""
    assert ENTRY
    place = folder / "site"
    (place / "lycosa_short_paths-1.0.dist-info").mkdir(parents=True)
    about = place / "lycosa_short_paths-1.0.dist-info"
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lycosa-short-paths\nVersion: 1.0\n")
    points = "[lycosa.strategies]\n" + ENTRY[1].replace('"', "")
    (about / "entry_points.txt").write_text(points)
    (place / "short_paths.py").write_text(module, encoding="utf-8")
    return place


def test_the_entry_point_of_the_guide_crawls(folder, site):
    """By its plain name."""
    (folder / "short_paths.py").unlink()
    place = installed(folder, PYTHON)
    done = in_a_process(write(folder, site, "short-paths"), "crawl", "crawl.toml", "--quiet", path=place)
    assert done.returncode == 0, done.stderr
    assert len(kept(folder / "crawl")) == 12


def test_a_broken_package_stops_only_what_names_it(folder, site):
    """A crawl with another strategy goes on; one that names it says which package to fix."""
    (folder / "short_paths.py").unlink()
    place = installed(folder, "import a_module_that_is_nowhere\n")
    done = in_a_process(write(folder, site, "breadth-first"), "crawl", "crawl.toml", "--quiet", path=place)
    assert done.returncode == 0, done.stderr
    done = in_a_process(folder, "crawl", "crawl.toml", "--quiet", "--strategy", "short-paths", path=place)
    assert done.returncode == 2
    assert "'short-paths' of the installed package lycosa-short-paths cannot be loaded" in done.stderr
    assert "a_module_that_is_nowhere" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 / 0", [", line 1", "ZeroDivisionError"]),
        ("return [3]", ["rank gave 3, not a Decision"]),
        ("return None", ["TypeError"]),
        ("return [Decision(link, float('nan')) for link in page.links]", ["the priority nan"]),
    ],
)
def test_a_strategy_that_fails_loses_nothing(line, words, folder, site, afresh, monkeypatch):
    """One line names class, file, line and page; once fixed, the same command resumes."""
    monkeypatch.setenv(DEBUG, "")
    write(folder, site, NAME)
    assert afresh("crawl", ".", "--quiet", "--max-pages", "3")[0] == 0
    broken(folder, line)
    code, _, complaint = afresh("crawl", ".", "--quiet")
    assert code == 1, complaint
    (said,) = complaint.strip().splitlines()
    for word in ("The strategy ShortPaths", "short_paths.py", "at http://h", "--debug", *words):
        assert word in said
    assert "Traceback" in afresh("--debug", "crawl", ".", "--quiet")[2]
    monkeypatch.setenv(DEBUG, "")
    (folder / "short_paths.py").write_text(PYTHON, encoding="utf-8")
    assert afresh("crawl", ".", "--quiet")[0] == 0
    assert len(kept(folder / "crawl")) == 12


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.py:Class", "there is no file"),
        ("short_paths.py:Class", "Strategies in it: ShortPaths"),
        ("short_paths.py:Decision", "is not a strategy"),
        ("short_paths.py:", "has no class ''"),
        ("queue.py:Queue", "Rename the file"),
        ("bad.py:Class", "SyntaxError"),
    ],
)
def test_a_wrong_name_is_said(name, words, folder, monkeypatch):
    """The file, the class, and what it could have been."""
    (folder / "queue.py").write_text("class Queue: pass\n")
    (folder / "bad.py").write_text("class\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "short_paths", raising=False)
    with pytest.raises(SpecError, match=re.escape(words)):
        parse_spec(f'strategy = "{name}"\n["{name}"]\nfading = 0.1\n', all_settings(), folder=folder)
    monkeypatch.delitem(sys.modules, "short_paths", raising=False)


def test_the_hints_of_a_stranger_are_checked_where_they_can_be(folder, monkeypatch):
    """A type hint is a promise; one that cannot be resolved, or means nothing in TOML, forbids nothing."""
    (folder / "hinted.py").write_text(
        "from __future__ import annotations\n"
        "class Odd: pass\n"
        "class Plain:\n"
        "    def __init__(self, *, low: float | None = None, odd: Odd | None = None, pair: tuple[int, ...] = ()): ...\n"
        "    fit = rank = None\n"
        "class Unknown(Plain):\n"
        "    def __init__(self, *, low: Nowhere | None = None): ...\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path])

    def said(kind: str, line: str) -> None:
        name = f"hinted.py:{kind}"
        parse_spec(f'strategy = "{name}"\n["{name}"]\n{line}\n', all_settings(), folder=folder)

    for kind, line in (
        ("Plain", "low = 1"),
        ("Plain", "odd = 'x'"),
        ("Plain", "pair = [1]"),
        ("Unknown", "low = 'x'"),
    ):
        said(kind, line)
    for line in ("low = 'x'", "pair = ['x']"):
        with pytest.raises(SpecError, match="valid"):
            said("Plain", line)
    monkeypatch.delitem(sys.modules, "hinted")
