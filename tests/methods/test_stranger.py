"""A method of a stranger: an installed package brings its own section, judge, preparation and commands."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from lycosa.testing import Site
from tests.commands.calling import Told, one_by_one
from tests.crawling import small_web, spec_text

METHOD = """
from lycosa.methods import Lazy, Method
from lycosa.methods.seam import Commands, MethodEvidence, OwnJudge, Reporting, Start

METHOD = Method(
    name="sayings",
    strategies={"sayings": Lazy("sayings_parts:Sayings")},
    section=Lazy("sayings_parts:SayingsSpec"),
    judges={"sayings": OwnJudge(make=Lazy("sayings_parts:SayingsJudge"))},
    evidence=MethodEvidence(
        of_links=Lazy("sayings_parts:link_evidence"),
        link_words={"said_of_links": "what people say of it", "rumoured": "what is rumoured of it"},
    ),
    start=Start(prepare=Lazy("sayings_parts:prepare"), template=Lazy("sayings_parts:START")),
    commands=Commands(train=Lazy("sayings_parts:register")),
    report=Reporting(section=Lazy("sayings_parts:report_part")),
)
"""
PARTS = '''
import json
from pathlib import Path

import typer

from lycosa.errors import SpecError
from lycosa.evidence import Evidence
from lycosa.methods import BaseStrategy, Prepared
from lycosa.spec.sections import PositiveInt, Section
from lycosa.values import Decision, Judgement, Score

START = {"": {"strategy": "sayings"}, "sayings": {"words": ["owl"]}, "judge": {"kind": "sayings"}}


class SayingsSpec(Section):
    """What people say."""

    words: tuple[str, ...] = ()
    """Words of the saying."""
    least: PositiveInt = 1
    """How many of them a page must have."""


async def prepare(section, means):
    if not section.words:
        return None
    means.models and (means.models / "sayings.json").write_text(json.dumps(section.words))
    means.say(f"The saying: {' '.join(section.words)}.")
    return Prepared((section.words, section.least), terms=dict.fromkeys(section.words, 1))


class Said(Evidence):
    name = "said"
    tells = Score

    def __init__(self, words):
        self.words = words

    def of_page(self, document):
        return Score(sum(word in document.text for word in self.words) / len(self.words))


class SaidOfLinks(Evidence):
    name = "said_of_links"
    tells_of_links = float

    def of_links(self, document):
        return [0.75] * len(document.links)


class Rumoured(SaidOfLinks):
    name = "rumoured"

    def of_links(self, document):
        return [0.25] * len(document.links)


def link_evidence(model):
    return SaidOfLinks(), Rumoured()


class SayingsJudge:
    def __init__(self, model, spec):
        if model is None:
            raise SpecError("[judge] kind is sayings, but [sayings] is empty. Give it words.")
        self.words, self.least = model
        self.needs = (Said(self.words),)

    def judge(self, page):
        value = page.evidence["said"].value
        return Judgement(value * len(self.words) >= self.least, value, "what people say")


class Sayings(BaseStrategy):
    """Links of pages that say it first."""

    def fit(self, preparation):
        self.model_ = preparation.methods["sayings"]
        return super().fit(preparation)

    def rank(self, page, judgement):
        return [Decision(link, judgement.score, rule="as its page says") for link in page.links]


def register(train):
    @train.command("sayings")
    def sayings(words: list[str], out: Path = typer.Option(...)) -> None:
        """Write a saying down."""
        out.write_text(" ".join(words))


def report_part(collection):
    return "<h2>What people say</h2>"
'''


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that looks as if the stranger's package were installed there."""
    place, about = tmp_path / "site", tmp_path / "site" / "lycosa_sayings-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lycosa-sayings\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[lycosa.methods]\nsayings = sayings_method:METHOD\n")
    (place / "sayings_method.py").write_text(METHOD)
    (place / "sayings_parts.py").write_text(PARTS)
    return place


def lycosa(folder: Path, place: Path, *commands: Sequence[object]) -> list[Told]:
    """Commands of one who has installed the stranger's package."""
    path = os.pathsep.join([str(place), *sys.path])
    return one_by_one(folder, {**os.environ, "PYTHONPATH": path}, *commands)


