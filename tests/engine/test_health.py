"""The health line at the end of a crawl: how sure, what is near the threshold, what to look at, what helps most."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.catalogue.progress import ReasonCounts
from lycosa.collection.collection import Collection
from lycosa.engine.loop import NOTHING_LEFT
from lycosa.engine.watch.health import NOTHING_UNTAKEN, TITLES, _advice, _troubles, health_of
from lycosa.engine.watch.summary import Summary
from lycosa.learn.judges.calibration import Estimate
from lycosa.learn.judges.version import Version
from lycosa.learn.questions import Interview
from lycosa.library.publish.publishing import publish
from lycosa.library.views import content, monitor
from lycosa.report.html import render
from lycosa.testing import Site, html
from lycosa.wording import HARVEST, MEASURES, MISSED, PRECISION, RECALL
from tests.crawling import KEYWORDS, ROOT, TOPIC, crawl, small_web, spec_text

SIXTY: dict[str, Any] = TOPIC | {"limits": {"pages": 60}}


def test_a_crawl_says_how_sure_it_is(tmp_path):
    """In the terminal, after the summary; in JSON there are figures instead."""
    with Site(small_web(4, 40)) as site:
        (tmp_path / "crawl.toml").write_text(spec_text(site, ["http://h0.test/"], **SIXTY))
        done = CliRunner().invoke(app, ["crawl", str(tmp_path), "--quiet"], catch_exceptions=False)
        assert done.exit_code == 0
        told = done.stdout
        assert re.search(r"Health: harvest about \d+ % \(\d+ % to \d+ %\), ", told)
        assert re.search(
            r", precision about \d+ % \(\d+ % to \d+ %\)(, cannot tell yet)?; no labels yet; ", told
        )
        assert MEASURES in told
        assert " % of the pages lie near the threshold." in told
        assert (
            len(
                told.partition("(with how likely each is to be relevant):\n")[2]
                .partition("What would")[0]
                .splitlines()
            )
            == TITLES
        )
        assert f"What would help most: lycosa label {tmp_path / 'crawl'}" in told
        plain = CliRunner().invoke(app, ["crawl", str(tmp_path), "--json"], catch_exceptions=False).stdout
        again = CliRunner().invoke(app, ["crawl", str(tmp_path), "--quiet"], catch_exceptions=False).stdout
    assert "Nothing was fetched" not in told
    assert "Nothing was fetched: earlier runs had reached the limit." in again
    assert "Health" not in plain
    assert '"harvest_low"' in plain


def test_figures_are_the_same_wherever_they_are_shown(tmp_path):
    """Terminal, status, JSON of the end, library, published site and report: all of them, in the same words."""
    out = tmp_path / "c"
    with Site(small_web(4, 40)) as site:
        summary = crawl(spec_text(site, ["http://h0.test/"], **TOPIC, limits={"pages": 120}), out)
    figures = summary.figures
    assert figures.recall_told
    assert figures.missed_told
    assert len(figures.tiles) == 4
    assert figures.harvest_told
    assert figures.precision_told
    assert f"harvest {figures.harvest_told}, precision {figures.precision_told}" in str(figures)
    assert figures.as_json().items() <= msgspec.to_builtins(summary).items()
    assert f"Health: {figures}; " in str(health_of(summary))
    status = CliRunner().invoke(app, ["status", str(out)], catch_exceptions=False).stdout
    assert str(figures) in status
    publish(out, tmp_path / "site", say=lambda _: None)
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    with Collection.open(out) as collection:
        for told in (content.about(collection), monitor.status(collection)):
            assert figures.as_json().items() <= told.items()
        for page in (render(collection), front):
            for name, value, between, means in figures.tiles:
                assert f"<b>{value}</b><span>{name}: {means}, estimated ({between})" in page
    assert summary.harvest != summary.relevant / summary.pages


def test_a_crawl_ends_at_the_recall_that_was_asked_for(tmp_path):
    """As soon as a version of the judge can tell; the same command ends it at once again, and a higher one goes on."""
    out = tmp_path / "c"
    with Site(small_web(4, 60)) as site:
        texts = [
            spec_text(site, ["http://h0.test/"], **TOPIC, limits={"pages": 180, "until": until})
            for until in ("recall 0.01", "recall 0.9999")
        ]
        first, again, higher = (crawl(text, out) for text in (texts[0], texts[0], texts[1]))
    told = r'limits\.until = "recall 0\.01" reached: recall about \d+ % \(\d+ % to \d+ %\)'
    assert re.fullmatch(told, first.ended)
    assert not first.stopped_early
    assert 100 <= first.pages < 110
    assert re.fullmatch(told, again.ended)
    assert again.fetched_now <= 1
    assert higher.ended == "limits.pages = 180 reached"


def test_the_documentation_defines_the_figures_as_they_are_shown():
    pages = [
        (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("glossary.md", "lab.md", "judge.md")
    ]
    for means in (HARVEST, PRECISION, RECALL):
        assert all(means.casefold() in page.casefold() for page in pages)
    assert all(MISSED in page for page in (pages[0], pages[2]))


def test_keywords_that_no_page_has_are_named(tmp_path):
    """They are misspelt, or of another language than the pages; nobody would find it out from the scores."""
    topic = {**SIXTY, "topic": {"keywords": [*KEYWORDS, "Eulen", "the of"]}}
    with Site(small_web(4, 40)) as site:
        health = health_of(crawl(spec_text(site, ["http://h0.test/"], **topic), tmp_path / "c"))
    assert health
    assert "no page has the keyword 'Eulen': misspelt" in health.troubles[0]


def test_answers_are_counted(tmp_path):
    with Site(small_web(4, 40)) as site:
        summary = crawl(spec_text(site, ["http://h0.test/"], **SIXTY), tmp_path / "c")
    Interview(tmp_path / "c", 1).take("y")
    health = health_of(summary)
    assert health
    assert health.answers == 1
    assert 0 < health.near < 1


ESTIMATE = Estimate(relevant=8.0, precision=0.35, precision_low=0.2, precision_high=0.5, kept=20, pages=100)
SUMMARY = Summary(
    "c", 103, 23, 0.08, 1, 1.0, 50, "100 pages", False, True, {}, {}, harvest_low=0.02, harvest_high=0.2
)


SURE = msgspec.structs.replace(ESTIMATE, precision=0.8)
STARVED = {"pages": 3, "ended": NOTHING_LEFT, "harvest": None}


@pytest.mark.parametrize(
    ("estimate", "changes", "told"),
    [
        (
            ESTIMATE,
            {},
            "most of the pages kept are probably off topic: about 35 % (20 % to 50 %) of them are right.",
        ),
        (SURE, {}, ""),
        (
            SURE,
            {"unsure": "no page is likely enough to be relevant"},
            "cannot tell yet: no page is likely enough to be relevant. What is kept is the best so far, and marked "
            "as uncertain. lycosa label c --count 5 asks five questions.",
        ),
        (SURE, {"harvest": 0.01}, "hardly any of the pages found are about the topic."),
        (
            Estimate(),
            STARVED | {"pages": 1},
            "no link was left after 1 page, so this is all that the seeds lead to.",
        ),
        (Estimate(), STARVED, "no link was left after 3 pages, so this is all that the seeds lead to."),
        (
            Estimate(),
            STARVED | {"untaken": ReasonCounts({}, {}, {"TRAP": 2300})},
            "no link was left after 3 pages, beside 2,300 links refused as crawler traps: with "
            "scope.avoid_traps = false all are followed.",
        ),
        (SURE, {"ended": "interrupted"}, ""),
        (
            SURE,
            {"untaken": ReasonCounts({"NOINDEX": 31}, {}, {})},
            "31 pages ask not to be indexed (noindex): archived, but not counted as relevant. What you name in "
            "topic.examples or label as relevant counts; with fetch.obey_nofollow = false a new crawl counts all.",
        ),
    ],
)
def test_what_is_wrong_is_said_first(estimate, changes, told):
    """A crawl that is mostly off topic, empty or starved says so before anything else; a stopped one is as good as its pages."""
    untaken = changes.get("untaken", NOTHING_UNTAKEN)
    summary = msgspec.structs.replace(SUMMARY, **{key: changes[key] for key in changes if key != "untaken"})
    assert list(_troubles(summary, estimate, (), untaken)) == [told] * bool(told)


def test_a_seed_that_asks_not_to_be_indexed_is_named(tmp_path):
    """The user gave it and would look for it in vain; an example is kept, by the user's own word."""
    hidden = html("<title>Owls</title><p>The owl at night. <a href=/>home</a>", x_robots_tag="noindex")
    web = small_web(4, 40) | {("h0.test", f"/{name}"): hidden for name in ("seed", "example")}
    own = ["http://h0.test/", "http://h0.test/seed"]
    topic = {**SIXTY, "topic": {"keywords": list(KEYWORDS), "examples": ["http://h0.test/example"]}}
    with Site(web) as site:
        health = health_of(crawl(spec_text(site, own, **topic), tmp_path / "c"))
    assert health
    (told,) = (trouble for trouble in health.troubles if "noindex" in trouble)
    assert "pages ask not to be indexed (noindex), among them your own http://h0.test/seed: archived" in told


