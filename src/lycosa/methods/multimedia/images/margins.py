"""Cut off the margins of an image: the same map appears bare, on a page, or in a screenshot."""

from __future__ import annotations

import numpy as np

from lycosa.page.images.pictures import Pixels

DIFFERENT = 24
"""By how much a colour differs from the margin's, in any of the three planes: less is noise of JPEG."""
MIN_SHARE = 0.005
"""Of a row or column that has other colours: a few specks do not end a margin."""
MIN_SIDE = 32
"""What would be smaller than this is left as it is."""
WIDE = 0.5
"""Margins that take more of an image than this say nothing of the picture; narrow ones belong to it."""
NARROW = 0.08
"""Of each side of a picture: as much of a wide margin is left as pictures usually have."""


def views_of(pixels: Pixels) -> list[Pixels]:
    """The image as it is and without its margins; of wide ones a little is left. Once, where it has none.

    >>> paper = np.full((100, 120, 3), 255, np.uint8)
    >>> paper[20:80, 30:90] = (200, 30, 30)
    >>> [view.shape for view in views_of(paper)]
    [(70, 70, 3), (60, 60, 3)]
    """
    height, width = pixels.shape[:2]
    top, bottom, left, right = picture_in(pixels)
    across, down = right - left, bottom - top
    if across * down == width * height:
        return [pixels]
    picture = np.ascontiguousarray(pixels[top:bottom, left:right])
    if across * down >= (1 - WIDE) * width * height:
        return [pixels, picture]
    y, x = round(NARROW * down), round(NARROW * across)
    loose = pixels[max(0, top - y) : bottom + y, max(0, left - x) : right + x]
    return [np.ascontiguousarray(loose), picture]


def picture_in(pixels: Pixels) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of what is left without the rows and columns at the edges that have one colour.

    That of the corners is the margin's; all of the image where nothing, or hardly anything, is left.

    >>> paper = np.full((100, 120, 3), 255, np.uint8)
    >>> paper[10:80, 30:90] = (200, 30, 30)
    >>> picture_in(paper)
    (10, 80, 30, 90)
    """
    height, width = pixels.shape[:2]
    corners = pixels[[0, 0, -1, -1], [0, -1, 0, -1]].astype(np.int16)
    margin = np.median(corners, axis=0).astype(np.int16)
    other = (np.abs(pixels.astype(np.int16) - margin) > DIFFERENT).any(axis=2)
    rows = np.flatnonzero(other.mean(axis=1) > MIN_SHARE)
    columns = np.flatnonzero(other.mean(axis=0) > MIN_SHARE)
    if not rows.size or not columns.size:
        return 0, height, 0, width
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    return (0, height, 0, width) if min(bottom - top, right - left) < MIN_SIDE else (top, bottom, left, right)
