"""Map tiles of a server that the user names. In: a URL template. Out: pictures under the map, where they come.

Off unless asked for. The outlines stay beneath: where tiles do not come, they are what is seen.
"""

from __future__ import annotations

import math
import re
from urllib.parse import urlsplit

import msgspec
from markupsafe import Markup

from lycosa.errors import SpecError
from lycosa.report.world_map import Box, Plane

MAX_ZOOM = 18
MAX_TILES = 96
"""Tiles of one map: tile servers are other people's."""
_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_NORTH = 80.0
SIDE = 976.0
"""Of the square that Web Mercator makes of the world, in units of the drawing."""


def mercator(lat: float, lon: float) -> tuple[float, float]:
    """Web Mercator, the projection of map tiles; the drawing begins at 80° north.

        x = (λ + π) / 2π;  y = (1 − ln(tan φ + 1/cos φ) / π) / 2         (of the square's side)

    >>> mercator(0, 0)
    (488.0, 378.4)
    >>> mercator(80, -180)
    (0.0, 0.0)
    """
    return round(SIDE * (lon + 180) / 360, 1), round(SIDE * (_from_north(lat) - _from_north(_NORTH)), 1)


def _from_north(lat: float) -> float:
    angle = math.radians(max(-85.0, min(85.0, lat)))
    return (1 - math.asinh(math.tan(angle)) / math.pi) / 2


MERCATOR = Plane(mercator, SIDE, round(SIDE * (_from_north(-60.0) - _from_north(_NORTH)), 1))


class Tiles(msgspec.Struct, frozen=True):
    """Where tiles come from, and whom they are owed to."""

    template: str
    credit: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: all that the content security policy lets in."""
        found = _ORIGIN.match(self.template)
        assert found is not None
        return found[0]

    def url(self, z: int, x: int, y: int) -> str:
        """The address of one tile."""
        return self.template.replace("{z}", str(z)).replace("{x}", str(x)).replace("{y}", str(y))

    def layer(self, box: Box) -> Markup:
        """The pictures of a part of the drawing."""
        zoom = zoom_of(box)
        size, top = SIDE / 2**zoom, SIDE * _from_north(_NORTH)
        left, right = int(box[0] / size), math.ceil((box[0] + box[2]) / size)
        first, last = int((box[1] + top) / size), math.ceil((box[1] + box[3] + top) / size)
        return Markup("").join(
            Markup(
                '<image href="{}" x="{:.3f}" y="{:.3f}" width="{:.3f}" height="{:.3f}" preserveAspectRatio="none"/>'
            ).format(self.url(zoom, x, y), x * size, y * size - top, size * 1.002, size * 1.002)
            for y in range(max(0, first), min(2**zoom, last))
            for x in range(max(0, left), min(2**zoom, right))
        )


def zoom_of(box: Box) -> int:
    """The coarsest level at which a tile's 256 pixels are at least the drawing's; fewer where they would be too many.

    >>> zoom_of((0, 0, 976, 583)), zoom_of((480, 250, 61, 36))
    (2, 6)
    """
    zoom = min(MAX_ZOOM, max(0, math.ceil(math.log2(SIDE / 256 * SIDE / box[2]))))
    while zoom and (box[2] * 2**zoom / SIDE + 2) * (box[3] * 2**zoom / SIDE + 2) > MAX_TILES:
        zoom -= 1
    return zoom


def tiles_of(template: str, credit: str = "") -> Tiles | None:
    """Check what the user gave; None if nothing."""
    if not template:
        return None
    if not all(part in template for part in ("{z}", "{x}", "{y}")):
        raise SpecError(
            f"--tiles {template}: it must contain {{z}}, {{x}} and {{y}}, as in https://tiles.example/{{z}}/{{x}}/{{y}}.png"
        )
    found = _ORIGIN.match(template)
    rest = template[found.end() :] if found else ""
    if (
        not rest.startswith("/")
        or re.search(r"[{}]", re.sub(r"\{[zxy]\}", "", rest))
        or not rest.isprintable()
    ):
        raise SpecError(
            f"--tiles {template}: write one http(s) address with {{z}}, {{x}} and {{y}} and no other part in braces "
            "(for {s} choose one of the servers)."
        )
    host = urlsplit(template).hostname or ""
    osm = host == "openstreetmap.org" or host.endswith(".openstreetmap.org")
    return Tiles(template, credit or ("© OpenStreetMap contributors" if osm else f"Tiles: {host}"))
