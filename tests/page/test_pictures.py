"""Any image of the web becomes RGB, and nothing that is not one raises."""

from __future__ import annotations

import struct
import time
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lycosa.page.images.pictures import LONGEST, MAX_PIXELS, read_image
from lycosa.values import Reason, Refusal
from tests.methods.multimedia.images.drawn import graded_map, noise, png, saved

MAP = graded_map(1)


def pixels_of(data: bytes) -> np.ndarray:
    pixels = read_image(data)
    assert not isinstance(pixels, Refusal), pixels
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == 3
    return pixels


@pytest.mark.parametrize("form", ["PNG", "BMP", "WEBP", "GIF"])
def test_lossless_forms_keep_every_pixel(form):
    """PNG, BMP, lossless WebP and GIF of few colours come back as they were."""
    picture = (MAP // 128 * 255).astype(np.uint8)
    options = {"lossless": True} if form == "WEBP" else {}

    assert (pixels_of(saved(picture, form, **options)) == picture).all()


@pytest.mark.parametrize("form", ["JPEG", "AVIF"])
def test_lossy_forms_come_close(form):
    """JPEG and AVIF come back with small errors."""
    assert np.abs(pixels_of(saved(MAP, form, quality=95)).astype(int) - MAP).mean() < 6


def test_transparency_is_flattened_on_white():
    """What is see-through shows the paper: white, and half of it where it is half."""
    rgba = np.zeros((10, 10, 4), np.uint8)
    rgba[:, 5:, 3] = 255
    rgba[0, :, 3] = 128

    flat = pixels_of(png(rgba))

    assert flat[5, 0].tolist() == [255, 255, 255]
    assert flat[5, 9].tolist() == [0, 0, 0]
    assert abs(int(flat[0, 0, 0]) - 127) <= 1


def test_a_transparent_palette_is_flattened_on_white():
    """A palette image with a transparent entry loses that entry's colour."""
    image = Image.new("P", (8, 8), 0)
    image.putpalette([255, 0, 0, 0, 255, 0])
    image.paste(1, (4, 0, 8, 8))

    flat = pixels_of(saved(image, "GIF", transparency=0))

    assert flat[0, 0].tolist() == [255, 255, 255]
    assert flat[0, 7].tolist() == [0, 255, 0]


def test_sixteen_bit_grey_is_scaled_not_clipped():
    """The middle of 16 bits becomes the middle of 8 bits."""
    grey = Image.fromarray(np.full((6, 6), 32896, np.uint16))

    assert pixels_of(png(grey))[0, 0].tolist() == [128, 128, 128]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "CMYK"])
def test_other_modes_become_rgb(mode):
    """Bilevel, grey, palette and CMYK images are converted."""
    form = "JPEG" if mode == "CMYK" else "PNG"

    assert pixels_of(saved(Image.fromarray(MAP).convert(mode), form)).shape == MAP.shape


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_of_an_animation_the_first_frame_is_read(form):
    """An animated GIF, APNG or WebP counts as its first frame."""
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    options = {"lossless": True} if form == "WEBP" else {}
    data = saved(frames[0], form, save_all=True, append_images=frames[1:], duration=50, **options)

    assert pixels_of(data)[0, 0].tolist() == [255, 0, 0]


def test_large_images_are_shrunk():
    """The longer side has at most 400 pixels, the form stays, the thinnest line stays a pixel."""
    assert pixels_of(png(np.zeros((900, 1200, 3), np.uint8))).shape == (300, LONGEST, 3)
    assert pixels_of(png(np.zeros((1, 3000, 3), np.uint8))).shape == (1, LONGEST, 3)


def test_a_bomb_is_refused_before_it_is_decoded():
    """A PNG that declares a hundred thousand pixels a side is refused by its header."""
    for side in (int(MAX_PIXELS**0.5) + 1, 12_000, 100_000):
        header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
        chunk = b"IHDR" + header
        body = struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
        refused = read_image(b"\x89PNG\r\n\x1a\n" + body)
        assert isinstance(refused, Refusal)
        assert refused.reason in (Reason.BOMB, Reason.NOT_AN_IMAGE)


def test_svg_is_refused_with_its_reason():
    """SVG is not drawn, and says so."""
    refused = read_image(b"\n<!-- map --><svg xmlns='http://www.w3.org/2000/svg'><rect/></svg>")

    assert isinstance(refused, Refusal)
    assert "SVG" in str(refused)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP"])
def test_truncated_files_are_refused(form):
    """Half a file is not an image."""
    whole = saved(noise(1), form)

    assert isinstance(read_image(whole[: len(whole) // 2]), Refusal)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data):
    """Nothing raises."""
    assert isinstance(read_image(data), Refusal | np.ndarray)


@settings(deadline=None)
@given(
    st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP", "ICO"]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8),
)
def test_damaged_files_are_read_or_refused(form, changes):
    """Whichever bytes of a good file are changed, nothing raises."""
    data = bytearray(FILES[form])
    for place, value in changes:
        data[place % len(data)] = value

    assert isinstance(read_image(bytes(data)), Refusal | np.ndarray)


FILES = {form: saved(graded_map(2)[:48, :48], form) for form in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "ICO")}


def test_a_jpeg_of_endless_scans_is_refused():
    """Each of a few bytes, and each going over the whole picture: seconds a kilobyte."""
    plain = saved(np.zeros((3000, 3000, 3), np.uint8), "JPEG", progressive=True)
    assert not isinstance(read_image(plain), Refusal)
    last = plain.rfind(b"\xff\xda")
    started = time.process_time()
    refusal = read_image(plain[:-2] + plain[last:-2] * 5000 + plain[-2:])
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.BOMB
    assert time.process_time() - started < 5
