"""The table of changes in CONTRIBUTING.md, tested by making the changes in a copy of the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import lycosa
from tests.conftest import MadeOnce

SOURCE = Path(lycosa.__file__).parent
BASELINE = '''
from lycosa.methods import BaseStrategy
from lycosa.values import Decision

class LastFirst(BaseStrategy):
    """Rank links by their place on the page, the last first."""

    when = ""

    def __init__(self) -> None:
        pass

    def rank(self, page, judgement):
        return [Decision(link, float(place), rule="last first") for place, link in enumerate(page.links)]
'''
EXPORT = '''
from lycosa.collection.collection import Collection

def export_txt(directory, out, which):
    """Write a URL on each line."""
    with Collection.open(directory) as collection:
        urls = [page.link.url for page in collection.pages(relevant=True)]
    out.write_text("\\n".join(urls))
    return len(urls)
'''
COMMAND = '''
import typer

def register(app):
    @app.command()
    def hello() -> None:
        """Say hello.

        Example: lycosa hello
        """
        typer.echo("hello, spider")
'''
EVIDENCE = '''
from lycosa.values import Count

from lycosa.evidence import Evidence

class Exclamations(Evidence):
    """Count exclamation marks in the text of a page."""

    name = "exclamations"
    tells = Count

    def of_page(self, document):
        return Count(document.text.count("!"))
'''
JUDGE = """
def long_titles(page):
    return 1.0 if len(page.title) > 3 else 0.0
"""
CRAWL = """
import sys
from pathlib import Path
import lycosa
from lycosa.testing import Site

page = "<title>Owls</title><p>owl night! <a href=/owls>owls</a> <a href=/x>x</a>"
with Site({"/": page, "/owls": page + "!", "/x": "<title>No</title><p>x"}) as site:
    lycosa.crawl(strategy="last-first", judge={"kind": "judges_of_mine.py:long_titles"}, seeds={"urls": ["http://a.test/"]},
                 fetch={**site.fetch, "polite_words": 3}, process={"workers": 0}, out="out")
with lycosa.Collection.open("out") as collection:
    for page in sorted(collection.pages(), key=lambda page: page.link.url):
        print(page.link.url, page.judgement and page.judgement.relevant, "last first" in str(lycosa.explain("out", page.link.url)))
"""


def insert(path: Path, after: str, line: str) -> None:
    """Add one line behind another; the change fails if that line is not there."""
    text = path.read_text(encoding="utf-8")
    assert after in text, f"{path.name}: {after!r} has gone; update the table of changes"
    path.write_text(text.replace(after, f"{after}\n{line}", 1), encoding="utf-8")


@pytest.fixture(scope="module")
def changed(made_once: MadeOnce) -> Path:
    """A copy of the package with one stub for each change: a new module, and at most one line elsewhere."""

    def make(place: Path) -> None:
        package = place / "src" / "lycosa"
        shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
        (package / "methods/baselines/last_first.py").write_text(BASELINE)
        insert(
            package / "methods/baselines/__init__.py",
            "    strategies={",
            '        "last-first": Lazy(f"{__name__}.last_first:LastFirst"),',
        )
        (package / "collection/exports/plain.py").write_text(EXPORT)
        insert(
            package / "collection/exports/writers.py",
            "WRITERS = {",
            '    ".txt": "lycosa.collection.exports.plain:export_txt",',
        )
        (package / "commands/greeting.py").write_text(COMMAND)
        insert(package / "cli.py", "GROUPS = {", '    "greeting": "hello",')
        (package / "evidence/exclamations.py").write_text(EVIDENCE)
        insert(
            package / "spec/sections.py",
            "class FetchSpec(Section):",
            '    polite_words: int = 1\n    """Words of greeting."""',
        )
        (place / "judges_of_mine.py").write_text(JUDGE)

    return made_once("changed", make)


@pytest.fixture
def run(changed: Path) -> Callable[..., str]:
    """Run Python with the changed copy of the package and return what it prints."""

    def ran(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(changed / "src"), "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=changed,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return ran


def test_a_baseline_a_setting_a_judge_and_an_export_work_after_one_line_each(run, changed):
    """A crawl takes the setting, ranks by the new baseline and judges by the function of the file; the export lists pages."""
    shutil.rmtree(changed / "out", ignore_errors=True)
    said = run("-c", CRAWL)

    assert "http://a.test/owls True True" in said
    assert "http://a.test/x False True" in said
    run("-m", "lycosa", "export", "out", "--to", "owls.txt")
    assert (changed / "owls.txt").read_text().split() == ["http://a.test/", "http://a.test/owls"]


def test_a_command_works_after_one_line(run):
    assert run("-m", "lycosa", "hello") == "hello, spider\n"
    assert "hello" in run("-m", "lycosa", "--help")


def test_evidence_is_a_class_in_a_module(run):
    """A strategy names it in `needs`; nothing else has to know it."""
    code = (
        "from lycosa.evidence.exclamations import Exclamations; from lycosa.page.document import Document; "
        "print(Exclamations().of_page(Document(b'<p>Owls! Now!', 'http://a.test/')).value)"
    )
    assert run("-c", code) == "2\n"
