"""The three MPEG-7 descriptors of the multimedia paper, in numpy.

Of RGB pixels (height, width, 3): Scalable Color (256 numbers), Edge Histogram (80), Homogeneous Texture (62).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lycosa.page.images.pictures import Pixels
from lycosa.values import Floats

Singles = NDArray[np.float32]

# ------------------------------------------------------------------ Scalable Color


def scalable_color(pixels: Pixels) -> Singles:
    """256 Haar coefficients of the HSV histogram, coarse to fine.

        bin(h, s, v) = 64·V + 16·S + H   with H of 16, S and V of 4 levels
        q = round(15·(n / 818.8)^0.4), at most 15, with n = round(2047·share of the bin)
        each Haar step: (first, second) → (first + second, second − first)

    Unlike the standard the coefficients are not cut to 2 … 9 bits: a classifier loses by that
    and nothing is transmitted here.

    >>> grey = np.full((8, 8, 3), 255, np.uint8)
    >>> scalable_color(grey)[:2].tolist()  # one bin of 15: the sum, and minus it in the next
    [15.0, -15.0]
    """
    counts = np.array(Image.fromarray(hsv_bins(pixels)).histogram())
    return haar(quantised(counts / counts.sum())).astype(np.float32)


def hsv_bins(pixels: Pixels) -> NDArray[np.uint8]:
    """The bin 64·V + 16·S + H of every pixel.

    Hue, saturation and value come from Pillow in 0 … 255 each (measured: 1 ms an image, against 5
    for the same in numpy).

    >>> red, grey = [255, 0, 0], [128, 128, 128]
    >>> hsv_bins(np.array([[red, grey]], np.uint8)).tolist()
    [[240, 128]]
    """
    hsv = np.asarray(Image.fromarray(pixels).convert("HSV"))
    hue, saturation, value = hsv[..., 0] >> 4, hsv[..., 1] >> 6 << 4, hsv[..., 2] & 0xC0
    return np.asarray(value | saturation | hue, np.uint8)


def quantised(shares: Floats) -> Floats:
    """Bin shares as 4-bit numbers, finer for the rare colours.

    >>> quantised(np.array([0.0, 0.01, 0.4, 1.0])).tolist()
    [0.0, 3.0, 15.0, 15.0]
    """
    return np.minimum(np.rint(15 * (np.rint(2047 * shares) / 818.8) ** 0.4), 15)


def haar(histogram: Floats) -> Floats:
    """The 2-D Haar transform of a 256-bin histogram, in the order of the standard.

    Levels over neighbours in hue, saturation, value, hue, saturation, value, hue, hue.
    Sums stay in the first position of a pair and go on; differences stay in the second.
    """
    # Index (value, saturation, hue) of the histogram; each axis is halved by `step`.
    cube = histogram.reshape(4, 4, 16).copy()
    for axis, step, others in _HAAR_LEVELS:
        view = np.moveaxis(cube[others], axis, -1)
        first, second = view[..., :: 2 * step].copy(), view[..., step :: 2 * step].copy()
        view[..., :: 2 * step] = first + second
        view[..., step :: 2 * step] = second - first
    return cube.ravel()[_haar_order()]


_ALL, _TWO, _FOUR, _EIGHT = (slice(None, None, step) for step in (1, 2, 4, 8))
_HAAR_LEVELS = (
    # axis (0 value, 1 saturation, 2 hue), distance of the pair, where sums are left
    (2, 1, (_ALL, _ALL, _ALL)),
    (1, 1, (_ALL, _ALL, _TWO)),
    (0, 1, (_ALL, _TWO, _TWO)),
    (2, 2, (_TWO, _TWO, _ALL)),
    (1, 2, (_TWO, _ALL, _FOUR)),
    (0, 2, (_ALL, _FOUR, _FOUR)),
    (2, 4, (_FOUR, _FOUR, _ALL)),
    (2, 8, (_FOUR, _FOUR, _ALL)),
)


@lru_cache(maxsize=1)
def _haar_order() -> NDArray[np.intp]:
    """Positions 16·c + H (c = 4·V + S, as in the cube), coarse to fine."""
    coarse, even = (0, 2, 8, 10), (0, 2, 4, 6, 8, 10, 12, 14)
    groups = (
        (coarse, (0, 4, 8, 12)),
        (coarse, (2, 6, 10, 14)),
        ((4, 6, 12, 14), even),
        ((1, 3, 5, 7, 9, 11, 13, 15), even),
        (range(16), (1, 3, 5, 7, 9, 11, 13, 15)),
    )
    return np.array([16 * c + h for columns, hues in groups for c in columns for h in hues])


# ------------------------------------------------------------------ Edge Histogram

_ROOT2 = np.sqrt(2.0)
_EDGE_FILTERS = np.array(
    [  # means of the four quarters of a block: top-left, top-right, bottom-left, bottom-right
        [1, -1, 1, -1],  # vertical
        [1, 1, -1, -1],  # horizontal
        [_ROOT2, 0, 0, -_ROOT2],  # 45 degrees
        [0, _ROOT2, -_ROOT2, 0],  # 135 degrees
        [2, -2, -2, 2],  # no direction
    ]
)
_EDGE_THRESHOLD = 11
_EDGE_BLOCKS = 1100
_EDGE_SIDE = 70
_EDGE_LONGEST = 800


def edge_histogram(pixels: Pixels) -> Singles:
    """Share of blocks with an edge of each of 5 types in each of 4 × 4 sub-images: 80 numbers.

        block side b = 2·⌊√(w·h/1100)/2⌋, at least 2
        type = argmax_t |f_t · (a0, a1, a2, a3)|, if that is at least 11, else no edge
        bin[5·sub + type] = blocks of the type / blocks of the sub-image

    The shares are not cut to 3 bits: like the coefficients of `scalable_color` they go to a
    classifier, not over a wire. Images with a side below 70 pixels are enlarged to 70
    (threads of images only until the other side has 800).

    >>> stripes = np.zeros((80, 80, 3), np.uint8)
    >>> stripes[:, 1::2] = 255  # columns: each 2 × 2 block is a vertical edge
    >>> edge_histogram(stripes)[:5].tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0]
    """
    grey = luminance(pixels)
    height, width = grey.shape
    if min(height, width) < _EDGE_SIDE:
        scale = min(_EDGE_SIDE / min(height, width), _EDGE_LONGEST / max(height, width))
        grey = resized(grey, round(height * scale), round(width * scale))
        height, width = grey.shape
    side = max(2, 2 * int(np.sqrt(width * height / _EDGE_BLOCKS) / 2))
    quarters = _quarter_means(grey, side)
    strength = np.abs(quarters @ _EDGE_FILTERS.T.astype(np.float32))
    kind = np.where(strength.max(axis=-1) < _EDGE_THRESHOLD, 5, strength.argmax(axis=-1))
    rows, columns = kind.shape
    across = np.arange(columns) * side * 4 // width
    down = np.arange(rows) * side * 4 // height
    sub = down[:, None] * 4 + across
    counts = np.bincount((6 * sub + kind).ravel(), minlength=96).reshape(16, 6)
    of_type: Singles = (counts[:, :5] / np.maximum(counts.sum(axis=1, keepdims=True), 1)).astype(np.float32)
    return of_type.ravel()


def _quarter_means(grey: Singles, side: int) -> Singles:
    """Means of the 2 × 2 quarters of every whole block, (rows, columns, 4)."""
    rows, columns, half = grey.shape[0] // side, grey.shape[1] // side, side // 2
    whole = grey[: rows * side, : columns * side]
    sums = whole.reshape(rows * 2, half, columns * side).sum(axis=1)
    sums = sums.reshape(rows * 2, columns * 2, half).sum(axis=2)
    quarters: Singles = sums.reshape(rows, 2, columns, 2).transpose(0, 2, 1, 3) / np.float32(half * half)
    return quarters.reshape(rows, columns, 4)


# ------------------------------------------------------------------ Homogeneous Texture

_SIDE = 128
_OVERSAMPLING = 3


def homogeneous_texture(pixels: Pixels) -> Singles:
    """Mean, standard deviation, and log energy and log deviation in 5 × 6 frequency channels.

        t(θ, ρ) = |F(θ, ρ)|²·ρ²/16 · G_s(ρ)²·G_r(θ)²        θ = 0° … 179°, ρ = 1 … 64
        e = ln(1 + mean t),  d = ln(1 + std t)              per channel (s, r), s low to high
        G_s: centre 48·2^−s, half-peak width 32·2^−s;  G_r: centre 30°·r, half-peak width 30°

    The whole image is resized to 128 × 128 (the standard's reference software takes the corner of
    that size, which is margin in most maps). The values are not cut to 8 bits.

    >>> flat = homogeneous_texture(np.full((50, 90, 3), 200, np.uint8))
    >>> flat[:2].round(3).tolist(), flat.size
    ([200.0, 0.0], 62)
    """
    grey = resized(luminance(pixels), _SIDE, _SIDE)
    mean, deviation = grey.mean(), grey.std()
    power = _polar_power(grey - mean)
    radial, angular = _channels()
    energy = angular @ power @ radial / power.size
    square = angular**2 @ power**2 @ radial**2 / power.size
    spread = np.sqrt(np.maximum(square - energy**2, 0))
    channels = np.log1p(np.concatenate([energy.T.ravel(), spread.T.ravel()]))
    return np.concatenate([[mean, deviation], channels]).astype(np.float32)


def _polar_power(grey: Singles) -> Floats:
    """|F|²·ρ²/16 at 180 angles × 64 radii, bilinear between points of an oversampled DFT.

    The mean was taken off, so that zero padding does not leak its energy into all channels.
    """
    size = _SIDE * _OVERSAMPLING
    spectrum = np.fft.rfft2(grey, s=(size, size))
    power = spectrum.real**2 + spectrum.imag**2
    corners, weights = _polar_grid()
    sampled: Floats = (power.ravel()[corners] * weights).sum(axis=0)
    return sampled


@lru_cache(maxsize=1)
def _polar_grid() -> tuple[NDArray[np.intp], Floats]:
    """For each (angle, radius) the four surrounding points of the half spectrum and their weights."""
    size = _SIDE * _OVERSAMPLING
    radius = np.arange(1, _SIDE // 2 + 1)
    angle = np.deg2rad(np.arange(180))[:, None]
    x = np.minimum(_OVERSAMPLING * radius * np.abs(np.cos(angle)), size // 2)
    # Angles beyond 90° have a negative x; the spectrum of a real image is symmetric, so (−x, y)
    # is read at (x, −y). Rows count downwards.
    y = _OVERSAMPLING * radius * np.sin(angle) * np.where(np.cos(angle) < 0, -1, 1)
    left, top = np.floor(x).astype(np.intp), np.floor(y).astype(np.intp)
    right, down = x - left, y - top
    corners, weights = [], []
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        column = np.minimum(left + dx, size // 2)
        corners.append((top + dy) % size * (size // 2 + 1) + column)
        weights.append((right if dx else 1 - right) * (down if dy else 1 - down) * radius**2 / 16)
    return np.array(corners), np.array(weights)


@lru_cache(maxsize=1)
def _channels() -> tuple[Floats, Floats]:
    """Squared Gaussians: radial (64, 5), low to high, and angular (6, 180)."""
    to_sigma = 1 / (2 * np.sqrt(2 * np.log(2)))
    octave = 2.0 ** -np.arange(4, -1, -1)
    radius = np.arange(1, _SIDE // 2 + 1)[:, None]
    radial = np.exp(-(((radius - 48 * octave) / (32 * octave * to_sigma)) ** 2))
    apart = np.abs(np.arange(180) - 30 * np.arange(6)[:, None])
    angular = np.exp(-((np.minimum(apart, 180 - apart) / (30 * to_sigma)) ** 2))
    return radial, angular


# ------------------------------------------------------------------ shared steps


def luminance(pixels: Pixels) -> Singles:
    """Grey as the eye weighs colours (ITU-R 601): 0.299·R + 0.587·G + 0.114·B."""
    grey: Singles = pixels.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    return grey


def resized(grey: Singles, height: int, width: int) -> Singles:
    """The image at another size: area means where it shrinks, linear where it grows.

    >>> resized(np.array([[0, 2, 4, 6]], np.float32), 1, 2).tolist()
    [[1.0, 5.0]]
    """
    rows, columns = _resizing(grey.shape[0], height), _resizing(grey.shape[1], width)
    return np.asarray(rows @ grey @ columns.T, np.float32)


@lru_cache(maxsize=32)
def _resizing(old: int, new: int) -> Singles:
    """The matrix (new, old) that resizes one axis."""
    scale = old / new
    centre = (np.arange(new)[:, None] + 0.5) * scale - 0.5
    if new >= old:
        weights = np.maximum(1 - np.abs(np.arange(old) - np.clip(centre, 0, old - 1)), 0)
    else:
        first, last = (np.arange(new)[:, None] + np.array([0, 1])).T[:, :, None] * scale
        cell = np.arange(old)
        weights = np.clip(np.minimum(cell + 1, last) - np.maximum(cell, first), 0, None)
    normed: Singles = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return normed
