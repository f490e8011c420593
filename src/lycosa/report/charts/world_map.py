"""Draw places as dots on a world map, as SVG. The outlines of countries come from the package `countryinfo`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources

from markupsafe import Markup

from lycosa.collection.catalogue.statistics import PlaceCount
from lycosa.wording import counted

SCALE = 180.0
WIDTH, HEIGHT = 976.0, 446.0
APART = 9.0
"""Distance, in units of the drawing, under which dots become one."""
MIN_WIDTH = 12.0
"""Smallest part of the map that is shown: closer, towns are not where they are drawn."""
_SOUTH = -60.0  # without Antarctica

_A = (1.340264, -0.081106, 0.000893, 0.003796)
_M = math.sqrt(3) / 2

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height of the part that is shown."""


def project(lat: float, lon: float) -> Point:
    """Project a place by Equal Earth, which keeps areas true.

        θ = arcsin(√3/2 · sin φ);  x = 2√3·λ·cos θ / (3·(9A₄θ⁸ + 7A₃θ⁶ + 3A₂θ² + A₁));
        y = A₄θ⁹ + A₃θ⁷ + A₂θ³ + A₁θ                         [Šavrič, Patterson, Jenny 2018]

    >>> project(0, 0)
    (488.0, 240.0)
    """
    theta = math.asin(_M * math.sin(math.radians(lat)))
    square = theta * theta
    sixth = square**3
    slope = _A[0] + 3 * _A[1] * square + sixth * (7 * _A[2] + 9 * _A[3] * square)
    x = math.radians(lon) * math.cos(theta) / (_M * slope)
    y = theta * (_A[0] + _A[1] * square + sixth * (_A[2] + _A[3] * square))
    return round(WIDTH / 2 + SCALE * x, 1), round(240.0 - SCALE * y, 1)


def world_map(
    places: Sequence[PlaceCount],
    link: Callable[[PlaceCount], str] | None = None,
    *,
    near: bool = False,
    box: Box | None = None,
    into: Callable[[str], str] | None = None,
) -> Markup:
    """Draw the map; `near` shows only the part with places, `box` only that part. `link` returns the address of a dot.

    With `into`, dots that would overlap become one, whose address is `into` of that part of the map.
    """
    placed = [place for place in places if place.lat is not None and place.lon is not None]
    if box is None:
        box = _box(placed) if near and placed else (0.0, 0.0, WIDTH, HEIGHT)
    zoom = box[2] / WIDTH
    largest = max((place.pages for place in placed), default=1)
    # Large dots first, so that small ones stay in reach.
    ranked = sorted(placed, key=lambda place: -place.pages)
    groups = _clusters(ranked, zoom) if into else [[place] for place in ranked]
    dots = [
        _dot(group[0], largest, zoom, link)
        if len(group) == 1 or into is None
        else _cluster(group, largest, zoom, into)
        for group in groups
    ]
    names = _names([group[0] for group in groups][:40], box)
    return Markup(
        '<svg class="map" viewBox="{}" data-whole="{:.0f} {:.0f}" role="{}" aria-label="Map of {} places">'
        '<g class="land" stroke-width="{:.2f}">{}</g><g class="dots" stroke-width="{:.2f}">{}</g><g class="names">{}</g></svg>'
    ).format(
        " ".join(f"{side:.1f}" for side in box),
        WIDTH,
        HEIGHT,
        "group" if link else "img",
        len(placed),
        0.6 * zoom,
        outlines(),
        1.0 * zoom,
        Markup("").join(dots),
        Markup("").join(names),
    )


def radius(pages: int, largest: int) -> float:
    """Return the radius of a dot, whose area grows with the number of pages.

    >>> radius(100, 100), radius(0, 100)
    (16.0, 2.5)
    """
    return 2.5 + 13.5 * math.sqrt(pages / largest)


def _at(place: PlaceCount) -> Point:
    return project(place.lat or 0.0, place.lon or 0.0)


def _dot(place: PlaceCount, largest: int, zoom: float, link: Callable[[PlaceCount], str] | None) -> Markup:
    words = f"{place.name}: {counted(place.pages, 'page')}"
    circle = Markup('<circle cx="{}" cy="{}" r="{:.2f}"><title>{}</title></circle>').format(
        *_at(place), radius(place.pages, largest) * zoom, words
    )
    if link is None:
        return circle
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(link(place), words, circle)


def box_of(text: str) -> Box | None:
    """Parse a part of the map in an address; None for anything else.

    >>> box_of("480,120,60,27.4"), box_of("x"), box_of("0,0,1,1")
    ((480.0, 120.0, 60.0, 27.4), None, None)
    """
    try:
        left, top, width, height = (float(side) for side in text[:60].split(","))
    except ValueError:
        return None
    is_inside = (
        0 <= left <= WIDTH and 0 <= top <= HEIGHT and MIN_WIDTH <= width <= WIDTH and 0 < height <= HEIGHT
    )
    return (left, top, width, height) if is_inside else None


