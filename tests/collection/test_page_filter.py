"""One type for "which pages": every query that takes it means the same pages."""

from __future__ import annotations

from msgspec.structs import replace

from lycosa.collection.catalogue.page_filter import COLLECTED, JUDGED, PageFilter, Relevance
from tests.collection.records import page_record

GOOD, EXPLORED, BAD = "http://good.example/", "http://explored.example/", "http://bad.example/"


def save(collection, *records):
    with collection.commit():
        for record in records:
            collection.save(record)
    return collection


def test_an_explored_page_is_in_no_count_of_the_collection(opened):
    """A relevant page that was fetched only to be looked through: no count, list or search takes it for collected."""
    collection = save(
        opened(),
        page_record(GOOD, date="2024-05-02", language="en"),
        page_record(EXPLORED, date="2024-05-03", language="de", explored=True),
        page_record(BAD, date="2024-05-04", language="fr", relevant=False),
    )
    counted, search = collection.statistics, collection.search

    assert collection.reader.collected() == counted.pages() == search.find("storm", COLLECTED).total == 1
    assert collection.reader.harvest_curve()[-1] == (3, 1)
    assert counted.days() == [("2024-05-02", 1)]
    assert counted.values("language") == [("en", 1)]
    assert [page.url for page in search.best(COLLECTED, 10)] == [GOOD]
    assert [page.url for page in search.best_dated()] == [GOOD]
    assert [(source.pages, source.relevant) for source in counted.sources(10)] == [(1, 1), (1, 0), (1, 0)]
    assert counted.explored() == 1
    assert counted.pages(JUDGED) == 3


def test_conditions_are_met_together(opened):
    """Each condition takes pages away, whatever the others are; what is typed is a value and never SQL."""
    collection = save(
        opened(),
        page_record(GOOD, date="2024-05-02", language="en"),
        page_record(BAD, date="", language="en", relevant=False),
    )
    number = collection.statistics.pages

    assert number(PageFilter(relevance=Relevance.NOT_RELEVANT, language="en")) == 1
    assert number(PageFilter(language="en", since="2024", until="2024-05")) == 1
    assert number(PageFilter(until="2024-04")) == 0
    assert number(PageFilter(source="x' OR '1'='1")) == 0
    assert number(PageFilter(categories=(("genre", ("x') OR ('1'='1",)),))) == 0
    assert number(PageFilter(keys=())) == 0
    assert number(replace(JUDGED, page=2)) == 1


def test_of_near_duplicates_the_first_that_is_wanted_stands_for_all(opened):
    """If the first page of a cluster is not wanted itself, the next one is not lost with it."""
    first = page_record(BAD, relevant=False)
    assert first.fetched is not None
    copy = replace(page_record(GOOD), near_duplicate_of=first.fetched.link.key)
    collection = save(opened(), first, copy)

    assert collection.statistics.pages(PageFilter(distinct=True)) == 1
    assert collection.statistics.pages(replace(JUDGED, distinct=True)) == 1
    assert collection.statistics.pages(JUDGED) == 2
