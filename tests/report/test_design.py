"""One look: its colours can be read, it is said in one place, and fonts are those of installed packages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lycosa.report import design
from lycosa.report.charts.world_map import known_countries, missing_countries, outlines

SOURCES = Path(design.__file__).parents[1]
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b")


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [design.LIGHT, design.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("text", ["ink", "soft", "accent", "warm", "bad"])
@pytest.mark.parametrize("ground", ["paper", "card"])
def test_text_can_be_read(scheme, text, ground):
    """Every colour of text on every ground it stands on."""
    assert contrast(scheme[text], scheme[ground]) >= 4.5


@pytest.mark.parametrize("scheme", [design.LIGHT, design.DARK], ids=["light", "dark"])
def test_text_on_coloured_grounds_can_be_read(scheme):
    """Badges, buttons and marked words."""
    for text, ground in (("accent", "wash"), ("ink", "wash"), ("ink", "mark"), ("card", "accent")):
        assert contrast(scheme[text], scheme[ground]) >= 4.5, (text, ground)


def test_light_and_dark_have_the_same_colours():
    assert list(design.LIGHT) == list(design.DARK)


@pytest.mark.parametrize("path", ["library/static/style.css", "report/static/drawings.css", "report/templates/report.html.j2", "report/charts/post_charts.py"])  # fmt: skip
def test_colours_are_named_in_one_place(path):
    """Whoever wants another green changes one line. White is that of paper and of strangers' pages."""
    found = COLOUR.findall((SOURCES / path).read_text(encoding="utf-8"))
    assert set(found) <= {"#fff"}, found


def test_the_logo_has_the_colours_of_the_page():
    """A file of its own cannot take them from elsewhere, so it repeats them."""
    found = set(COLOUR.findall(design.logo()))
    assert found == {
        scheme[name] for scheme in (design.LIGHT, design.DARK) for name in ("accent", "warm", "paper")
    }


def test_fonts_are_left_out_where_their_packages_are_not_installed(monkeypatch):
    """The system's own serve then; nothing is asked for that is not there."""
    monkeypatch.setattr(design, "find_spec", lambda _: None)
    assert design.font_faces("/fonts") == ""
    assert design.font_file("SourceSerifPro-Regular.ttf") is None


def test_only_the_named_fonts_are_files():
    assert design.font_file("../__init__.py") is None


def test_countries_that_the_package_lacks_are_on_the_map():
    """They are drawn before all others, which leave of them what is theirs."""
    known = {name for name, _ in known_countries()}
    missing = [name for name, _ in missing_countries()]
    drawn = re.findall(r"<title>(.*?)</title>", outlines())
    assert not known & set(missing)
    assert drawn[: len(missing)] == missing


@pytest.mark.parametrize(("name", "lat", "lon"), [("Hungary", 47.5, 19.0), ("Hungary", 46.25, 20.15), ("Myanmar", 16.8, 96.2), ("Myanmar", 25.4, 97.4), ("Myanmar", 12.4, 98.6), ("Serbia, Kosovo", 45.2, 19.8), ("Serbia, Kosovo", 42.7, 21.2), ("Montenegro", 42.4, 19.3)])  # fmt: skip
def test_their_towns_lie_in_them(name, lat, lon):
    """Budapest, Szeged, Rangoon, Myitkyina, Mergui, Novi Sad, Pristina, Podgorica: in their country's outline, and in no other's."""
    rings = [*missing_countries(), *known_countries()]
    assert [one for one, parts in rings if any(inside(lat, lon, ring) for ring in parts)][-1] == name


def inside(lat: float, lon: float, ring: list[tuple[float, float]]) -> bool:
    crossed = False
    for (x, y), (next_x, next_y) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (y > lat) != (next_y > lat) and lon < x + (lat - y) / (next_y - y) * (next_x - x):
            crossed = not crossed
    return crossed


def test_a_file_that_stands_alone_has_its_fonts_in_it(monkeypatch):
    """They are cut down to the characters of its text, and left out where what cuts them is missing."""
    pytest.importorskip("fontTools")
    monkeypatch.setattr(design, "cut_font", design.cut_font.__wrapped__)  # type: ignore[attr-defined]
    short, long = design.embedded_fonts("owl"), design.embedded_fonts("The quick brown fox jumps: 0123456789")
    if design.font_file("SourceSansPro-Regular.ttf"):
        assert short.count("@font-face") == len(design.FONTS)
        assert len(short) < len(long) < 100_000
    monkeypatch.setattr(design, "find_spec", lambda _: None)
    assert design.embedded_fonts("owl") == ""
