"""One contract for every strategy that a spec can name, baselines too."""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import math
import pickle
import re
import textwrap
from typing import Any, get_args

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.collection.catalogue.facts import fact_columns, stored_fact
from lycosa.errors import SpecError
from lycosa.evidence import Evidence, Need
from lycosa.evidence.words import fact_in_words
from lycosa.methods import BaseStrategy, Step
from lycosa.methods.lookup import settings_of, strategy_class, strategy_names
from lycosa.methods.preparation import Preparation
from lycosa.methods.profile.site.page_types import PageTypes, Site
from lycosa.values import (
    MEMO_BYTES,
    Category,
    Count,
    Data,
    Decision,
    Fact,
    Judgement,
    Link,
    LinkClasses,
    LinkPartners,
    Merge,
    NotSaid,
    Page,
    Refusal,
    Score,
)
from tests.methods.conftest import analysed
from tests.methods.multimedia.images.drawn import graded_map, png

OWLS = """<title>Owls at night</title><h1>Owls</h1><p>The owl hunts at night, and every mouse knows.
    <a href="/owls">more owls</a> <a href="/bread">bread</a></p><ul><li>At night the <a href="/x">next</a>
    owl <a href="http://b.example/night">calls</a></ul><img src="owl.jpg" alt="an owl" width=300 height=200>"""
PAGES = {
    "owls": OWLS,
    "no links": "<title>Owls</title><p>The owl hunts at night.",
    "no text": '<a href="/x"></a><a href="/y"><img src="y.png"></a>',
    "nothing": "",
    "broken": "<td><a href=/x>owl<a href=/y>night<p></a><b <i>",
}


SETTINGS: dict[str, dict[str, Any]] = {
    "profile": {
        "page_types": PageTypes(Site("a site", {}, {"detail": {"tags": ("<i>",)}}, {})),
        "topic_tags": ("owl",),
    },
}
"""What must be set for a strategy to be fitted; all others have defaults that will do."""
OWN_JUDGE = {"profile": "relevance on sharing sites is by tags, whatever the spec's judge"}
TAKES_IN = {
    "profile": "users, tags and cash of a page count before its links are ranked",
    "multimedia": "which links wait for which images is noted when they are held",
}
"""Departures from the contract, each with its reason."""


@pytest.fixture(params=strategy_names())
def strategy(request: pytest.FixtureRequest, ready: Preparation) -> BaseStrategy:
    return strategy_class(request.param)(**SETTINGS.get(request.param, {})).fit(ready)


def name_of(strategy: BaseStrategy) -> str:
    return next(name for name in strategy_names() if strategy_class(name) is type(strategy))


def ranked(strategy: BaseStrategy, page: Page) -> list[Step]:
    return list(strategy.rank(page, strategy.judge(page)))


def links_of(steps: list[Step]) -> list[tuple[str, int]]:
    return [(step.link.url, step.link.position) for step in steps if isinstance(step, Decision)]


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES.keys())
def test_there_is_a_decision_for_each_link_in_order(strategy, html):
    """Whatever the page, its links come first and in their order; nothing is forgotten."""
    page = analysed(strategy, html)
    steps = ranked(strategy, page)
    assert links_of(steps)[: len(page.links)] == [(link.url, link.position) for link in page.links]


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES.keys())
def test_decisions_are_usable(strategy, html):
    """A finite priority, a reason for each refusal, a rule for `why`, a memo that can be stored."""
    for step in ranked(strategy, analysed(strategy, html)):
        if isinstance(step, Decision):
            assert math.isfinite(step.priority)
            assert step.rule
            assert not (step.refusal and step.hold)
            assert len(step.link.notes.memo) <= MEMO_BYTES


def test_asking_twice_changes_nothing(strategy):
    """Ranking depends on what was seen, not on being asked, and leaves the strategy as it was."""
    page = analysed(strategy, OWLS)
    judgement = strategy.judge(page)
    first = list(strategy.rank(page, judgement))
    before = _state(strategy)  # only now: tables that are made when they are first needed are there
    assert strategy.judge(page) == judgement
    if name_of(strategy) not in TAKES_IN:
        assert list(strategy.rank(page, judgement)) == first
        assert _state(strategy) == before


def _state(strategy: BaseStrategy) -> bytes:
    return pickle.dumps(copy.deepcopy(strategy.__dict__))


def test_the_judge_is_the_specs(strategy, ready):
    """Strategies differ in how they rank, never in what they call relevant."""
    page = analysed(strategy, OWLS)
    if name_of(strategy) not in OWN_JUDGE:
        assert strategy.judge(page) == ready.judge.judge(page)


def test_settings_are_introspectable(strategy):
    """The constructor's keyword arguments, each with a default, are stored as they are."""
    name = name_of(strategy)
    explained = explained_settings(strategy_class(name))
    for key, setting in settings_of(name).items():
        default = setting.default
        assert setting.hint is not None, key
        assert default is None or isinstance(default, bool | int | float | str | tuple | list | dict), key
        stored = getattr(strategy_class(name)(), key)
        assert callable(stored) or stored == default  # a setting may be called like a method: `genre.learn`
        assert key in explained, f"{key} is not explained"


