"""The judges that come with the program, and those of users: the contract, from files, from Python, with callbacks."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import lycosa
from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, set_label
from lycosa.errors import CodeError, SpecError
from lycosa.learn.judges.kinds import EveryPage, Judge, OfWantedKind, TextJudge
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.judges.version import Brief
from lycosa.testing import Page as Content
from lycosa.testing import Site
from lycosa.testing.judges import JudgeContract
from lycosa.urls import key_of
from lycosa.values import Judgement, Page
from lycosa.why import explain
from tests.crawling import ROOT, pages_of
from tests.methods.conftest import tiny_model

WEB: dict[str | tuple[str, str], Content] = {
    "/": "<title>Start</title><p>Trains. <a href=/owl>owls</a> <a href=/bread>bread</a>",
    "/owl": "<title>Owls</title><p>The owl hunts at night.",
    "/bread": "<title>Bread</title><p>Rye bread.",
}
START = "http://a.test/"


def of_titles(page: Page) -> float:
    return 0.9 if "Owls" in page.title else 0.1


class OwlTitles(lycosa.Judge):
    """Says in words why, and learns from labels which title is meant."""

    def __init__(self) -> None:
        self.wanted = "Owls"

    def judge(self, page: Page) -> Judgement:
        return Judgement(page.title == self.wanted, float(page.title == self.wanted), f"titled {self.wanted}")

    def learn(self, labels: Mapping[int, bool], pages: Sequence[Page]) -> str:
        self.wanted = next((page.title for page in pages if labels[page.link.key]), self.wanted)
        return self.wanted

    def explain(self, page: Page) -> Sequence[tuple[str, float]]:
        return [(page.title or "no title", 0.5)]


class InBatches(OwlTitles):
    """Judges pages together, as one that asks a service does."""

    def judge(self, page: Page) -> Judgement:
        raise AssertionError("it is asked for many")

    async def judge_many(self, pages: Sequence[Page]) -> Sequence[Judgement]:
        return [Judgement(page.title == "Owls", 0.75, "in a batch") for page in pages]


class TestEveryPage(JudgeContract):
    def judge(self) -> Judge:
        return EveryPage()


class TestTextClassifier(JudgeContract):
    def judge(self) -> Judge:
        return TextJudge(tiny_model())


class TestLearningJudge(JudgeContract):
    def judge(self) -> Judge:
        return LearningJudge(Brief(keywords={"owl": 1.0, "night": 1.0}))


class TestOfWantedKind(JudgeContract):
    def judge(self) -> Judge:
        return OfWantedKind(EveryPage(), ())


class TestFunction(JudgeContract):
    def judge(self) -> object:
        return of_titles


class TestClassOfAUser(JudgeContract):
    def judge(self) -> object:
        return OwlTitles


def crawled(site: Site, out: Path, **more: Any) -> lycosa.Summary:
    fetch = {"per_host_delay_s": 0, "connect_to": site.connect_to, "allow_private": list(site.allow_private)}
    return lycosa.crawl(
        strategy="breadth-first",
        seeds={"urls": [START]},
        fetch=fetch,
        process={"workers": 0},
        out=out,
        **more,
    )


def kept(out: Path) -> list[str]:
    return [url for url, page in pages_of(out).items() if page.judgement and page.judgement.relevant]


@pytest.mark.parametrize(
    "judge", [of_titles, OwlTitles, OwlTitles(), InBatches], ids=["function", "class", "instance", "batches"]
)
def test_a_judge_of_the_program_judges_its_crawl(tmp_path, judge):
    """A function, a class or an instance, without a topic; `why` says what it went by."""
    with Site(WEB) as site:
        summary = crawled(site, tmp_path / "out", judge=judge)
    assert (summary.pages, summary.relevant) == (3, 1)
    assert kept(tmp_path / "out") == ["http://a.test/owl"]
    if judge is OwlTitles:
        assert "titled Owls (Owls +0.50)" in str(explain(tmp_path / "out", "http://a.test/owl"))


FILE = """
from lycosa import Judge, Judgement
class Owls(Judge):
    def fit(self, topic, threshold):
        self.words, self.threshold = set(topic.keywords), threshold
        return self
    def judge(self, page):
        return Judgement("owl" in self.words and "Owls" in page.title, 0.8, f"a title, against {self.threshold}")
def owls(page):
    return "Owls" in page.title
not_a_judge = 3
def failing(page):
    return 1 / 0
def nonsense(page):
    return "perhaps"
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "owl_judges.py").write_text(FILE)
    yield tmp_path / "owl_judges.py"
    sys.modules.pop("owl_judges", None)


