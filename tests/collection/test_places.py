"""Places and names of pages in the catalogue."""

from __future__ import annotations

import msgspec

from lycosa.collection.catalogue.page_filter import PageFilter
from lycosa.collection.catalogue.statistics import Statistics
from lycosa.values import PageEntity, PagePlace
from tests.collection.records import page_record

ORLANDO = PagePlace("Orlando", "Orlando", "city", 28.54, -81.38, "US", "FL", 3)
NOWHERE = PagePlace("Xq Street", "Xq Street", "street")


def test_places_are_saved_with_their_page(opened):
    """Name, kind, coordinates and count; saving again replaces them."""
    collection = opened()
    record = page_record("http://a.example/", places=(ORLANDO, NOWHERE))
    for _ in range(2):
        with collection.commit():
            collection.save(record)
    rows = collection.connection.execute(
        "SELECT name, canonical, kind, lat, lon, country, state, count FROM places ORDER BY count DESC"
    ).fetchall()
    assert rows == [
        ("Orlando", "Orlando", "city", 28.54, -81.38, "US", "FL", 3),
        ("Xq Street", "Xq Street", "street", None, None, "", "", 1),
    ]


def test_names_are_saved_with_their_page(opened):
    """Name, kind and count; saving again replaces them."""
    collection = opened()
    for count in (1, 2):
        with collection.commit():
            collection.save(
                page_record("http://a.example/", entities=(PageEntity("Ann Lee", "person", count),))
            )
    rows = collection.connection.execute("SELECT name, kind, count FROM entities").fetchall()
    assert rows == [("Ann Lee", "person", 2)]


def test_judging_again_keeps_what_was_indexed(opened):
    """A crawl that does not look for dates, places, names or texts loses none that `lycosa index` found."""
    collection = opened()
    full = page_record(
        "http://a.example/", places=(ORLANDO,), entities=(PageEntity("Ann Lee", "person"),), date="2024-05-02"
    )
    with collection.commit():
        collection.save(full)
        assert full.fetched is not None
        assert full.page is not None
        bare = msgspec.structs.replace(full.page, text="", date="", places=(), entities=())
        collection.catalogue.judge_again(msgspec.structs.replace(full, page=bare))
    page = collection.reader.page(full.fetched.link.key)
    assert (page.date, collection.reader.text(page.id)) == ("2024-05-02", "storm over the city")
    for table in ("places", "entities"):
        assert collection.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)


def test_one_row_is_one_place(opened):
    """Namesakes are counted apart; kind, coordinates and country are those of one place, never mixed."""
    collection = opened()
    dc = PagePlace("Washington", "Washington", "city", 38.9, -77.0, "US", "DC", 2)
    state = PagePlace("Washington", "Washington", "state", 47.3, -121.9, "US", "WA", 1)
    tyne = PagePlace("Washington", "Washington", "city", 54.9, -1.5, "GB", "", 1)
    with collection.commit():
        collection.save(page_record("http://a.example/1", places=(dc, tyne)))
        collection.save(page_record("http://a.example/2", places=(dc,)))
        collection.save(page_record("http://a.example/3", places=(state,)))
    counted = Statistics(collection.connection, collection.directory)
    found = counted.places(mapped=True)
    assert [(one.kind, one.lat, one.lon, one.country, one.state, one.pages) for one in found] == [
        ("city", 38.9, -77.0, "US", "DC", 2),
        ("city", 54.9, -1.5, "GB", "", 1),
        ("state", 47.3, -121.9, "US", "WA", 1),
    ]
    assert [counted.pages(PageFilter(place=one.key)) for one in found] == [2, 1, 1]
    assert counted.pages(PageFilter(place="Washington")) == 3
