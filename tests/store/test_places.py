"""Places and names of pages in the catalogue."""

from __future__ import annotations

import msgspec

from lycosa.values import PageEntity, PagePlace
from tests.store.records import page_record

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
