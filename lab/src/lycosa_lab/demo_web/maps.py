"""Draw pictures of environmental sites as PNG.

There are graded maps (a coloured field over an outline, with a colour bar), charts, photographs, tables and banners, in
many palettes and sizes.
"""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from lycosa_lab.demo_web.drawing import Canvas, Grid, png

PALETTES: tuple[tuple[tuple[int, int, int], ...], ...] = (
    ((0, 0, 160), (0, 170, 230), (60, 200, 80), (250, 230, 30), (240, 110, 20), (170, 0, 20)),
    ((80, 200, 90), (190, 220, 60), (250, 220, 50), (250, 140, 40), (220, 40, 40), (120, 20, 110)),
    ((240, 250, 255), (170, 210, 240), (90, 160, 210), (40, 100, 170), (10, 40, 110)),
    ((255, 255, 210), (254, 220, 120), (250, 150, 60), (220, 60, 40), (130, 0, 40)),
    ((70, 10, 90), (60, 80, 140), (40, 140, 140), (90, 200, 100), (250, 230, 40)),
    ((40, 60, 190), (150, 180, 240), (235, 235, 235), (240, 160, 130), (180, 20, 40)),
)
SIZES = ((200, 150), (240, 180), (200, 200), (260, 160), (160, 210))
INK = (60, 60, 60)


def heatmap(rng: Random) -> bytes:
    """A graded map: what an air quality or weather service shows of a region."""
    width, height = rng.choice(SIZES)
    bar = 26
    y, x = _mesh(height, width)
    field = _smooth(y, x, rng, rng.randint(4, 9))
    palette = rng.choice(PALETTES)
    if rng.random() < 0.55:  # in steps, as most services draw them
        steps = rng.randint(5, 10)
        field = np.asarray(np.floor(field * steps).clip(0, steps - 1) / (steps - 1), np.float32)
    canvas = coloured(field, palette)
    land = _outline(y, x, height, width, rng)
    if rng.random() < 0.6:  # the field ends at the coast
        canvas[~land] = rng.choice(((255, 255, 255), (215, 230, 245), (235, 235, 235)))
    canvas[_edges(land)] = rng.choice(((20, 20, 20), (90, 90, 90), (255, 255, 255)))
    for _ in range(rng.randint(2, 6)):  # borders inside
        slope, start = rng.uniform(-1.5, 1.5), rng.uniform(0, width)
        wavy = start + slope * y + 6 * np.sin(y / rng.uniform(6, 20))
        canvas[(np.abs(x - wavy) < 0.7) & land] = INK
    for _ in range(rng.randint(0, 12)):  # names of towns
        _label(canvas, rng)
    return png(_with_bar(canvas, palette, bar, rng))


def chart(rng: Random) -> bytes:
    """Lines or columns over a white ground with axes."""
    width, height = rng.choice(SIZES)
    canvas = np.full((height, width, 3), 255, np.float32)
    for line in range(1, 6):
        canvas[height * line // 6, 20:] = (220, 220, 220)
    canvas[10:, 20:22] = canvas[height - 16 : height - 14, 20:] = INK
    y, x = _mesh(height, width)
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, 3)):
            curve = height * (0.5 + 0.3 * np.sin(x / rng.uniform(10, 40) + rng.uniform(0, 6)))
            canvas[(np.abs(y - curve) < 1.5) & (x > 22)] = _colour(rng)
    else:
        colour, pitch = _colour(rng), rng.randint(8, 24)
        for left in range(26, width - pitch, pitch):
            canvas[rng.randint(20, height - 30) : height - 16, left : left + pitch - 3] = colour
    return png(canvas)


