"""Places of pages in the catalogue."""

from __future__ import annotations

from lycosa.values import PagePlace
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
