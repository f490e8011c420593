"""The lab as a user: nothing but keywords and a few examples, and the kept pages are measured."""

from __future__ import annotations

import asyncio
import random
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from lycosa.engine.rules.limits import Limits
from lycosa.errors import InputError, SpecError
from lycosa.learn.meaning.encoders import NONE
from lycosa.methods.lookup import fitted
from lycosa.spec.sections import JudgeSpec
from lycosa.values import Link
from lycosa_lab import results
from lycosa_lab.grids.comparing import compare
from lycosa_lab.grids.grid import Laboratory, by_variant
from lycosa_lab.grids.variants import Variant
from lycosa_lab.plots import plot_scores
from lycosa_lab.runs.answers import SimulatedUser
from lycosa_lab.runs.given import Given, parse_given, refuse_ungiven
from lycosa_lab.runs.memory_sink import MemorySink
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import CountingStore, Run, make_crawl
from lycosa_lab.runs.user import user_spec
from lycosa_lab.webs.cache import CachedWeb

FLOORS = tomllib.loads((Path(__file__).parents[2] / "lab" / "floors.toml").read_text())["as-user"]
BOTH = Options(pages=40, given=Given(keywords=True, examples=3))


def _run(
    web: CachedWeb, options: Options, topic: str = "owls", random_seed: int = 1, strategy: str = "best-first"
) -> Run:
    laboratory = Laboratory(web, topic, random_seed, options)
    laboratory.prepare([strategy])
    return laboratory.run(Variant(strategy))


def test_what_a_strategy_has_does_not_depend_on_what_it_is_compared_with(web: CachedWeb):
    laboratory = Laboratory(web, "owls", 1, BOTH)
    laboratory.prepare(["selective", "fused"])

    assert laboratory.preparations["selective"].models
    assert not laboratory.preparations["fused"].models


def test_nothing_is_known_but_what_a_user_gives(web: CachedWeb):
    """No negatives, no classifier, the product's default judge; the examples are the seeds."""
    laboratory = Laboratory(web, "owls", 1, BOTH)
    laboratory.prepare(["best-first"])
    spec = user_spec(web, laboratory.topic, laboratory.draw, BOTH, 1)

    assert laboratory.draw.negatives == ()
    assert laboratory.draw.seeds == laboratory.draw.positives
    assert not laboratory.preparations["best-first"].models
    assert spec.judge == JudgeSpec(meaning=NONE)
    assert spec.topic.keywords == laboratory.topic.keywords
    assert spec.topic.examples == spec.seeds.urls == tuple(map(web.url, laboratory.draw.positives))


def test_the_first_draw_can_be_made_by_anyone(web: CachedWeb):
    """Run 1 has the examples that as_user.py draws; further runs have others."""
    topic = web.web.topic("owls")
    expected = random.Random("owls").sample(sorted(topic.relevant_urls), 3)
    drawn = [Laboratory(web, "owls", seed, BOTH).draw.positives for seed in (1, 1, 2)]

    assert drawn[0] == drawn[1] == tuple(topic.relevant_urls[url] for url in expected)
    assert drawn[2] != drawn[0]


def test_keywords_alone_start_from_pages_that_teach_nothing(web: CachedWeb):
    """The same pages as the examples would be, but only to start from."""
    options = replace(BOTH, given=Given(keywords=True), seeds=3)
    laboratory = Laboratory(web, "owls", 1, options)
    laboratory.prepare(["best-first"])

    assert laboratory.draw.positives == ()
    assert laboratory.draw.seeds == Laboratory(web, "owls", 1, BOTH).draw.positives
    assert laboratory.preparations["best-first"].examples == ()


def test_examples_use_up_the_limit_but_never_count(web: CachedWeb):
    """`--pages` is the limit of the crawl, as `limits.pages` is in a spec."""
    run = _run(web, BOTH)
    examples = set(map(web.url, Laboratory(web, "owls", 1, BOTH).draw.positives))

    assert len(run.fetched) == BOTH.pages - 3
    assert not examples & {*run.fetched, *run.collected}


