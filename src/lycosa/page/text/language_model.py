"""Load py3langid's model as a memory-mapped file that processes share.

The library's own loader unpacks 68 MB in every process. This one unpacks them once into the user's cache folder, and
the arrays are views of that file. If no file can be written, the process keeps the unpacked model in memory.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import struct
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

from lycosa.files import cache_directory

_CHUNK = 1 << 12
_LOCAL_HEADER = struct.Struct("<26xHH")
"""Of a file in a ZIP archive: the lengths of its name and of what else is said, both of which stand before its data."""


def quick_identifier() -> LanguageIdentifier:
    """py3langid's identifier, which gives probabilities. Fails where its model has another form."""
    packed = (MODEL_DIR / MODEL_FILE).read_bytes()
    try:
        content: mmap | bytes = _unpacked(packed)
    except (OSError, RuntimeError):  # no folder can be written to, or nobody knows the user's
        content = lzma.decompress(packed)
    arrays = _arrays_in(content)
    return LanguageIdentifier(
        arrays["ptc"],
        arrays["pc"],
        arrays["classes"].tolist(),
        arrays["nextmove"].data,
        arrays["out_feat"].tolist(),
        norm_probs=True,
        tk_row=arrays["nextmove_row"].tolist(),
    )


def _unpacked(packed: bytes) -> mmap:
    """What these bytes unpack to, as a file that is kept."""
    kept = cache_directory() / f"languages-{hashlib.blake2b(packed, digest_size=16).hexdigest()}.npz"
    if not kept.exists():
        _unpack(packed, kept)
    with kept.open("rb") as file:
        return mmap(file.fileno(), 0, access=ACCESS_READ)


def _unpack(packed: bytes, path: Path) -> None:
    """Write a file whole or not at all, whoever else may be writing it."""
    unpack = lzma.LZMADecompressor().decompress
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as draft:
        try:
            for at in range(0, len(packed), _CHUNK):
                draft.write(unpack(packed[at : at + _CHUNK]))
            draft.flush()
            os.fsync(draft.fileno())  # else the name may be on the disk before the content is
            Path(draft.name).replace(path)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise


def _arrays_in(content: mmap | bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an archive that numpy saved, without a copy of them."""
    found = {}
    archive: Any = BytesIO(content) if isinstance(content, bytes) else content
    with ZipFile(archive) as files:
        for info in files.infolist():
            lengths = _LOCAL_HEADER.unpack_from(content, info.header_offset)
            archive.seek(info.header_offset + _LOCAL_HEADER.size + sum(lengths))
            npy.read_magic(archive)
            shape, _, kind = npy.read_array_header_1_0(archive)
            array: NDArray[Any] = np.ndarray(shape, kind, content, archive.tell())
            found[info.filename.removesuffix(".npy")] = array
    return found
