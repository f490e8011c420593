"""The world as a drawing: country outlines and places as dots. In: places with counts. Out: SVG text.

Nothing is loaded from anywhere: the outlines are those of the package `countryinfo`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from markupsafe import Markup

from lycosa.collection.catalogue.statistics import PlaceCount
from lycosa.wording import counted

SCALE = 180.0
WIDTH, HEIGHT = 976.0, 446.0
APART = 9.0
"""How near, in units of the drawing, dots may be before they are one."""
MIN_WIDTH = 12.0
"""Of the part of the map that is shown: closer, towns are not where they are drawn."""
_SOUTH = -60.0  # Antarctica has no news

_A = (1.340264, -0.081106, 0.000893, 0.003796)
_M = math.sqrt(3) / 2

# Countries whose outline the package lacks. They are drawn first and reach into their neighbours, whose outlines, drawn
# over them, leave exactly what is theirs. By hand are only coasts, and borders between two of them.
_MISSING = {
    "Serbia, Kosovo": [(18.6, 45.3), (18.6, 46.3), (20.3, 46.4), (21.3, 45.8), (22.4, 45.0), (23.0, 44.2), (23.2, 43.3),
               (22.9, 42.3), (22.2, 41.9), (20.9, 41.8), (20.0, 42.2), (19.5, 43.2), (18.9, 43.8), (18.9, 44.9)],
    "Montenegro": [(20.3, 42.9), (20.0, 43.1), (19.6, 43.2), (19.5, 43.35), (19.2, 43.5), (18.6, 43.5), (18.3, 42.8),
                   (18.4, 42.5), (18.9, 42.3), (19.2, 42.0), (19.4, 41.9), (19.6, 42.0), (20.2, 42.5), (20.5, 42.8)],
    "Hungary": [(15.6, 46.6), (16.0, 48.0), (17.2, 48.6), (20.0, 48.9), (22.2, 48.9), (23.4, 48.0), (22.4, 46.6),
                (21.4, 46.0), (20.2, 46.1), (19.6, 46.2), (18.8, 45.9), (18.5, 45.4), (17.0, 45.5)],
    "Myanmar": [(92.1, 20.9), (91.9, 22.3), (92.6, 24.4), (93.8, 25.8), (94.6, 27.0), (96.2, 28.0), (97.0, 28.8),
                (98.6, 28.6), (99.4, 27.0), (99.6, 25.2), (100.2, 23.3), (101.9, 22.2), (102.0, 21.2), (101.0, 20.1),
                (99.6, 19.2), (98.6, 17.9), (99.5, 16.2), (99.2, 15.0), (99.7, 13.6), (99.7, 11.8), (99.2, 10.9),
                (98.7, 9.9),
                (98.5, 10.7), (98.7, 11.4), (98.4, 12.0), (98.5, 13.1), (98.1, 13.6), (97.8, 14.8), (97.6, 16.1),
                (97.2, 16.9), (96.5, 16.4), (95.4, 15.7), (94.8, 15.8), (94.2, 16.0), (94.5, 17.3), (94.3, 18.2),
                (93.5, 19.4), (93.7, 19.7), (93.1, 19.9), (92.4, 20.7)],
}  # fmt: skip


def project(lat: float, lon: float) -> tuple[float, float]:
    """Equal Earth: areas are true, so that no country looks larger than it is.

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


class Plane(NamedTuple):
    """A projection (latitude and longitude to x and y) and the size of what it draws the world on."""

    project: Callable[[float, float], tuple[float, float]]
    width: float
    height: float


EQUAL_EARTH = Plane(project, WIDTH, HEIGHT)
Box = tuple[float, float, float, float]
"""Left, top, width and height of what is shown."""


def world_map(
    places: Sequence[PlaceCount],
    link: Callable[[PlaceCount], str] | None = None,
    *,
    near: bool = False,
    plane: Plane = EQUAL_EARTH,
    layer: Callable[[Box], Markup] = lambda _: Markup(""),
    box: Box | None = None,
    into: Callable[[str], str] | None = None,
) -> Markup:
    """The map; `near` shows only where the places are, `box` only that part. `link` gives the address behind a dot.

    With `into`, places whose dots would cover one another are one dot, behind which is the map of that part.
    `layer` may draw more between the outlines and the dots.
    """
    placed = [place for place in places if place.lat is not None and place.lon is not None]
    if box is None:
        box = _box(placed, plane) if near and placed else (0.0, 0.0, plane.width, plane.height)
    zoom = box[2] / plane.width
    largest = max((place.pages for place in placed), default=1)
    # Large dots first, so that small ones stay in reach.
    ranked = sorted(placed, key=lambda place: -place.pages)
    groups = _clusters(ranked, zoom, plane) if into else [[place] for place in ranked]
    dots = [
        _dot(group[0], largest, zoom, link, plane)
        if len(group) == 1 or into is None
        else _cluster(group, largest, zoom, into, plane)
        for group in groups
    ]
    names = _names([group[0] for group in groups][:40], box, plane)
    view = " ".join(f"{side:.1f}" for side in box)
    return Markup(
        '<svg class="map" viewBox="{}" data-whole="{:.0f} {:.0f}" role="{}" aria-label="Map of {} places">'
        '<g class="land" stroke-width="{:.2f}">{}</g>{}<g class="dots" stroke-width="{:.2f}">{}</g><g class="names">{}</g></svg>'
    ).format(
        view,
        plane.width,
        plane.height,
        "group" if link else "img",
        len(placed),
        0.6 * zoom,
        outlines(plane),
        layer(box),
        1.0 * zoom,
        Markup("").join(dots),
        Markup("").join(names),
    )


