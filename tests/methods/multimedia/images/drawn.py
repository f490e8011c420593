"""Images drawn for tests: graded maps with a colour bar, and other pictures. All from a seed."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageDraw

from lycosa.values import Refusal, Score


def fact(judged: Score | Refusal) -> Score:
    """The fact, where a refusal would be a failure."""
    assert isinstance(judged, Score), judged
    return judged


def png(pixels: np.ndarray | Image.Image, **options) -> bytes:
    """The bytes of a PNG file."""
    return saved(pixels, "PNG", **options)


def saved(pixels: np.ndarray | Image.Image, form: str, **options) -> bytes:
    """The bytes of a file of that form."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def graded_map(seed: int, width: int = 160, height: int = 120) -> np.ndarray:
    """A smooth field painted from blue over green to red on white paper, a colour bar below."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width] / height
    waves = rng.uniform(1, 4, (3, 2))
    field = sum(np.sin(a * x + b * y + rng.uniform(0, 6)) for a, b in waves)
    level = (field - field.min()) / np.ptp(field)
    paper = np.full((height, width, 3), 255, np.uint8)
    paper[15:90, 20:140] = rainbow(level)[15:90, 20:140]
    paper[100:108, 30:130] = rainbow(np.linspace(0, 1, 100))[None]
    return paper


def rainbow(level: np.ndarray) -> np.ndarray:
    """Blue, green, red for 0 … 1."""
    ramps = (np.clip(2 * level - 1, 0, 1), 1 - np.abs(2 * level - 1), np.clip(1 - 2 * level, 0, 1))
    return (np.stack(ramps, axis=-1) * 255).astype(np.uint8)


def line_chart(seed: int, width: int = 160, height: int = 120) -> np.ndarray:
    """A broken line between two axes, and letters that are only strokes."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.line([(20, 10), (20, 100), (150, 100)], fill="black")
    points = [(20 + 10 * i, int(rng.integers(15, 95))) for i in range(13)]
    draw.line(points, fill=tuple(rng.integers(0, 200, 3).tolist()), width=2)
    return np.asarray(image)


def noise(seed: int, width: int = 160, height: int = 120) -> np.ndarray:
    """Colours without any order."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