@pytest.mark.parametrize("name", ["Owls", "owls"])
def test_a_judge_from_a_file_is_named_in_the_spec(tmp_path, file, name, lycosa):
    """By the path from the spec; the collection keeps where it is, so that the crawl goes on from anywhere."""
    with Site(WEB) as site:
        fetch = f"per_host_delay_s = 0\nallow_private = {list(site.allow_private)}\n"
        text = f'[topic]\nkeywords = ["owl"]\n[judge]\nkind = "owl_judges.py:{name}"\nthreshold = 0.4\n[seeds]\nurls = ["{START}"]\n'
        spec = tmp_path / "crawl.toml"
        spec.write_text(
            f"{text}[fetch]\n{fetch}"
            + "".join(f'connect_to = {{"{host}" = "{to}"}}\n' for host, to in site.connect_to.items())
        )
        code, _, told = lycosa("check", spec)
        assert code == 2
        assert "owl_judges.py" in told
        assert "--trust" in told
        assert lycosa("check", spec, "--trust")[0] == 0
        for _ in range(2):
            assert lycosa("crawl", spec, "--quiet", "--set", "process.workers=1")[0] == 0
    assert kept(tmp_path / "crawl") == ["http://a.test/owl"]
    assert str(file) in (tmp_path / "crawl" / "crawl.toml").read_text()
    with Collection.open(tmp_path / "crawl") as collection:
        rule = next(
            page.judgement.rule
            for page in collection.reader.pages()
            if page.judgement and page.judgement.relevant
        )
    assert rule == ("a title, against 0.4" if name == "Owls" else "owls says so")


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("missing", SpecError, "has no judge 'missing'"),
        ("not_a_judge", SpecError, "is no judge"),
        (
            "failing",
            CodeError,
            r"The judge failing \(.*owl_judges.py, line 13\) failed at http://a.test/: ZeroDivisionError",
        ),
        ("nonsense", CodeError, r"it returned 'perhaps', not a Judgement"),
    ],
)
def test_a_judge_that_fails_is_named(tmp_path, file, name, error, words):
    """With the line and the page; what cannot be a judge is refused before anything is fetched."""
    with Site(WEB) as site:
        with pytest.raises(error, match=words):
            crawled(site, tmp_path / "out", judge={"kind": f"{file}:{name}"})
        assert error is CodeError or not site.hits(START)


def test_a_crawl_by_a_function_goes_on_only_in_its_program(tmp_path):
    """What is nowhere else cannot be found from the command line: that is said."""
    with Site(WEB) as site:
        crawled(site, tmp_path / "out", judge=lambda page: True)
        with pytest.raises(SpecError, match="Run that program again"):
            crawled(site, tmp_path / "again", judge={"kind": "python:gone"})


def test_a_judge_of_ones_own_learns_from_labels(tmp_path):
    """When the crawl goes on; if it has learned something new, all pages are judged again."""
    with Site(WEB) as site:
        crawled(site, tmp_path / "out", judge=OwlTitles)
        bread = "http://a.test/bread"
        set_label(tmp_path / "out", Label(key_of(bread), bread, relevant=True, at=1.0))
        asked = site.hits(bread)
        summary = crawled(site, tmp_path / "out", judge=OwlTitles)
        assert site.hits(bread) == asked
    assert kept(tmp_path / "out") == [bread]
    assert summary.relevant == 1


def test_each_concluded_page_is_told_once(tmp_path):
    """After its commit, with its judgement; not again when the crawl goes on."""
    told: list[tuple[str, bool]] = []
    with Site(WEB) as site:
        for pages in (2, 3):
            crawled(
                site,
                tmp_path / "out",
                judge=of_titles,
                limits={"pages": pages},
                on_page=lambda page, judgement: told.append((page.url, judgement.relevant)),
            )
    assert told[0] == (START, False)
    assert sorted(told) == [(START, False), ("http://a.test/bread", False), ("http://a.test/owl", True)]


def test_an_error_in_a_callback_ends_the_crawl(tmp_path):
    """It says whose fault it is and where; the page is kept."""

    def fails(page: Page, judgement: Judgement) -> None:
        raise ValueError("no room")

    with (
        Site(WEB) as site,
        pytest.raises(CodeError, match=re.escape("fails") + r" \(.*test_judges.py, line \d+\) failed at"),
    ):
        crawled(site, tmp_path / "out", judge=of_titles, on_page=fails)
    assert START in pages_of(tmp_path / "out")


def test_the_contract_finds_a_judge_that_breaks_it():
    """One that answers otherwise when it is asked again."""

    class Fickle(JudgeContract):
        def judge(self) -> object:
            answers = iter(range(100))
            return lambda page: next(answers) / 100

    with pytest.raises(AssertionError):
        Fickle().test_judging_changes_nothing()


def test_the_snippet_of_the_docs_names_the_contract():
    assert "JudgeContract" in (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