def test_the_kept_pages_are_measured(web: CachedWeb):
    """Precision, recall, F1 and honesty follow from the URLs and the labels."""
    run, topic = _run(web, BOTH), web.web.topic("owls")
    draw = Laboratory(web, "owls", 1, BOTH).draw
    good = {web.url(key) for key in topic.relevant() & web.pages} - set(map(web.url, draw.positives))
    kept, fetched = set(run.collected), set(run.fetched)

    assert run.precision == pytest.approx(len(kept & good) / len(kept))
    assert run.kept_recall == pytest.approx(len(kept & good) / run.targets)
    assert run.f1 == pytest.approx(2 * len(kept & good) / (len(kept) + run.targets))
    assert run.overstated == pytest.approx((len(kept) - len(fetched & good)) / len(fetched))
    assert run.harvest_error == abs(run.overstated)
    assert [url for url, found in zip(run.fetched, run.relevant, strict=True) if found] == [
        url for url in run.fetched if url in good
    ]
    assert len(run.scores) == len(run.fetched)
    assert 0 < run.brier < 1


def test_answers_are_those_of_the_labels_and_teach(web: CachedWeb):
    """As many as are given, to the program's own questions; in the end every answered page is what was answered."""
    laboratory = Laboratory(web, "owls", 1, BOTH)
    laboratory.prepare(["best-first"])
    strategy = fitted("best-first", {}, laboratory.preparations["best-first"])
    store, user = CountingStore(laboratory.draw.excluded, 200), SimulatedUser(laboratory.topic, 12)
    crawl = make_crawl(strategy, web, store, limits=Limits(pages=70), user=user)
    asyncio.run(crawl.run([Link(web.url(key), key) for key in laboratory.draw.seeds]))
    relevant = laboratory.topic.relevant()

    assert len(user.answers) == 12
    assert not user.answers.keys() & {*laboratory.draw.positives}
    assert user.answers == {key: key in relevant for key in user.answers}
    assert {key: store.judgements[key].relevant for key in user.answers} == user.answers
    assert crawl.refits is not None
    assert crawl.refits.version is not None
    assert crawl.refits.version.said == user.answers


def test_answered_pages_are_told_apart(web: CachedWeb):
    """What answers teach is seen on the pages that nobody was asked about."""
    run = _run(web, replace(BOTH, pages=60, given=Given(keywords=True, examples=3, labels=10)))
    good = {url for url, relevant in zip(run.fetched, run.relevant, strict=True) if relevant}
    unasked = set(run.collected) - set(run.answered)

    assert len(run.answered) == 10
    assert run.precision_unasked == pytest.approx(len(unasked & good) / len(unasked))


def test_a_careless_user_errs_once_in_ten(web: CachedWeb):
    """In each ten answers one is wrong, the same one each time."""
    topic = web.web.topic("owls")
    keys = sorted(web.pages)[:40]
    users = [SimulatedUser(topic, 40, careless="3/owls") for _ in range(2)]
    for user in users:
        for key in keys:
            user.answer(key)
    slips = [users[0].answers[key] is not (key in topic.relevant()) for key in keys]

    assert users[0].answers == users[1].answers
    assert [sum(slips[at : at + 10]) for at in range(0, 40, 10)] == [1, 1, 1, 1]


def test_only_a_judge_that_learns_can_ask(web: CachedWeb):
    """The papers' judges and events are fitted once."""
    laboratory = Laboratory(web, "owls", 1, Options(pages=10))
    laboratory.prepare(["best-first"])
    strategy = fitted("best-first", {}, laboratory.preparations["best-first"])

    with pytest.raises(InputError, match="does not learn from answers"):
        make_crawl(strategy, web, MemorySink(), user=SimulatedUser(laboratory.topic, 5))


def test_an_event_is_given_by_its_model_pages(web: CachedWeb):
    """A topic that a method has a section for is written as `lycosa init` would begin it."""
    topic = replace(web.web.topic("owls"), is_event=True)
    draw = Laboratory(web, "owls", 1, BOTH).draw
    spec = user_spec(web, topic, draw, replace(BOTH, given=Given(examples=3)), 1)

    assert spec.judge.kind == "event"
    assert spec.methods["event"].pages == tuple(map(web.url, draw.positives))  # type: ignore[attr-defined]
    assert spec.topic.examples == ()


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("keywords", Given(keywords=True)),
        ("examples:3", Given(examples=3)),
        (" keywords, examples:12", Given(keywords=True, examples=12)),
        ("examples:3,labels:10,keywords", Given(keywords=True, examples=3, labels=10)),
    ],
)
def test_given_is_read(text: str, given: Given):
    """In any order, and it can be written out again."""
    assert parse_given(text) == parse_given(str(given)) == given