def explained_settings(kind: Any) -> set[str]:
    """Settings with a docstring of their own, or with a line in that of the constructor."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    fields = {
        one.target.id
        for one, doc in itertools.pairwise(tree.body)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant)
    }
    return fields | {*re.findall(r"^(\w+):", inspect.getdoc(kind.__init__) or "", re.MULTILINE)}


def test_the_class_is_described(strategy):
    """The first line of the docstring says how links wait."""
    assert (type(strategy).__doc__ or "").strip()
    assert isinstance(strategy.merge, Merge)


def test_its_evidence_goes_to_workers(strategy):
    """Each kind of evidence has a name of its own and crosses process borders."""
    names = [kind.name for kind in strategy.needs]
    assert len(names) == len(set(names))
    kinds: tuple[Evidence, ...] = pickle.loads(pickle.dumps(strategy.needs))
    assert [kind.name for kind in kinds] == names


def test_evidence_is_what_it_says_it_is(strategy):
    """Of the page what it declares to tell, of each link too, within bounds, and after a round trip to a worker."""
    kinds = {kind.name: kind for kind in strategy.needs}
    for html in PAGES.values():
        page = analysed(strategy, html)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(page), type=Page) == page
        for name, fact in page.evidence.items():
            check_fact(kinds[name], fact)
            assert stored_fact(*fact_columns(fact)) == fact
            assert fact_in_words(name, fact).isprintable()
        for name, numbers in page.link_evidence.items():
            assert kinds[name].tells_of_links is float, name
            assert len(numbers) == len(page.links)
            assert all(isinstance(number, float) and 0 <= number <= 1 for number in numbers), name
        for name, classes in page.link_classes.items():
            assert kinds[name].tells_of_links is LinkClasses, name
            assert len(classes) == len(page.links)
            assert all(classes[i] in classes.names for i in range(len(classes)))
        for name, partners in page.link_partners.items():
            assert kinds[name].tells_of_links is LinkPartners, name
            assert len(partners) == len(page.links)
            assert all(-1 <= at < len(page.links) for at in partners.positions)


def test_evidence_declares_what_it_tells(strategy):
    """Nothing is declared that is no kind of fact, and what tells nothing at least has pages bring something."""
    for kind in strategy.needs:
        assert kind.tells or kind.tells_of_links or kind.needs, kind.name
        assert kind.tells in (None, *get_args(Fact)) or kind.tells.__struct_config__.tag, kind.name
        assert kind.tells_of_links in (None, float, LinkClasses, LinkPartners), kind.name


def check_fact(kind: Evidence, fact: Fact) -> None:
    match fact:
        case Score(value) | Category(_, value):
            assert kind.tells is type(fact), kind.name
            assert 0 <= value <= 1, kind.name
        case Count(value):
            assert kind.tells is Count, kind.name
            assert value >= 0
        case Data():
            assert kind.tells is not None, kind.name
            told = fact.read(kind.tells)
            assert told is not None, kind.name
            assert Data.of(told) == fact
        case NotSaid():
            assert kind.tells is not None, kind.name


def test_learning_needs_only_what_is_stored(strategy):
    """A link, a judgement and evidence after a round trip through the catalogue's encoding suffice."""
    page = analysed(strategy, OWLS)
    link = msgspec.msgpack.decode(msgspec.msgpack.encode(page.link), type=Link)
    evidence = {name: stored_fact(*fact_columns(fact)) for name, fact in page.evidence.items()}
    strategy.learn(link, Judgement(True, 0.5, "topic score"), evidence)
    ranked(strategy, page)


def test_source_weights_are_numbers(strategy):
    """One finite key a source, the same when asked again for the same step."""
    good, bad, best = np.array([0.0, 3.0, 1.0]), np.array([0.0, 1.0, 9.0]), np.array([0.5, 0.1, 0.9])
    keys = strategy.host_weight(good, bad, best, 7)
    assert len(keys) == 3
    assert np.isfinite(keys).all()
    assert (keys == strategy.host_weight(good, bad, best, 7)).all()


def test_held_links_are_settled_or_there_are_none(strategy):
    """Whatever is held comes back from `settle`, with a value or without one."""
    held = [
        step
        for step in ranked(strategy, analysed(strategy, OWLS))
        if isinstance(step, Decision) and step.hold
    ]
    for value in (None, 0.0, 1.0):
        settled = strategy.settle([decision.link for decision in held], value)
        assert [decision.link.url for decision in settled if not decision.hold][: len(held)] == [
            decision.link.url for decision in held
        ]


@pytest.mark.parametrize("name", strategy_names())
def test_without_its_model_it_says_what_is_missing(name, ready):
    """A strategy that wants a model refuses to be fitted without, in one sentence."""
    found: Any = strategy_class(name)
    without = Preparation(ready.judge, ready.topic)
    if found.wants:
        with pytest.raises(SpecError, match="model"):
            found().fit(without)
    else:
        assert found(**SETTINGS.get(name, {})).fit(without).judge_ is ready.judge


MARKUP = st.sampled_from(
    [
        "<a href=/a>owl</a>",
        "<a href=/b>bread",
        "</a>",
        "<p>",
        "night",
        "<li>",
        "<a href='//['>x</a>",
        "<img src=x>",
        "é",
    ]
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(MARKUP, max_size=12).map(" ".join))
def test_any_page_can_be_ranked(strategy, html):
    """No page is too strange."""
    page = analysed(strategy, html)
    assert len(links_of(ranked(strategy, page))) >= len(page.links)


def test_evidence_says_what_it_needs_of_a_page(strategy):
    """So that nobody has to know a method by name to compute what it wants."""
    for kind in strategy.needs:
        assert isinstance(kind.needs, frozenset)
        assert all(isinstance(need, Need) for need in kind.needs)


def test_what_looks_at_images_tells_what_it_declares(strategy):
    """Of an image a fact of the declared kind, or a refusal; of what is no image never a fact."""
    for kind in strategy.needs:
        seen = kind.of_image(png(graded_map(1)))
        if seen is not None and not isinstance(seen, Refusal):
            check_fact(kind, seen)
        assert kind.of_image(b"no image") is None or isinstance(kind.of_image(b"no image"), Refusal)
