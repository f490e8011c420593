"""Evidence in the catalogue: every kind comes back as it was, also from catalogues of earlier versions."""

from __future__ import annotations

from typing import get_args

import pytest

from lycosa.collection.catalogue.facts import fact_columns, link_columns, stored_fact, stored_link_facts
from lycosa.methods.profile.site.reading import LINK_KINDS, People, Person, Texts
from lycosa.values import Category, Count, Data, Fact, Link, LinkClasses, LinkPartners, NotSaid, Page, Score

FACTS: tuple[Fact, ...] = (
    Score(0.25),
    Score(0.91, "fire"),
    Score(0.7, words=48),
    Category("news", 0.8),
    Count(12),
    NotSaid(),
    Data.of(Texts(("owl", "Nacht [1]"))),
    Data.of(People((Person("Ann", -(2**62)),))),
)


@pytest.mark.parametrize("fact", FACTS, ids=str)
def test_a_fact_is_stored_as_what_it_is(fact):
    """Out of its columns it comes as it went in."""
    assert stored_fact(*fact_columns(fact)) == fact


def test_all_kinds_of_facts_are_stored():
    """No kind is forgotten here."""
    assert {type(fact) for fact in FACTS} == set(get_args(Fact))


def test_data_of_another_method_is_not_taken_for_ones_own():
    """Its tag says whose it is; what does not fit, as of another version, is nothing."""
    texts = Data.of(Texts(("owl",)))
    assert texts.read(Texts) == Texts(("owl",))
    assert texts.read(People) is None
    assert Data({"type": "profile.texts", "words": 3}).read(Texts) is None


def test_facts_of_links_are_stored_as_what_they_are():
    """Scores, classes and partners come out of their columns as they went in."""
    told = {
        "topic": (0.25, 1 / 3),
        "page-type": LinkClasses(LINK_KINDS, bytes((3, 0))),
        "uploader": LinkPartners((1, -1)),
    }
    page = Page(
        Link("http://a.example/", 1),
        "http://a.example/",
        link_evidence={"topic": (0.25, 1 / 3)},
        link_classes={"page-type": LinkClasses(LINK_KINDS, bytes((3, 0)))},
        link_partners={"uploader": LinkPartners((1, -1))},
    )
    assert {name: stored_link_facts(*columns) for name, columns in link_columns(page)} == told