@pytest.mark.parametrize(
    ("precision", "brought", "advice"),
    [
        ((0.6, 0.95), 12, "lycosa label c"),
        ((0.85, 0.95), 12, "the same crawl with a higher --max-pages: 12 of the last 100 pages were kept"),
        ((0.85, 0.95), 0, "lycosa report c"),
    ],
)
def test_more_pages_are_advised_where_the_last_ones_brought_some(precision, brought, advice):
    """And only where it is known well what the kept ones are worth; else answers help more."""
    told = msgspec.structs.replace(
        ESTIMATE, precision=0.9, precision_low=precision[0], precision_high=precision[1]
    )
    version = Version(3, 100, 100, "english", "both", {}, 0.0, {}, estimate=told)
    summary = msgspec.structs.replace(
        SUMMARY, judge_version=3, last_pages=100, last_relevant=brought, harvest_high=0.1
    )
    assert _advice(summary, version, 0.05, 0) == advice


def test_a_starved_crawl_says_so(tmp_path):
    """Seeds that lead nowhere: the advice is others, and not more answers."""
    with Site(small_web(1, 5)) as site:
        summary = crawl(spec_text(site, ["http://h0.test/"], **SIXTY), tmp_path / "c")
    told = str(health_of(summary))
    assert "no link was left after" in told
    assert "further seeds" in told


def test_what_was_not_judged_has_no_health(tmp_path):
    with Site(small_web(1, 5)) as site:
        assert health_of(crawl(spec_text(site, ["http://h0.test/"]), tmp_path / "c")) is None


def test_a_strategy_that_refused_all_links_says_what_helps(tmp_path):
    """The paper's selective drops what fails its threshold: with examples alone it soon has nothing left."""
    dropping: dict[str, Any] = {
        **SIXTY,
        "top": {"strategy": "selective"},
        "topic": {"examples": ["http://h0.test/"]},
        "selective": {"combine": "paper", "threshold": 1.0},
    }
    with Site(small_web(4, 40)) as site:
        summary = crawl(spec_text(site, ["http://h0.test/"], **dropping), tmp_path / "c")
        waiting = {**dropping, "selective": {"combine": "paper", "threshold": 1.0, "drop": False}}
        assert crawl(spec_text(site, ["http://h0.test/"], **waiting), tmp_path / "d").pages == 60
    assert summary.ended == NOTHING_LEFT
    assert "selective.drop = false" in summary.when_starved
    health = health_of(summary)
    assert health is not None
    assert "refuses" in health.troubles[-1]
    assert "selective.drop = false" in health.advice
