"""Facets: counts under conditions, and that they are those of the SQL filter."""

from __future__ import annotations

import pytest

from lycosa.collection.catalogue.page_filter import PageFilter, Relevance
from lycosa.collection.collection import Collection
from lycosa.collection.search.facets import Facets
from lycosa.collection.search.search import Order
from lycosa.urls import key_of
from tests.library import sample_library

FILTERS = [
    PageFilter(),
    PageFilter(relevance=Relevance.JUDGED),
    PageFilter(relevance=Relevance.NOT_RELEVANT),
    PageFilter(source="news.example"),
    PageFilter(language="en", relevance=Relevance.JUDGED),
    PageFilter(categories=(("genre", ("news",)),)),
    PageFilter(place="Rome"),
    PageFilter(place="Rome, IT"),
    PageFilter(place="Rome, US"),
    PageFilter(entity="Ann Lee"),
    PageFilter(entity="Tiber Bridge Trust"),
    PageFilter(since="2024-06"),
    PageFilter(until="2024-05"),
    PageFilter(since="2024-05-02", until="2024-05-02"),
    PageFilter(score_from=0.5, score_to=0.8, relevance=Relevance.JUDGED),
    PageFilter(keys=(key_of(sample_library.SEED),)),
    PageFilter(trail=0),
    PageFilter(source="nowhere.example"),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with Collection.open(sample_library.make(tmp_path_factory.mktemp("facets") / "storm")) as collection:
        yield collection, Facets(collection.connection, collection.path)


@pytest.mark.parametrize("wanted", FILTERS)
def test_a_filter_lets_through_what_its_sql_does(opened, wanted):
    """The same number of pages, and the same pages in the same order of scores."""
    collection, facets = opened
    assert facets.count(wanted).total == collection.statistics.pages(wanted)
    listed = [hit.id for hit in collection.search.find("", wanted).hits]
    assert facets.ordered(wanted, Order.SCORE, 0.5).tolist() == listed


def test_a_field_is_counted_under_all_conditions_but_its_own(opened):
    """So a reader sees what another choice would give."""
    _, facets = opened
    counts = facets.count(PageFilter(categories=(("genre", ("news",)),), place="Rome, IT"))
    assert counts.fields["place"][0] == ("Rome, IT", 1)
    assert counts.fields["source"] == [("news.example", 1)]
    assert dict(counts.fields["genre"]) == {"news": 1}
    assert counts.days == [("2024-05-02", 1)]
    assert (counts.relevance["yes"], counts.relevance["no"]) == (1, 0)


def test_scores_are_kept_and_others(opened):
    """The histogram has both sides of the threshold, whatever relevance is asked for."""
    _, facets = opened
    scores = facets.count(PageFilter()).scores
    assert (sum(kept for kept, _ in scores), sum(other for _, other in scores)) == (2, 1)


def test_near_misses_and_labels_are_counted(opened):
    """Pages that meet all conditions and were not kept; what people said."""
    _, facets = opened
    counts = facets.count(PageFilter(), labels={key_of(sample_library.SEED): True})
    assert (counts.near_misses, counts.labels) == (1, {"yes": 1, "no": 0})


def test_words_narrow_every_facet(opened):
    """The pages that match are one more condition."""
    collection, facets = opened
    words = facets.rows_of(collection.search.matching(collection.search.understood("river")))
    assert facets.count(PageFilter(), words).fields["source"] == [("news.example", 1)]
    assert facets.count(PageFilter(), facets.rows_of([])).total == 0


def test_an_empty_collection_has_no_facets(tmp_path):
    from lycosa.collection.writer import CollectionWriter

    with CollectionWriter.create_or_open(tmp_path / "none", 'name = "none"\n'):
        pass
    with Collection.open(tmp_path / "none") as collection:
        counts = Facets(collection.connection, collection.path).count(PageFilter())
    assert (counts.total, counts.days, counts.places) == (0, [], [])


@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize(
    "wanted",
    [PageFilter(place="%"), PageFilter(categories=(("genre", ("news",)),)), PageFilter(entity="Ann Lee")],
)
def test_where_no_page_has_such_a_value_none_is_found(tmp_path, wanted, judged):
    """Whether there are pages at all, or only such as have no place, genre or name."""
    from lycosa.collection.writer import CollectionWriter
    from tests.collection.records import page_record

    with CollectionWriter.create_or_open(tmp_path / "plain", 'name = "plain"\n') as writer, writer.commit():
        if judged:
            writer.save(page_record("http://a.test/"))
    with Collection.open(tmp_path / "plain") as collection:
        counts = Facets(collection.connection, collection.path).count(wanted)
    assert (counts.total, counts.relevance["yes"], counts.places) == (0, 0, [])