@pytest.mark.parametrize(
    "text", ["examples", "examples:0", "keywords:2", "", "keywords,keywords", "pages:3", "labels:5"]
)
def test_what_cannot_be_given_is_refused_with_what_can(text: str):
    """The message shows how it is written."""
    with pytest.raises(SpecError, match="keywords,examples:3"):
        parse_given(text)


def test_a_topic_without_keywords_says_where_to_write_them(web: CachedWeb):
    """Before anything is parsed."""
    bare = replace(web.web.topic("owls"), keywords=())

    with pytest.raises(InputError, match=r"web\.toml, \[topics\.owls\] keywords"):
        refuse_ungiven(Given(keywords=True), [bare])
    with pytest.raises(InputError, match="Give fewer examples"):
        refuse_ungiven(Given(examples=1000), [bare])


def test_a_strategy_that_has_to_be_trained_is_refused(demo_folder: Path):
    """Its classifier needs what no user gives."""
    with pytest.raises(InputError, match="anchor-tree: its classifier"):
        compare(demo_folder, ["anchor-tree"], options=BOTH)


def test_selective_begins_with_what_is_known_of_the_language(web: CachedWeb):
    """Keywords or examples suffice to rank links from the first page on; no irrelevant page is needed."""
    blind = _run(web, BOTH, strategy="breadth-first").recall
    for given in (Given(keywords=True), Given(examples=3)):
        assert _run(web, replace(BOTH, given=given), strategy="selective").recall > blind


def test_every_table_has_the_figures_of_the_kept_pages(web: CachedWeb, tmp_path: Path):
    """Terminal, JSON and CSV, and a picture of the scores."""
    runs = [_run(web, BOTH), _run(web, BOTH, random_seed=2)]
    found = results.summary(runs, BOTH, web="demo")
    results.write_csv(tmp_path / "a.csv", runs)

    assert found["options"]["given"] == {"keywords": True, "examples": 3, "labels": 0} | {
        "description": False,
        "meaning": False,
    }
    assert found["strategies"][0]["f1"]["mean"] == pytest.approx((runs[0].f1 + runs[1].f1) / 2)
    assert sum(bin_["pages"] for bin_ in found["strategies"][0]["reliability"] if bin_) == 74
    assert "|reported − true|" in results.table_text(found)
    assert (
        "harvest_error,estimate_error,calibration_error,brier,overstated,estimated,precision_unasked"
        in (tmp_path / "a.csv").read_text()
    )
    assert [path.name for path in plot_scores(runs, tmp_path / "s.png")] == ["s.png", "s.svg"]


RANKED = ("best-first", "fused")


@pytest.fixture(scope="module")
def floor_runs(demo_folder: Path) -> dict[str, list[Run]]:
    """As a user, on the demo web."""
    options = Options(pages=FLOORS["pages"], given=parse_given(FLOORS["given"]))
    seeds, topics = FLOORS["random_seeds"], FLOORS["topics"]
    found = compare(
        demo_folder, RANKED, topics=topics, options=options, runs=len(seeds), random_seed=seeds[0]
    )
    return by_variant(found.runs)


@pytest.mark.parametrize(
    ("strategy", "measure"),
    [(name, measure) for name in RANKED for bounds in FLOORS[name].values() for measure in bounds],
)
def test_what_a_user_gets_stays_good(floor_runs: dict[str, list[Run]], strategy: str, measure: str):
    """Means over topics and draws: what is good stays above its floor, errors below their ceilings."""
    runs, bounds = floor_runs[strategy], FLOORS[strategy]
    mean = sum(getattr(run, measure) for run in runs) / len(runs)

    assert bounds["least"].get(measure, 0.0) <= mean <= bounds["most"].get(measure, 1.0)
