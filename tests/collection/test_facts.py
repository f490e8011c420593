"""Evidence in the catalogue: every kind comes back as it was, also from catalogues of earlier versions."""

from __future__ import annotations

import sqlite3
import struct
from typing import get_args

import pytest

from lycosa.collection.catalogue import schema
from lycosa.collection.catalogue.facts import fact_columns, link_columns, stored_fact, stored_link_facts
from lycosa.collection.catalogue.reader import Reader
from lycosa.methods.profile.site.reading import LINK_KINDS, People, Person, Texts, people_of, texts_of
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


OLD_FACTS = [
    ("topic", 0.7, "48"),
    ("genre", 0.9, "news"),
    ("page-type", 0.5, "detail"),
    ("image", 0.91, "fire"),
    ("text", 0.25, ""),
    ("event-date", 0.0, "not said"),
    ("tags", 1.0, '["owl","big \\"night\\""]'),
    ("uploader", 1.0, '[["Ann",-4611686018427387905]]'),
]


def old_catalogue(path):
    """A catalogue of version 3, where every fact was a value with a label."""
    with sqlite3.connect(path) as connection:
        for step in schema.MIGRATIONS[:3]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 3")
        connection.executemany("INSERT INTO evidence VALUES (1, ?, ?, ?)", OLD_FACTS)
        numbers = {"topic": (0.25, 0.5), "page-type": (0.0, 0.25, 0.5, 1.0), "uploader": (-1.0, 2.0)}
        for name, values in numbers.items():
            packed = struct.pack(f"<{len(values)}d", *values)
            connection.execute("INSERT INTO link_evidence VALUES (1, ?, ?)", (name, packed))
    connection.close()


def test_facts_of_version_3_say_what_they_are(tmp_path):
    """Counts, JSON and 'not said' come out of their labels; kinds and positions of links out of numbers."""
    path = tmp_path / "catalogue.db"
    old_catalogue(path)
    connection = schema.open_for_writing(path)
    reader = Reader(connection, path)

    evidence = reader.evidence(1)
    assert evidence["topic"] == Score(0.7, words=48)
    assert evidence["genre"] == Category("news", 0.9)
    assert evidence["page-type"] == Category("detail", 0.5)
    assert evidence["image"] == Score(0.91, "fire")
    assert evidence["text"] == Score(0.25)
    assert evidence["event-date"] == NotSaid()
    assert texts_of(evidence, "tags") == ("owl", 'big "night"')
    assert people_of(evidence, "uploader") == (Person("Ann", -4611686018427387905),)

    links = reader.link_evidence(1)
    assert links["topic"] == (0.25, 0.5)
    assert links["page-type"] == LinkClasses(LINK_KINDS, bytes((0, 1, 2, 3)))
    assert links["uploader"] == LinkPartners((-1, 2))
    assert reader.told_of_link(1, 1) == {"topic": 0.5, "page-type": "list", "uploader": "link 2"}
    connection.close()
