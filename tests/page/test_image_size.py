"""The size of an image is known from its first bytes."""

from __future__ import annotations

from struct import pack
from zlib import compress, crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lycosa.page.images.image_size import size_of
from tests.methods.multimedia.images.drawn import noise, saved

FORMS = ["PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP"]


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None)
@given(width=st.integers(1, 90), height=st.integers(1, 90))
def test_the_declared_size_is_found_in_the_first_bytes(form, width, height):
    """Four hundred to a thousand bytes suffice for files without large metadata."""
    data = saved(Image.new("RGB", (width, height)), form)

    assert size_of(data[:1000]) == (width, height)


@pytest.mark.parametrize(
    ("mode", "lossless"), [("RGB", False), ("RGB", True), ("RGBA", False), ("RGBA", True)]
)
def test_every_kind_of_webp_is_understood(mode, lossless):
    """Lossy, lossless and extended WebP keep their size in three ways."""
    assert size_of(saved(Image.new(mode, (301, 77)), "WEBP", lossless=lossless)[:64]) == (301, 77)


def test_metadata_before_the_frame_of_a_jpeg_is_skipped():
    """A JPEG with a long comment tells its size after the comment, and not before."""
    data = saved(noise(1), "JPEG", comment=b"x" * 3000)

    assert size_of(data) == (160, 120)
    assert size_of(data[:2000]) is None


def test_a_progressive_jpeg_has_a_size():
    """SOF2 counts like SOF0."""
    assert size_of(saved(noise(1), "JPEG", progressive=True)) == (160, 120)


@settings(deadline=None)
@given(
    st.sampled_from(
        [b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"GIF89a", b"RIFF0000WEBPVP8X", b"\0\0\0\x1cftypavif", b"BM", b""]
    ),
    st.binary(max_size=200),
)
def test_any_head_gives_a_size_or_none(start, rest):
    """Nothing raises, nothing is below one pixel."""
    size = size_of(start + rest)

    assert size is None or min(size) > 0


def test_text_chunks_before_the_pixels_are_not_unpacked():
    """Sixty chunks of a kilobyte that would unpack to a megabyte each: the size stands before them."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))

    bomb = chunk(b"zTXt", b"key\0\0" + compress(bytes(1_000_000)))
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", pack(">IIBBBBB", 10, 20, 8, 2, 0, 0, 0))

    assert size_of(start + 60 * bomb) == (10, 20)
