"""Read the size of an image from its first bytes, so that small images are never downloaded whole.

Pillow is not used here: compressed text chunks in the head of a PNG keep it busy for 0.2 s, and it needs WebP and AVIF
files whole. This code runs in the crawl's loop. `read_image` uses Pillow in a worker process.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import error as StructError
from struct import unpack_from

from lycosa.values import Reason, Refusal

Size = tuple[int, int]
MIN_WIDTH, MIN_HEIGHT = 100, 50
"""Smaller images are not looked at   [Tsikrika et al., 5.1]."""


def size_of(head: bytes) -> Size | None:
    """Width and height as the head of a PNG, JPEG, GIF, WebP, AVIF or BMP file declares them.

    >>> size_of(b"GIF89a" + bytes([144, 1, 44, 1]))
    (400, 300)
    >>> size_of(b"<html>") is None
    True
    """
    for starts, reader in _READERS:
        if starts(head):
            try:
                size = reader(head)
            except StructError:  # cut off before the size
                return None
            return size if size and min(size) > 0 else None
    return None


def is_small(width: int, height: int) -> bool:
    """Whether an image is too small to show anything; 0 means that a side is not known.

    >>> is_small(100, 50), is_small(99, 400), is_small(0, 40), is_small(0, 0)
    (False, True, True, False)
    """
    return 0 < width < MIN_WIDTH or 0 < height < MIN_HEIGHT


def refuse_small(head: bytes) -> Refusal | None:
    """Why an image is not downloaded further, by its first bytes."""
    size = size_of(head)
    if size is None or not is_small(*size):
        return None
    return Refusal(Reason.SMALL_IMAGE, f"{size[0]} × {size[1]} pixels")


def _png(head: bytes) -> Size:
    width, height = unpack_from(">II", head, 16)
    return width, height


def _gif(head: bytes) -> Size:
    width, height = unpack_from("<HH", head, 6)
    return width, height


def _bmp(head: bytes) -> Size:
    if unpack_from("<I", head, 14)[0] == 12:  # the header of OS/2
        width, height = unpack_from("<HH", head, 18)
    else:
        width, height = unpack_from("<ii", head, 18)
    return width, abs(height)  # negative: rows run from the top


def _jpeg(head: bytes) -> Size | None:
    """Walk the segments to the frame header (SOF0 … SOF15 without DHT, JPG and DAC)."""
    at = 2
    while True:
        marker_start, marker = unpack_from(">BB", head, at)
        if marker_start != 0xFF:
            return None
        if marker == 0xFF:  # a fill byte
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = unpack_from(">HH", head, at + 5)
            return width, height
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:  # markers without a length
            at += 2
        else:
            at += 2 + max(2, unpack_from(">H", head, at + 2)[0])


def _webp(head: bytes) -> Size | None:
    chunk = head[12:16]
    if chunk == b"VP8 ":
        width, height = unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    if chunk == b"VP8L":
        bits = unpack_from("<I", head, 21)[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if chunk == b"VP8X":
        low_w, high_w, low_h, high_h = unpack_from("<HBHB", head, 24)
        return (low_w | high_w << 16) + 1, (low_h | high_h << 16) + 1
    return None


def _avif(head: bytes) -> Size | None:
    """The largest `ispe` property: that of the image itself, not of its tiles or thumbnail."""
    sizes: list[Size] = []
    at = head.find(b"ispe")
    while at >= 0 and at + 16 <= len(head):
        sizes.append(unpack_from(">II", head, at + 8))
        at = head.find(b"ispe", at + 16)
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


_READERS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes], Size | None]], ...] = (
    (lambda head: head[:8] == b"\x89PNG\r\n\x1a\n", _png),
    (lambda head: head[:2] == b"\xff\xd8", _jpeg),
    (lambda head: head[:6] in (b"GIF87a", b"GIF89a"), _gif),
    (lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP", _webp),
    (lambda head: head[4:8] == b"ftyp" and b"avi" in head[8:64], _avif),
    (lambda head: head[:2] == b"BM", _bmp),
)
