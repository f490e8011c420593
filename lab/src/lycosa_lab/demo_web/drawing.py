"""Small PNG pictures drawn by code.

A minimal PNG writer (RFC 2083: signature, IHDR, IDAT, IEND), so that no image library is needed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

Canvas = NDArray[np.float32]  # height × width × 3, values 0 to 255
Grid = NDArray[np.float32]
WIDTH, HEIGHT = 160, 120


def png(canvas: Canvas) -> bytes:
    """The canvas as an 8-bit RGB PNG.

    >>> png(np.zeros((2, 3, 3)))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    pixels = np.clip(canvas, 0, 255).astype(np.uint8)
    height, width = pixels.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in chunks)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


@lru_cache(maxsize=1)
def grid() -> tuple[Grid, Grid]:
    """The coordinates of a canvas's pixels, y and x, on a scale of 150 by 200."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32) * np.float32(150 / HEIGHT)
    return y, x


def sky(top: tuple[int, int, int], bottom: tuple[int, int, int]) -> Canvas:
    """A canvas that fades from one colour to another."""
    share = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None]
    column = np.array(top, np.float32) * (1 - share) + np.array(bottom, np.float32) * share
    return np.repeat(column[:, None, :], WIDTH, axis=1)


def paint(canvas: Canvas, where: NDArray[np.bool_], colour: tuple[int, int, int]) -> None:
    """Colour the pixels of a mask."""
    canvas[where] = colour


def disc(y: Grid, x: Grid, at: tuple[float, float], radius: float, squeeze: float = 1.0) -> NDArray[np.bool_]:
    """The pixels of an ellipse `radius` wide and `radius` × `squeeze` high, at (y, x)."""
    return np.asarray(((y - at[0]) / squeeze) ** 2 + (x - at[1]) ** 2 < radius**2)


def owl(rng: Random) -> Canvas:
    """An owl that looks at you, by night."""
    canvas, (y, x) = sky((20, 24, 60), (60, 60, 90)), grid()
    middle, size = rng.uniform(80, 120), rng.uniform(34, 46)
    brown = (rng.randint(110, 170), rng.randint(80, 110), 60)
    paint(canvas, disc(y, x, (95, middle), size, 1.25), brown)
    for side in (-1, 1):
        eye = (75.0, middle + side * size * 0.42)
        paint(canvas, disc(y, x, eye, size * 0.4), (235, 220, 190))
        paint(canvas, disc(y, x, eye, size * 0.26), (250, 190, 30))
        paint(canvas, disc(y, x, eye, size * 0.13), (10, 10, 10))
    paint(canvas, disc(y, x, (92, middle), size * 0.1, 1.8), (90, 70, 40))
    return canvas


def loaf(rng: Random) -> Canvas:
    """A loaf with slashes on a board."""
    canvas, (y, x) = sky((240, 232, 215), (190, 150, 110)), grid()
    size = rng.uniform(55, 75)
    paint(canvas, disc(y, x, (85, 100), size, 0.55), (rng.randint(150, 190), 105, 50))
    for cut in range(rng.randint(2, 4)):
        line = np.abs((y - 85) + 1.6 * (x - 60 - 28 * cut)) < 5
        paint(canvas, line & disc(y, x, (85, 100), size * 0.8, 0.5), (235, 205, 150))
    return canvas


def tide(rng: Random) -> Canvas:
    """Waves with a rotor below."""
    canvas, (y, x) = sky((180, 210, 230), (90, 140, 160)), grid()
    for layer in range(4):
        crest = 55 + 22 * layer + 6 * np.sin(x / rng.uniform(9, 16) + rng.uniform(0, 6))
        paint(canvas, y > crest, (30, 110 - 18 * layer, 140 - 20 * layer))
    angle = np.arctan2(y - 110, x - 100) + rng.uniform(0, 2)
    paint(canvas, disc(y, x, (110, 100), 32) & (np.cos(3 * angle) > 0.75), (250, 210, 60))
    return canvas


def bridge(rng: Random) -> Canvas:
    """Arches over water."""
    canvas, (y, x) = sky((200, 215, 235), (235, 225, 205)), grid()
    arches, deck = rng.randint(2, 5), rng.uniform(55, 70)
    pitch = 200 / arches
    stone = (rng.randint(120, 160), 110, 90)
    paint(canvas, (y > deck) & (y < 125), stone)
    for arch in range(arches):
        opening = disc(y, x, (125, pitch * (arch + 0.5)), pitch * 0.4, (118 - deck) / (pitch * 0.4))
        paint(canvas, opening & (y < 125), (215, 222, 225))
    paint(canvas, y >= 125, (70, 110, 130))
    return canvas


def comet(rng: Random) -> Canvas:
    """A comet among stars, with a tail that fades."""
    canvas, (y, x) = sky((6, 8, 24), (14, 18, 40)), grid()
    for _ in range(60):
        canvas[rng.randrange(HEIGHT), rng.randrange(WIDTH)] = rng.randint(120, 255)
    at, turn = (rng.uniform(90, 115), rng.uniform(130, 160)), rng.uniform(0.3, 0.7)
    along = (at[1] - x) * np.cos(turn) + (at[0] - y) * np.sin(turn)
    across = (at[0] - y) * np.cos(turn) - (at[1] - x) * np.sin(turn)
    glow = np.where(along > 0, np.exp(-along / 60 - (across / (3 + along * 0.12)) ** 2), 0)
    head = np.exp(-((y - at[0]) ** 2 + (x - at[1]) ** 2) / 60)
    canvas += (glow * 170 + head * 240)[:, :, None] * np.array([0.8, 1.0, 0.95], np.float32)
    return canvas


def landscape(rng: Random) -> Canvas:
    """Hills and a sun: the picture of everything else."""
    canvas, (y, x) = sky((rng.randint(120, 200), 190, 230), (250, 230, 200)), grid()
    paint(canvas, disc(y, x, (35, rng.uniform(30, 170)), 14), (255, 220, 120))
    for hill in range(3):
        ridge = 70 + 22 * hill + 12 * np.sin(x / rng.uniform(18, 40) + rng.uniform(0, 6))
        paint(canvas, y > ridge, (90 - 20 * hill, 150 - 25 * hill, 80))
    return canvas


MOTIFS: dict[str, Callable[[Random], Canvas]] = {
    "owls": owl,
    "bread": loaf,
    "tides": tide,
    "bridges": bridge,
    "comets": comet,
    "": landscape,
}


def picture(motif: str, rng: Random) -> bytes:
    """A PNG of a topic's motif; '' is a landscape."""
    return png(MOTIFS[motif](rng))


def logo(title: str, rng: Random) -> bytes:
    """A site's logo as SVG: its initials on a coloured disc."""
    initials = "".join(word[0] for word in title.split()[:2]).upper()
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48">'
        f'<circle cx="24" cy="24" r="22" fill="hsl({rng.randrange(360)},45%,40%)"/>'
        f'<text x="24" y="31" font-size="18" text-anchor="middle" fill="#fff">{initials}</text></svg>'
    ).encode()
