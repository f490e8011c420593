"""Decode images to RGB pixels, or refuse them with the reason. Decompression bombs are refused before decoding."""

from __future__ import annotations

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from lycosa.values import Reason, Refusal

Pixels = NDArray[np.uint8]
"""RGB, (height, width, 3)."""

LONGEST = 400
"""Larger images are shrunk to this: descriptors stay comparable and their cost bounded."""
MAX_PIXELS = 32_000_000
"""Images that declare more are refused undecoded (a photograph of a good camera has 24 million)."""
SCANNED_PIXELS = 1_000_000_000
"""A progressive JPEG is gone over as a whole for each of its scans, of which a photograph has about ten."""
_SCAN = b"\xff\xda"
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "ICO")
"""What browsers show. Other decoders of Pillow are never reached by a stranger's bytes."""


def read_image(data: bytes) -> Pixels | Refusal:
    """The first frame, flattened on white, as RGB; or why there is none.

    Palettes, alpha, grey, 16 bit and CMYK are converted. SVG is refused: drawing it needs a
    renderer, and graded maps are not published as vector files by the services we look for.
    """
    if is_svg(data):
        return Refusal(Reason.CONTENT_TYPE, "SVG is not drawn")
    try:
        with warnings.catch_warnings():
            # Pillow warns of odd metadata and of bombs; both are handled here.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                width, height = image.size
                if width * height > MAX_PIXELS:
                    return Refusal(Reason.BOMB, f"an image of {width} × {height} pixels")
                if image.format == "JPEG" and (scans := data.count(_SCAN)) * width * height > SCANNED_PIXELS:
                    return Refusal(Reason.BOMB, f"{scans} scans of {width} × {height} pixels")
                return _rgb(image)
    except Image.DecompressionBombError:
        return Refusal(Reason.BOMB, "an image of far too many pixels")
    except UnidentifiedImageError:
        return Refusal(Reason.NOT_AN_IMAGE, f"none of {', '.join(FORMATS)}")
    except Exception as error:
        # Decoders meet hostile bytes with errors of every class; each of them means: no image.
        return Refusal(Reason.NOT_AN_IMAGE, f"broken or cut off ({type(error).__name__})")


def is_svg(data: bytes) -> bool:
    """Whether the bytes begin like an SVG document, maybe gzipped (.svgz is seen as any gzip).

    >>> is_svg(b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), is_svg(b"GIF89a")
    (True, False)
    """
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return data[:2] == b"\x1f\x8b" or (head[:1] == b"<" and b"<svg" in head)


def _rgb(image: Image.Image) -> Pixels:
    """Shrink first (a JPEG is even decoded smaller), then flatten what is see-through on white."""
    flat: Image.Image
    if image.mode.startswith(("I", "F")):
        flat = _eight_bit(image)
    elif image.mode in ("RGB", "L", "CMYK", "YCbCr"):
        flat = image
    else:
        flat = image.convert("RGBA" if image.has_transparency_data else "RGB")
    flat.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    if flat.mode == "RGBA":
        paper = Image.new("RGBA", flat.size, "white")
        flat = Image.alpha_composite(paper, flat)
    return np.array(flat.convert("RGB"))


def _eight_bit(image: Image.Image) -> Image.Image:
    """Grey of 16 bit: Pillow would clip it at 255, which turns maps white."""
    grey = np.asarray(image, dtype=np.float64)
    return Image.fromarray(np.clip(grey / 257, 0, 255).round().astype(np.uint8))