def _clusters(places: Sequence[PlaceCount], zoom: float) -> list[list[PlaceCount]]:
    """Group places by the dot that draws them: the first within APART, which has the most pages."""
    if zoom <= MIN_WIDTH / WIDTH:
        return [[place] for place in places]
    found: list[list[PlaceCount]] = []
    near: dict[tuple[int, int], list[int]] = {}
    for place in places:
        x, y = _at(place)
        column, row = int(x / (APART * zoom)), int(y / (APART * zoom))
        around = (
            at
            for right in (-1, 0, 1)
            for down in (-1, 0, 1)
            for at in near.get((column + right, row + down), ())
        )
        closest = next((at for at in around if math.dist(_at(found[at][0]), (x, y)) < APART * zoom), None)
        if closest is None:
            near.setdefault((column, row), []).append(len(found))
            found.append([place])
        else:
            found[closest].append(place)
    return found


def _cluster(group: Sequence[PlaceCount], largest: int, zoom: float, into: Callable[[str], str]) -> Markup:
    first = group[0]
    left, top, width, height = _box(group)
    part = f"{left:.1f},{top:.1f},{max(width, MIN_WIDTH):.1f},{max(height, MIN_WIDTH * HEIGHT / WIDTH):.1f}"
    words = f"{first.name} and {counted(len(group) - 1, 'more place')} near it"
    return Markup(
        '<a href="{}" aria-label="{}"><circle class="cluster" cx="{}" cy="{}" r="{:.2f}"><title>{}</title></circle></a>'
    ).format(into(part), words, *_at(first), radius(first.pages, largest) * zoom, words)


def _names(places: Iterable[PlaceCount], box: Box) -> Iterator[Markup]:
    """Draw names next to the largest dots, except where they would overlap."""
    zoom = box[2] / WIDTH
    taken: list[tuple[float, float, float]] = []
    for place in places:
        x, y = _at(place)
        width = len(place.name) * 6.2 * zoom
        clear = all(abs(y - b) > 13 * zoom or x + width < a or a + w < x for a, b, w in taken)
        if clear and len(taken) < 16 and x + width < box[0] + box[2]:
            taken.append((x, y, width))
            yield Markup('<text x="{:.1f}" y="{:.1f}" font-size="{:.2f}">{}</text>').format(
                x + 6 * zoom, y + 4 * zoom, 11 * zoom, place.name
            )


def _box(places: Sequence[PlaceCount]) -> Box:
    """Return the part of the map with the places and a margin, in the shape of the map."""
    across, down = zip(*map(_at, places), strict=True)
    left, right, top, bottom = min(across), max(across), min(down), max(down)
    width = min(WIDTH, max(right - left, (bottom - top) * WIDTH / HEIGHT, MIN_WIDTH) * 1.25)
    height = width * HEIGHT / WIDTH
    x = min(max(0.0, (left + right - width) / 2), WIDTH - width)
    y = min(max(0.0, (top + bottom - height) / 2), HEIGHT - height)
    return x, y, width, height


@lru_cache(maxsize=1)
def outlines() -> Markup:
    """Return all countries as SVG paths."""
    return Markup("").join(
        Markup('<path d="{}"><title>{}</title></path>').format(_path(rings), name)
        for name, rings in (*missing_countries(), *known_countries())
    )


def missing_countries() -> list[tuple[str, list[list[Point]]]]:
    """Return rough outlines of countries that the package lacks: (longitude, latitude), coasts drawn by hand.

    They reach into their neighbours and are drawn first: the neighbours' own outlines cover what is too much.
    """
    text = (resources.files("lycosa.report") / "static" / "missing_outlines.json").read_text("utf-8")
    return [(name, [ring]) for name, ring in json.loads(text).items()]


def known_countries() -> Iterator[tuple[str, list[list[Point]]]]:
    """Return the outlines of the package: (longitude, latitude)."""
    for file in sorted((resources.files("countryinfo") / "data").iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".json") or file.name == "antarctica.json":
            continue
        about = json.loads(file.read_text(encoding="utf-8"))
        rings = []
        for feature in (about.get("geoJSON") or {}).get("features", ()):
            shape = feature["geometry"]
            polygons = shape["coordinates"] if shape["type"] == "MultiPolygon" else [shape["coordinates"]]
            rings += [[(lon, lat) for lon, lat, *_ in ring] for polygon in polygons for ring in polygon]
        if rings:
            yield about.get("name", ""), rings


def _path(rings: Iterable[Sequence[Point]]) -> str:
    parts = []
    for ring in rings:
        points = (project(max(lat, _SOUTH), lon) for lon, lat in ring)
        parts.append("M" + "L".join(f"{x:g} {y:g}" for x, y in points) + "Z")
    return "".join(parts)
