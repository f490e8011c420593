"""py3langid's model in memory. In: its file, a compressed archive of arrays. Out: its identifier, with the same answers.

Its own loader writes the 68 MB to a file, reads that again and copies most of it: .85 s of CPU, of which unpacking takes
.3. Here they are unpacked once, and the arrays are views of that.
"""

from __future__ import annotations

import io
import lzma
import struct
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

_CHUNK = 1 << 12
_LOCAL_HEADER = struct.Struct("<26xHH")
"""Of a file in a ZIP archive: the lengths of its name and of what else is said, both of which stand before its data."""


def quick_identifier() -> LanguageIdentifier:
    """py3langid's identifier, which gives probabilities. Fails where its model has another form."""
    arrays = _arrays_in(_unpacked(MODEL_DIR / MODEL_FILE))
    return LanguageIdentifier(
        arrays["ptc"],
        arrays["pc"],
        arrays["classes"].tolist(),
        arrays["nextmove"].data,
        arrays["out_feat"].tolist(),
        norm_probs=True,
        tk_row=arrays["nextmove_row"].tolist(),
    )


def _unpacked(path: Path) -> io.BytesIO:
    archive, unpack = io.BytesIO(), lzma.LZMADecompressor().decompress
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            archive.write(unpack(data))
    return archive


def _arrays_in(archive: io.BytesIO) -> dict[str, NDArray[Any]]:
    """The arrays of an archive that numpy saved, without a copy of them."""
    found, all_of_it = {}, archive.getbuffer()
    with ZipFile(archive) as files:
        for info in files.infolist():
            lengths = _LOCAL_HEADER.unpack_from(all_of_it, info.header_offset)
            archive.seek(info.header_offset + _LOCAL_HEADER.size + sum(lengths))
            npy.read_magic(archive)
            shape, _, kind = npy.read_array_header_1_0(archive)
            array: NDArray[Any] = np.ndarray(shape, kind, all_of_it, archive.tell())
            found[info.filename.removesuffix(".npy")] = array
    return found