def photograph(rng: Random) -> bytes:
    """Hills, houses and a sky with clouds, grainy like a photograph."""
    width, height = 150, 110
    y, x = _mesh(height, width)
    clouds = _smooth(y, x, rng, 8)[:, :, None]
    canvas = (1 - clouds) * np.array((110, 160, 215)) + clouds * np.array((240, 240, 245))
    for hill in range(rng.randint(1, 3)):
        ridge = height * (0.45 + 0.16 * hill) + 14 * np.sin(x / rng.uniform(20, 60) + rng.uniform(0, 6))
        canvas[y > ridge] = (rng.randint(50, 120), rng.randint(80, 150), rng.randint(40, 90))
    for _ in range(rng.randint(0, 9)):
        left, top = rng.randrange(width), rng.randrange(height // 3, height)
        canvas[top:, left : left + rng.randint(8, 40)] = [rng.randint(80, 200)] * 3
    grain = np.random.default_rng(rng.getrandbits(32)).normal(0, rng.uniform(4, 14), canvas.shape)
    return png((canvas + grain).astype(np.float32))


def table(rng: Random) -> bytes:
    """A table of numbers as a picture, cells coloured by class now and then."""
    rows, columns = rng.randint(5, 10), rng.randint(4, 8)
    canvas = np.full((rows * 22 + 1, columns * 44 + 1, 3), 255, np.float32)
    palette, shaded = rng.choice(PALETTES), rng.random() < 0.4
    for row in range(rows):
        for column in range(columns):
            top, left = row * 22, column * 44
            if shaded and row and column:
                canvas[top : top + 22, left : left + 44] = rng.choice(palette)
            for digit in range(rng.randint(1, 4)):
                canvas[top + 7 : top + 15, left + 6 + 8 * digit : left + 10 + 8 * digit] = INK
    canvas[::22] = canvas[:, ::44] = (150, 150, 150)
    return png(canvas)


def banner(rng: Random) -> bytes:
    """A flat wide picture with letters: an advertisement, a header."""
    canvas = np.full((rng.choice((60, 90)), rng.choice((300, 468)), 3), _colour(rng), np.float32)
    for letter in range(rng.randint(8, 22)):
        left = 12 + letter * 13
        canvas[20:40, left : left + rng.randint(3, 9)] = (255, 255, 255)
    return png(canvas)


def icon(rng: Random) -> bytes:
    """A button too small to say anything."""
    return png(np.full((16, 16, 3), _colour(rng), np.float32))


def coloured(field: Grid, palette: tuple[tuple[int, int, int], ...]) -> Canvas:
    """A field of numbers from 0 to 1 in the colours of a palette.

    >>> coloured(np.array([[0.0, 0.5]], np.float32), ((0, 0, 0), (200, 100, 0)))[0].tolist()
    [[0.0, 0.0, 0.0], [100.0, 50.0, 0.0]]
    """
    stops = np.linspace(0, 1, len(palette))
    colours = np.array(palette, np.float64)
    parts = [np.interp(field, stops, colours[:, part]) for part in range(3)]
    return np.stack(parts, axis=-1).astype(np.float32)


def _mesh(height: int, width: int) -> tuple[Grid, Grid]:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return y, x


def _smooth(y: Grid, x: Grid, rng: Random, hills: int) -> Grid:
    """A sum of wide and narrow hills, scaled to 0 … 1."""
    height, width = y.shape
    field = np.zeros_like(y)
    for _ in range(hills):
        at_y, at_x = rng.uniform(0, height), rng.uniform(0, width)
        wide, high = rng.uniform(0.08, 0.4) * width, rng.uniform(0.08, 0.4) * height
        field += rng.uniform(0.3, 1) * np.exp(-(((x - at_x) / wide) ** 2) - ((y - at_y) / high) ** 2)
    low, top = float(field.min()), float(field.max())
    return np.asarray((field - low) / max(top - low, 1e-6), np.float32)


def _outline(y: Grid, x: Grid, height: int, width: int, rng: Random) -> NDArray[np.bool_]:
    """A country: a disc with a ragged coast."""
    angle = np.arctan2(y - height / 2, (x - width / 2) * height / width)
    radius = height * rng.uniform(0.36, 0.5)
    for wave in range(1, 9):
        radius = radius + height * rng.uniform(0, 0.09) / wave**0.5 * np.sin(wave * angle + rng.uniform(0, 6))
    distance = np.hypot(y - height / 2, (x - width / 2) * height / width)
    return np.asarray(distance < radius)


def _edges(land: NDArray[np.bool_]) -> NDArray[np.bool_]:
    edges = np.zeros_like(land)
    edges[1:] |= land[1:] != land[:-1]
    edges[:, 1:] |= land[:, 1:] != land[:, :-1]
    return edges


def _label(canvas: Canvas, rng: Random) -> None:
    height, width = canvas.shape[:2]
    top, left = rng.randrange(5, height - 10), rng.randrange(5, width - 40)
    canvas[top : top + 2, left : left + 2] = 0
    for letter in range(rng.randint(3, 7)):
        canvas[top : top + 5, left + 5 + 4 * letter : left + 7 + 4 * letter] = 20


def _with_bar(canvas: Canvas, palette: tuple[tuple[int, int, int], ...], bar: int, rng: Random) -> Canvas:
    """A white frame with a title line and the colour bar, on the right or below."""
    height, width = canvas.shape[:2]
    framed = np.full((height + bar + 18, width + bar + 18, 3), 255, np.float32)
    framed[14 : 14 + height, 4 : 4 + width] = canvas
    for letter in range(rng.randint(8, 20)):
        framed[4:10, 8 + 7 * letter : 11 + 7 * letter] = INK
    if rng.random() < 0.5:
        scale = coloured(np.linspace(1, 0, height - 20, dtype=np.float32)[:, None], palette)
        framed[24 : 4 + height, width + 12 : width + 24] = scale
        framed[24 : 4 + height : 24, width + 26 : width + 34] = INK
    else:
        scale = coloured(np.linspace(0, 1, width - 20, dtype=np.float32)[None, :], palette)
        framed[height + 18 : height + 30, 14 : width - 6] = scale
        framed[height + 32 : height + 38, 14 : width - 6 : 24] = INK
    return framed


def _colour(rng: Random) -> tuple[int, int, int]:
    return rng.randint(20, 220), rng.randint(20, 220), rng.randint(20, 220)