def radius(pages: int, largest: int) -> float:
    """Of a dot: its area grows with the number of pages.

    >>> radius(100, 100), radius(0, 100)
    (16.0, 2.5)
    """
    return 2.5 + 13.5 * math.sqrt(pages / largest)


def _dot(
    place: PlaceCount, largest: int, zoom: float, link: Callable[[PlaceCount], str] | None, plane: Plane
) -> Markup:
    assert place.lat is not None
    assert place.lon is not None
    x, y = plane.project(place.lat, place.lon)
    words = f"{place.name}: {counted(place.pages, 'page')}"
    circle = Markup('<circle cx="{}" cy="{}" r="{:.2f}"><title>{}</title></circle>').format(
        x, y, radius(place.pages, largest) * zoom, words
    )
    if link is None:
        return circle
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(link(place), words, circle)


def box_of(text: str, plane: Plane = EQUAL_EARTH) -> Box | None:
    """A part of the map as an address tells it; None for anything else.

    >>> box_of("480,120,60,27.4"), box_of("x"), box_of("0,0,1,1")
    ((480.0, 120.0, 60.0, 27.4), None, None)
    """
    try:
        left, top, width, height = (float(side) for side in text[:60].split(","))
    except ValueError:
        return None
    if not (
        0 <= left <= plane.width
        and 0 <= top <= plane.height
        and MIN_WIDTH <= width <= plane.width
        and 0 < height <= plane.height
    ):
        return None
    return left, top, width, height


def _clusters(places: Sequence[PlaceCount], zoom: float, plane: Plane) -> list[list[PlaceCount]]:
    """Places by the dot that they are drawn in: that of the first, and so of the most pages, within APART."""
    found: list[list[PlaceCount]] = []
    near: dict[tuple[int, int], list[int]] = {}
    for place in places:
        x, y = plane.project(place.lat or 0.0, place.lon or 0.0)
        cell = int(x / (APART * zoom)), int(y / (APART * zoom))
        around = [
            at
            for right in (-1, 0, 1)
            for down in (-1, 0, 1)
            for at in near.get((cell[0] + right, cell[1] + down), ())
        ]
        closest = next((at for at in around if _distance(found[at][0], x, y, plane) < APART * zoom), None)
        if closest is None or zoom <= MIN_WIDTH / plane.width:
            near.setdefault(cell, []).append(len(found))
            found.append([place])
        else:
            found[closest].append(place)
    return found


def _distance(place: PlaceCount, x: float, y: float, plane: Plane) -> float:
    a, b = plane.project(place.lat or 0.0, place.lon or 0.0)
    return math.hypot(a - x, b - y)


def _cluster(
    group: Sequence[PlaceCount], largest: int, zoom: float, into: Callable[[str], str], plane: Plane
) -> Markup:
    first = group[0]
    x, y = plane.project(first.lat or 0.0, first.lon or 0.0)
    left, top, width, height = _box(group, plane)
    part = f"{left:.1f},{top:.1f},{max(width, MIN_WIDTH):.1f},{max(height, MIN_WIDTH * plane.height / plane.width):.1f}"
    words = f"{first.name} and {len(group) - 1} more place{'s' if len(group) > 2 else ''} near it"
    return Markup(
        '<a href="{}" aria-label="{}"><circle class="cluster" cx="{}" cy="{}" r="{:.2f}"><title>{}</title></circle></a>'
    ).format(into(part), words, x, y, radius(first.pages, largest) * zoom, words)


def _names(places: Iterable[PlaceCount], box: Box, plane: Plane) -> Iterator[Markup]:
    """Names beside the largest dots, left out where they would cover one another."""
    zoom = box[2] / plane.width
    taken: list[tuple[float, float, float]] = []
    for place in places:
        x, y = plane.project(place.lat or 0.0, place.lon or 0.0)
        width = len(place.name) * 6.2 * zoom
        clear = all(abs(y - b) > 13 * zoom or x + width < a or a + w < x for a, b, w in taken)
        if clear and len(taken) < 16 and x + width < box[0] + box[2]:
            taken.append((x, y, width))
            yield Markup('<text x="{:.1f}" y="{:.1f}" font-size="{:.2f}">{}</text>').format(
                x + 6 * zoom, y + 4 * zoom, 11 * zoom, place.name
            )


def _box(places: Sequence[PlaceCount], plane: Plane) -> Box:
    """The part of the map with the places and some room around, in the map's own shape."""
    points = [plane.project(place.lat or 0.0, place.lon or 0.0) for place in places]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    width = min(plane.width, max(right - left, (bottom - top) * plane.width / plane.height, MIN_WIDTH) * 1.25)
    height = width * plane.height / plane.width
    x = min(max(0.0, (left + right - width) / 2), plane.width - width)
    y = min(max(0.0, (top + bottom - height) / 2), plane.height - height)
    return x, y, width, height


@lru_cache(maxsize=2)
def outlines(plane: Plane = EQUAL_EARTH) -> Markup:
    """All countries as SVG paths."""
    missing = [(name, [ring]) for name, ring in _MISSING.items()]
    return Markup("").join(
        Markup('<path d="{}"><title>{}</title></path>').format(_path(rings, plane), name)
        for name, rings in (*missing, *_countries())
    )


def _countries() -> Iterator[tuple[str, list[list[tuple[float, float]]]]]:
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


def _path(rings: Iterable[Sequence[tuple[float, float]]], plane: Plane) -> str:
    parts = []
    for ring in rings:
        points = [plane.project(max(lat, _SOUTH), lon) for lon, lat in ring]
        parts.append("M" + "L".join(f"{x:g} {y:g}" for x, y in points) + "Z")
    return "".join(parts)