def test_it_crawls_with_all_that_it_brings(tmp_path, installed):
    """Section, preparation, judge, strategy, command, template and its part of the report; typos are its own."""
    with Site(small_web(1, 6)) as site:
        spec = spec_text(
            site,
            ["http://h0.test/"],
            top={"strategy": "sayings"},
            sayings={"words": ["owl"]},
            judge={"kind": "sayings"},
        )
        (tmp_path / "crawl.toml").write_text(spec)
        complaints = {
            "sayings.word=[]": "Did you mean 'words'?",
            "sayings.least=0": "[sayings] least",
            "judge.kind=saying": "Did you mean 'sayings'?",
            "sayings.words=[]": "Give it words",
        }
        crawled, why, report, _, made, *refused = lycosa(
            tmp_path,
            installed,
            ["crawl", ".", "--quiet"],
            ["why", "crawl", "http://h0.test/"],
            ["report", "crawl", "--out", "-"],
            ["train", "sayings", "owl", "night", "--out", "said.txt"],
            ["init", "mine", "--sayings"],
            *(["crawl", ".", "--out", "other", "--quiet", "--set", change] for change in complaints),
        )
    assert crawled.code == 0, crawled.err
    assert "The saying: owl." in crawled.err
    assert (tmp_path / "crawl" / "models" / "sayings.json").exists()
    assert "what people say" in why.out
    assert "What people say" in report.out
    assert (tmp_path / "said.txt").read_text() == "owl night"
    assert made.code == 0
    assert 'words = ["owl"]' in (tmp_path / "mine" / "crawl.toml").read_text()
    for told, complaint in zip(refused, complaints.values(), strict=True):
        assert told.code == 2
        assert complaint in told.err
    assert not (tmp_path / "other").exists(), "a spec that is refused leaves nothing behind"


def test_what_it_says_of_links_is_a_part_of_what_fused_ranks_by(tmp_path, installed):
    """Its evidence is listed in its Method, and its section is in the spec: that is all."""
    with Site(small_web(1, 6)) as site:
        (tmp_path / "crawl.toml").write_text(
            spec_text(site, ["http://h0.test/"], top={"strategy": "fused"}, sayings={"words": ["owl"]})
        )
        whys = [["why", "crawl", f"http://h0.test/p{n}"] for n in range(1, 6)]
        done, *found = lycosa(tmp_path, installed, ["crawl", ".", "--quiet", "--max-pages", "3"], *whys)
    assert done.code == 0, done.err
    told = [one.out for one in found]
    assert any("+0.75  what people say of it" in text for text in told), told
    assert any("+0.25  what is rumoured of it" in text for text in told), told


def test_evidence_that_is_not_listed_is_refused(tmp_path, installed):
    """What moves a rank has to be told in words."""
    (installed / "sayings_method.py").write_text(METHOD.replace('"rumoured"', '"rumour"'))
    with Site(small_web(1, 3)) as site:
        (tmp_path / "crawl.toml").write_text(
            spec_text(site, ["http://h0.test/"], top={"strategy": "fused"}, sayings={"words": ["owl"]})
        )
        (done,) = lycosa(tmp_path, installed, ["crawl", ".", "--quiet"])
    assert done.code == 2
    assert "'rumoured' is evidence of links that no method describes" in done.err
    assert "link_words" in done.err


def test_a_broken_one_stops_only_what_names_it(tmp_path, installed):
    """Another crawl goes on; an unknown name that may belong to it is reported with the package to fix."""
    (installed / "sayings_method.py").write_text("import a_module_that_is_nowhere\n")
    with Site(small_web(1, 3)) as site:
        (tmp_path / "crawl.toml").write_text(spec_text(site, ["http://h0.test/"]))
        other, done = lycosa(
            tmp_path,
            installed,
            ["crawl", ".", "--quiet"],
            ["crawl", ".", "--strategy", "sayings", "--quiet"],
        )
    assert other.code == 0
    assert done.code == 2
    assert "'sayings' of the installed package lycosa-sayings cannot be loaded" in done.err
    assert "Traceback" not in done.err


GUIDE = """
class Told(BaseStrategy):
    judges_itself = True
    guides = "what was told of it"

    def judge(self, page):
        return Judgement("p2" in page.url, 0.5, "as was told")

    def rank(self, page, judgement):
        return [
            Decision(link, 0.95 if link.url.endswith("p4") else 0.05, rule="as was told") for link in page.links
        ]
"""


def test_its_strategy_guides_fused(tmp_path, installed):
    """It says what it tells as a guide, and its table is in the spec: it judges, and what it says counts."""
    method = METHOD.replace('sayings_parts:Sayings"', 'sayings_parts:Told"')
    (installed / "sayings_method.py").write_text(method)
    (installed / "sayings_parts.py").write_text(PARTS + GUIDE)
    with Site(small_web(1, 6)) as site:
        (tmp_path / "crawl.toml").write_text(
            spec_text(site, ["http://h0.test/"], top={"strategy": "fused"}, sayings={"words": ["owl"]})
        )
        done, why, other = lycosa(
            tmp_path,
            installed,
            ["crawl", ".", "--quiet", "--max-pages", "2"],
            ["why", "crawl", "http://h0.test/p4"],
            ["why", "crawl", "http://h0.test/p2"],
        )
    assert done.code == 0, done.err
    assert "+2.95  what was told of it" in why.out, why.out
    assert re.search(r"[-−]2\.9.  what was told of it", other.out), other.out
