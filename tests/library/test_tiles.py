"""Map tiles: only where asked for, only from the host that was named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from lycosa.errors import SpecError
from lycosa.library.tiles import MAX_TILES, MERCATOR, Tiles, mercator, tiles_of, zoom_of
from tests.library import sample_library

TEMPLATE = "https://tiles.example:8443/{z}/{x}/{y}.png?key=a&b=c"


@pytest.mark.parametrize(
    "template",
    [
        "https://tiles.example/",
        "https://tiles.example/{z}/{x}",
        "ftp://tiles.example/{z}/{x}/{y}.png",
        "https://{s}.tiles.example/{z}/{x}/{y}.png",
        "https://a.example;script-src *//{z}/{x}/{y}",
        "https://user@tiles.example/{z}/{x}/{y}.png",
        "https:///{z}/{x}/{y}.png",
        "javascript:alert({z}{x}{y})",
        "https://tiles.example/{z}/{x}/{y}.png?{apikey}",
    ],
)
def test_a_wrong_template_is_refused(template):
    """With what to write; nothing of it can reach the content security policy."""
    with pytest.raises(SpecError, match="--tiles"):
        tiles_of(template)


def test_tiles_are_owed_to_somebody():
    """The credit as given, else what is known of the host."""
    assert tiles_of("") is None
    assert tiles_of(TEMPLATE) == Tiles(TEMPLATE, "Tiles: tiles.example")
    for template, named, credit in (
        ("https://tile.openstreetmap.org/{z}/{x}/{y}.png", "", "© OpenStreetMap contributors"),
        (TEMPLATE, "© Me", "© Me"),
    ):
        assert tiles_of(template, named) == Tiles(template, credit)


def test_only_the_map_may_load_them_and_only_from_there(storm):
    """The policy names exactly that origin, on the map alone; without tiles nothing foreign at all."""
    with sample_library.client(storm, tiles=tiles_of(TEMPLATE)) as browser:
        answer = browser.get("/c/storm/map")
        assert "img-src 'self' https://tiles.example:8443;" in answer.headers["content-security-policy"]
        tree = LexborHTMLParser(answer.text)
        pictures = [node.attributes["href"] or "" for node in tree.css("svg.map image")]
        assert 0 < len(pictures) <= MAX_TILES
        assert all(picture.startswith("https://tiles.example:8443/2/") for picture in pictures)
        assert "Tiles: tiles.example" in next(node.text() for node in tree.css("figcaption"))
        assert tree.css("svg.map .land path")
        for path in ("/c/storm/", "/c/storm/timeline", "/login"):
            assert "tiles.example" not in browser.get(path).headers["content-security-policy"]
    with sample_library.client(storm) as browser:
        answer = browser.get("/c/storm/map")
        assert "img-src 'self';" in answer.headers["content-security-policy"]
        assert "<image" not in answer.text


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_every_point_has_its_place_on_the_plane(lat, lon):
    """Longitudes fill the width; latitudes beyond the drawing lie beyond it, never nowhere."""
    x, y = mercator(lat, lon)
    assert 0 <= x <= MERCATOR.width
    if -60 <= lat <= 80:
        assert -0.1 <= y <= MERCATOR.height + 0.1


@given(st.floats(50, 976), st.floats(0, 900), st.floats(0, 500))
def test_a_map_asks_for_few_tiles(width, left, top):
    """However near, tiles cover what is shown and are never many."""
    box = (left, top, width, width * MERCATOR.height / MERCATOR.width)
    assert 0 <= zoom_of(box) <= 18
    assert str(Tiles("http://t.test/{z}/{x}/{y}", "").layer(box)).count("<image") <= MAX_TILES
