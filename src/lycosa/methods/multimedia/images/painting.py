"""A descriptor beyond MPEG-7 that separates graded maps from other pictures.

Of RGB pixels (height, width, 3), one vector of the parts in `PARTS`: paper and paint, number of colours, whether
they lie on one scale, how they meet, where they are, and whether a strip looks like a colour bar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lycosa.methods.multimedia.images.descriptors import Singles, resized
from lycosa.page.images.pictures import Pixels
from lycosa.values import Floats

Plane = NDArray[np.int16]
Mask = NDArray[np.bool_]
Codes = NDArray[np.intp]


_TINY = 8


def painting(pixels: Pixels) -> Singles:
    """All parts in one vector."""
    canvas = look_at(pixels)
    return np.concatenate([part(canvas) for part in PARTS]).astype(np.float32)


@dataclass(frozen=True)
class Canvas:
    """An image at half its size, as planes, with what most parts need."""

    rgb: Plane  # (3, height, width)
    grey: Plane
    chroma: Plane  # largest minus smallest of the three colours
    white: Mask
    black: Mask
    codes: Codes  # colour in 4 bits a plane
    paint: Mask  # neither paper nor ink
    cover: Singles  # share of paint within 3 pixels
    inside: Mask  # paint in the midst of paint: areas, not lines or letters


def look_at(pixels: Pixels) -> Canvas:
    """Halve the image (quicker, and most noise of JPEG is gone) and find paper, ink and paint."""
    rgb = halved(pixels)
    red, green, blue = rgb
    high = np.maximum(np.maximum(red, green), blue)
    low = np.minimum(np.minimum(red, green), blue)
    chroma = high - low
    white, black = low > 240, high < 50
    paint = ~white & ~black & (chroma > 24)
    cover = boxed(paint, 3)
    return Canvas(
        rgb=rgb,
        grey=luma(rgb),
        chroma=chroma,
        white=white,
        black=black,
        codes=((red >> 4).astype(np.intp) << 8) | ((green >> 4) << 4) | (blue >> 4),
        paint=paint,
        cover=cover,
        inside=paint & (cover > 0.8),
    )


def halved(pixels: Pixels) -> Plane:
    """Means of 2 × 2 pixels as planes (3, h, w); small images stay, tiny ones grow by their edge.

    >>> halved(np.full((64, 100, 3), 7, np.uint8)).shape
    (3, 32, 50)
    """
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1)).astype(np.int16)
    if min(pixels.shape[:2]) < 64:
        lacking = [(0, max(0, _TINY - side)) for side in pixels.shape[:2]]
        return np.pad(planes, [(0, 0), *lacking], mode="edge")
    even = planes[:, : pixels.shape[0] // 2 * 2, : pixels.shape[1] // 2 * 2]
    rows = even[:, ::2] + even[:, 1::2]
    return (rows[:, :, ::2] + rows[:, :, 1::2] + 2) >> 2


def luma(rgb: Plane) -> Plane:
    """(77·R + 150·G + 29·B) / 256, which is the luminance of ITU-R 601 in 16 bits.

    >>> luma(np.full((3, 1, 1), 255, np.int16)).tolist()
    [[255]]
    """
    red, green, blue = rgb.view(np.uint16)
    grey: Plane = ((77 * red + 150 * green + 29 * blue) >> 8).view(np.int16)
    return grey


def boxed(values: NDArray[np.generic], radius: int) -> Singles:
    """Mean over the (2r + 1)² neighbours; beyond the edge the edge is repeated.

    >>> boxed(np.array([[0, 0, 3, 0, 0]]), 1).tolist()
    [[0.0, 1.0, 1.0, 1.0, 0.0]]
    """
    size = 2 * radius + 1
    height, width = values.shape
    padded = np.pad(values, ((radius + 1, radius), (radius + 1, radius)), mode="edge")
    sums = padded.cumsum(axis=0, dtype=np.int32)
    bands = (sums[size:] - sums[:-size]).cumsum(axis=1, dtype=np.int32)
    sums = (bands[:, size:] - bands[:, :-size])[:height, :width]
    means: Singles = sums.astype(np.float32) / np.float32(size**2)
    return means


# ------------------------------------------------------------------ colours


def shares(canvas: Canvas) -> Floats:
    """Form of the image; shares of paper, ink and paint; histograms of lightness and chroma."""
    height, width = canvas.grey.shape
    values = np.bincount((canvas.grey >> 5).ravel(), minlength=8) / canvas.grey.size
    chromas = np.bincount((canvas.chroma >> 5).ravel(), minlength=8) / canvas.grey.size
    paper = [np.log(width / height), canvas.white.mean(), canvas.black.mean(), canvas.paint.mean()]
    return np.concatenate([paper, values, chromas])


def hues(canvas: Canvas) -> Floats:
    """Hues of what has colour: 12 shares by place on the circle, the same sorted, their entropy."""
    coloured = canvas.chroma > 32
    red, green, blue = canvas.rgb.reshape(3, -1)[:, np.flatnonzero(coloured)].astype(np.float32)
    turn = np.arctan2(np.float32(np.sqrt(3)) * (green - blue), 2 * red - green - blue) / (2 * np.pi)
    counts = np.bincount((turn % 1 * 11.999).astype(np.intp), minlength=12) / max(red.size, 1)
    ranked = np.sort(counts)[::-1][:6]
    return np.concatenate([counts, ranked, [entropy(counts), (counts > 0.02).sum(), coloured.mean()]])


def palettes(canvas: Canvas) -> Floats:
    """How many colours: of the whole, of all that has colour, and of painted areas."""
    groups = (canvas.codes.ravel(), canvas.codes[canvas.chroma > 32], canvas.codes[canvas.inside])
    return np.concatenate([palette(codes) for codes in groups])


def palette(codes: Codes) -> Floats:
    """Entropy, the four largest shares, how many colours make up 50 … 99 %, and how many matter.

    >>> palette(np.array([5, 5, 5, 9])).round(2)[:3].tolist()
    [0.81, 0.75, 0.25]
    """
    if codes.size == 0:
        return np.zeros(11)
    ranked = np.sort(np.bincount(codes, minlength=4096))[::-1] / codes.size
    needed = np.searchsorted(ranked.cumsum(), (0.5, 0.8, 0.95, 0.99))
    common = [(ranked > 0.001).sum(), (ranked > 0.01).sum()]
    return np.concatenate([[entropy(ranked)], ranked[:4], np.log2(1 + np.append(needed, common))])


def entropy(parts: Floats) -> float:
    """−Σ p·log₂ p.

    >>> entropy(np.array([0.5, 0.5, 0.0]))
    1.0
    """
    some = parts[parts > 0]
    return float(-(some * np.log2(some)).sum())


def scales(canvas: Canvas) -> Floats:
    """Whether the colours lie on one curve, as those of a colour scale do: areas, and all colour."""
    groups = (np.flatnonzero(where) for where in (canvas.inside, canvas.chroma > 32))
    colours = canvas.rgb.reshape(3, -1)
    return np.concatenate([scale(colours[:, group[:: max(1, group.size // 3000)]]) for group in groups])


def scale(colours: Plane) -> Floats:
    """Spread along the principal axes, and the remaining variance in 16 slices along three orders.

    The orders are the first principal axis, lightness, and red against blue: for colours on a
    curve that is monotonous in one of them the variance within slices vanishes.
    """
    if colours.shape[1] < 50:
        return np.zeros(9)
    sample = colours.astype(np.float64)
    sample -= sample.mean(axis=1, keepdims=True)
    count = sample.shape[1]
    variances, axes = np.linalg.eigh(sample @ sample.T / count)
    variances = np.maximum(variances, 0)
    total = max(float(variances.sum()), 1e-6)
    orders = np.stack([axes[:, 2], [0.299, 0.587, 0.114], [1.0, 0.0, -1.0]]) @ sample
    left, slices = zip(*(within_slices(sample, order) for order in orders), strict=True)
    spread = [*np.sqrt(variances[::-1]), variances[2] / total]
    return np.array([*spread, *(part / total for part in left), np.sqrt(left[0]), slices[0]])


def within_slices(sample: Floats, order: Floats) -> tuple[float, int]:
    """Variance of colours within 16 slices of an order, and how many slices hold over 1 %."""
    low, high = float(order.min()), float(order.max())
    place = ((order - low) * (15.999 / max(high - low, 1e-6))).astype(np.intp)
    counts = np.bincount(place, minlength=16)
    sums = np.stack([np.bincount(place, weights=plane, minlength=16) for plane in sample])
    between = float((sums**2 / np.maximum(counts, 1)).sum())
    left = max(float((sample**2).sum()) - between, 0.0) / sample.shape[1]
    return left, int((counts > 0.01 * sample.shape[1]).sum())


# ------------------------------------------------------------------ how colours meet

_STEP_BIN = np.searchsorted([2, 5, 10, 20, 40, 80, 150], np.arange(256)).astype(np.int8)


def steps(canvas: Canvas) -> Floats:
    """Histograms of the colour step to the next pixel: everywhere, in areas, in areas 4 away."""
    everywhere = np.ones_like(canvas.inside)
    cases = ((everywhere, 1), (canvas.inside, 1), (canvas.inside, 4))
    return np.concatenate([step_shares(canvas.rgb, where, gap) for where, gap in cases])


def step_shares(rgb: Plane, where: Mask, gap: int) -> Floats:
    """Shares of 8 classes of max |ΔRGB| among the pairs of pixels `gap` apart that both count."""
    counts = np.zeros(8)
    down = np.abs(rgb[:, gap:] - rgb[:, :-gap]), where[gap:] & where[:-gap]
    right = np.abs(rgb[:, :, gap:] - rgb[:, :, :-gap]), where[:, gap:] & where[:, :-gap]
    for change, both in (down, right):
        largest = np.maximum(np.maximum(change[0], change[1]), change[2])
        counts += np.bincount(_STEP_BIN[largest[both]], minlength=8)
    return counts / max(float(counts.sum()), 1.0)


def lines(canvas: Canvas) -> Floats:
    """Solid paint at three widths, and thin dark lines: all, and those drawn upon paint."""
    solid = [boxed(canvas.paint, 1), canvas.cover, boxed(canvas.paint, 6)]
    covered = [(cover > least).mean() for cover in solid for least in (0.95, 0.7)]
    dark = (canvas.rgb.max(axis=0) < 110) & (canvas.chroma < 40)
    thin = dark & (boxed(dark, 2) < 0.5)
    upon = float((thin & (canvas.cover > 0.4)).mean())
    return np.array([*covered, thin.mean(), upon, upon / max(float(canvas.inside.mean()), 0.01)])


def patterns(canvas: Canvas) -> Floats:
    """Local binary patterns at two scales and quantiles of the lightness step."""
    coarse = boxed(canvas.grey, 1)[::2, ::2].astype(np.int16)
    quantiles = quantiles_of(edges(canvas.grey), np.array([0.25, 0.5, 0.75, 0.9, 0.97]))
    return np.concatenate([binary_patterns(canvas.grey), binary_patterns(coarse), quantiles])


def quantiles_of(values: Plane, shares: Floats) -> Floats:
    """Quantiles of small whole numbers, by counting instead of sorting.

    >>> quantiles_of(np.array([0, 4, 2, 1]), np.array([0.5, 1.0])).tolist()
    [1.5, 4.0]
    """
    if values.size == 0:
        return np.zeros(shares.size)
    ranks = np.bincount(values.ravel()).cumsum()
    place = shares * (values.size - 1)
    low, high = (np.searchsorted(ranks, end, side="right") for end in (np.floor(place), np.ceil(place)))
    return low + (high - low) * (place % 1)


def edges(grey: Plane) -> Plane:
    """|Δ down| + |Δ right|."""
    down, right = np.abs(grey[1:] - grey[:-1]), np.abs(grey[:, 1:] - grey[:, :-1])
    both: Plane = down[:, :-1] + right[:-1]
    return both


_RING = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0))
_RING_BIN = np.array(
    [
        bin(code).count("1") if bin(code ^ (code >> 1 | (code & 1) << 7)).count("1") <= 2 else 9
        for code in range(256)
    ],
    np.int8,
)


def binary_patterns(grey: Plane) -> Floats:
    """Shares of the uniform rotation-invariant patterns of 8 neighbours brighter by more than 2."""
    height, width = grey.shape[0] - 2, grey.shape[1] - 2
    if min(height, width) < 1:
        return np.zeros(10)
    centre = grey[1:-1, 1:-1] + 2
    code = np.zeros((height, width), np.uint8)
    for bit, (y, x) in enumerate(_RING):
        code |= (grey[y : y + height, x : x + width] > centre).view(np.uint8) << np.uint8(bit)
    return np.bincount(_RING_BIN[code].ravel(), minlength=10) / code.size


# ------------------------------------------------------------------ where

_GRID = 4


def places(canvas: Canvas) -> Floats:
    """Paint, paper, ink and edges on a 4 × 4 grid; centre and extent of the areas."""
    layers = (canvas.paint, canvas.white, canvas.black, edges(canvas.grey))
    grids = [resized(layer.astype(np.float32), _GRID, _GRID).ravel() for layer in layers]
    return np.concatenate([*grids, *(extent(canvas.inside.mean(axis=axis)) for axis in (0, 1))])


def extent(profile: Floats) -> Floats:
    """Mean place and spread of a profile, as shares of its length, and its mean."""
    total = float(profile.sum())
    if total == 0:
        return np.array([0.5, 0.0, 0.0])
    place = np.arange(profile.size) / profile.size
    mean = float((place * profile).sum()) / total
    return np.array([mean, np.sqrt(((place - mean) ** 2 * profile).sum() / total), profile.mean()])


def bars(canvas: Canvas) -> Floats:
    """The best colour bars that lie and that stand, and how much of the paint has their colours."""
    coloured = canvas.chroma > 20
    turned = np.ascontiguousarray(canvas.rgb.transpose(0, 2, 1)), np.ascontiguousarray(coloured.T)
    lying, standing = colour_bar(canvas.rgb, coloured), colour_bar(*turned)
    return np.concatenate(
        [lying.found, standing.found, explained(canvas, lying), explained(canvas, standing)]
    )


@dataclass(frozen=True)
class Bar:
    """Per window width: way through colour space, height, distance from the middle; the colours."""

    found: Floats
    colours: Plane  # (3, n) along the longest way


def colour_bar(rgb: Plane, coloured: Mask) -> Bar:
    """Of windows 12, 25 and 50 % wide the ones where colours change most along and not across.

    At least 40 % of the window must have colour: scales from red over white to blue count, too.
    """
    height, width = coloured.shape
    if height < 12 or width < 24:
        return Bar(np.zeros(9), rgb[:, 0, :0])
    change = np.abs(rgb[:, 2:] - rgb[:, :-2])
    flat = np.maximum(np.maximum(change[0], change[1]), change[2]) < 12
    both = flat[:, 1:] & flat[:, :-1]
    along = np.abs(rgb[:, 1:-1, 1:] - rgb[:, 1:-1, :-1])
    way = (along[0] + along[1] + along[2]) * both
    flats, paints, ways = (
        layer.cumsum(axis=1, dtype=np.int32) for layer in (flat, flat & coloured[1:-1], way)
    )
    found, colours, longest = [], rgb[:, 0, :0], 0
    for share in (0.12, 0.25, 0.5):
        wide = max(8, int(width * share))
        whole = flats[:, wide:-1] - flats[:, : -wide - 1] > 0.85 * wide
        whole &= paints[:, wide:-1] - paints[:, : -wide - 1] > 0.4 * wide
        length = (ways[:, wide:] - ways[:, :-wide]) * whole
        row, column = divmod(int(length.argmax()), length.shape[1])
        best = int(length[row, column])
        if best > longest:
            longest, colours = best, rgb[:, row + 1, column : column + wide]
        tall = float((length[:, column] > 0.6 * best).sum()) / height if best else 0.0
        found += [best / 100, tall, abs(row / height - 0.5)]
    return Bar(np.array(found), colours)


def explained(canvas: Canvas, bar: Bar) -> Floats:
    """Number of colours of a bar, its largest step, and the share of paint that has its colours."""
    if bar.colours.shape[1] == 0:
        return np.zeros(4)
    red, green, blue = bar.colours >> 4
    known = np.zeros((18, 18, 18), np.bool_)
    known[red + 1, green + 1, blue + 1] = True
    count = int(known.sum())
    for axis in range(3):  # the neighbours of a colour are the same to the eye
        known |= np.roll(known, 1, axis) | np.roll(known, -1, axis)
    near = np.ascontiguousarray(known[1:17, 1:17, 1:17]).ravel()
    step = int(np.abs(np.diff(bar.colours, axis=1)).sum(axis=0).max())
    same = [
        near[canvas.codes[where]].mean() if where.any() else 0.0 for where in (canvas.paint, canvas.inside)
    ]
    return np.array([count, step / 100, *same])


PARTS: tuple[Callable[[Canvas], Floats], ...] = (
    shares, hues, palettes, scales, steps, lines, patterns, places, bars
)  # fmt: skip
"""The order is the vector's; a saved model knows only the whole length."""
