"""A sentence encoder with the architecture of BERT: word pieces, and a plain forward pass in NumPy.

It reads the folder of a sentence-transformers model: `config.json`, `vocab.txt` and `model.safetensors`. One text at a time
costs as much as with PyTorch on one core, and needs no package.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from math import prod, sqrt
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lycosa.errors import ModelError
from lycosa.files import read_file
from lycosa.values import Floats

MAX_PIECES = 128
MAX_BYTES = 2_000_000_000
MAX_HEADER_BYTES = 10_000_000
MAX_VOCABULARY_BYTES = 20_000_000
MAX_WORD_CHARS = 100
"""A longer word is unknown."""
TYPES = {"F32": np.float32, "F16": np.float16}
_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")
_CJK = re.compile("([㐀-鿿豈-﫿\U00020000-\U0002fa1f])")


class _Config(msgspec.Struct, frozen=True):
    model_type: str
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12
    max_position_embeddings: int = 512


class WordPieces:
    """Splits texts into the pieces of words that a model knows, by the longest match.

    >>> WordPieces({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "owl": 3, "##s": 4}).of("Owls fly", 8)
    [1, 3, 4, 0, 2]
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._first, self._last, self._unknown = (numbers[mark] for mark in ("[CLS]", "[SEP]", "[UNK]"))

    def of(self, text: str, max_pieces: int) -> list[int]:
        """The numbers of the first pieces, between those that mark begin and end."""
        found = [self._first]
        for word in _WORD.findall(_folded(text)):
            found += self._pieces(word)
            if len(found) >= max_pieces:
                break
        return [*found[: max_pieces - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        found: list[int] = []
        at = 0
        while at < len(word) <= MAX_WORD_CHARS:
            begin = "##" if at else ""
            ends = (end for end in range(len(word), at, -1) if begin + word[at:end] in self._numbers)
            if not (end := next(ends, 0)):
                return [self._unknown]
            found.append(self._numbers[begin + word[at:end]])
            at = end
        return found or [self._unknown]


class BertEncoder:
    """The mean of the last layer, at length 1."""

    def __init__(self, folder: Path) -> None:
        try:
            self._config = msgspec.json.decode(read_file(folder / "config.json", 1_000_000), type=_Config)
            words = read_file(folder / "vocab.txt", MAX_VOCABULARY_BYTES).decode().split("\n")
            self._weights = dict(_tensors(folder / "model.safetensors"))
            self._check()
            self._pieces = WordPieces(
                {word.rstrip("\r"): number for number, word in enumerate(words) if word}
            )
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(
                f"{folder} is no sentence encoder that can be read ({error}). Name the folder of a sentence-transformers "
                "model of the BERT family, with config.json, vocab.txt and model.safetensors."
            ) from None
        self.name, self.size = folder.name, self._config.hidden_size

    def encode(self, text: str) -> Floats:
        max_pieces = min(MAX_PIECES, self._config.max_position_embeddings)
        pieces = self._pieces.of(text, max_pieces)
        if len(pieces) < 3:  # only the marks
            return np.zeros(self._config.hidden_size, np.float32)
        found = self._layers(pieces).mean(axis=0)
        return np.asarray(found / max(float(np.linalg.norm(found)), 1e-9))

    def _layers(self, pieces: list[int]) -> Floats:
        from scipy.special import erf

        weights, heads = self._weights, self._config.num_attention_heads
        size = self._config.hidden_size // heads

        def linear(name: str, x: Floats) -> Floats:
            return np.asarray(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])

        def normal(name: str, x: Floats) -> Floats:
            mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
            scaled = (x - mean) / np.sqrt(variance + self._config.layer_norm_eps)
            return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"])

        x = weights["embeddings.word_embeddings.weight"][pieces]
        x = x + weights["embeddings.position_embeddings.weight"][: len(pieces)]
        x = normal("embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
        for number in range(self._config.num_hidden_layers):
            at = f"encoder.layer.{number}"
            query, key, value = (
                linear(f"{at}.attention.self.{part}", x).reshape(len(pieces), heads, size).transpose(1, 0, 2)
                for part in ("query", "key", "value")
            )
            scores = query @ key.transpose(0, 2, 1) / np.float32(sqrt(size))
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            seen = (scores / scores.sum(-1, keepdims=True)) @ value
            seen = seen.transpose(1, 0, 2).reshape(len(pieces), -1)
            x = normal(f"{at}.attention.output.LayerNorm", x + linear(f"{at}.attention.output.dense", seen))
            inner = linear(f"{at}.intermediate.dense", x)
            inner = inner * np.float32(0.5) * (1 + erf(inner / np.float32(sqrt(2))))
            x = normal(f"{at}.output.LayerNorm", x + linear(f"{at}.output.dense", inner))
        return x

    def _check(self) -> None:
        config = self._config
        if config.model_type != "bert" or config.hidden_act != "gelu":
            raise ValueError(f"it is a {config.model_type} model with {config.hidden_act}")
        last = f"encoder.layer.{config.num_hidden_layers - 1}.output.dense.weight"
        if self._weights[last].shape[0] != config.hidden_size:
            raise ValueError("its weights are of another size than config.json says")


def _folded(text: str) -> str:
    """Lower case without accents; a space around each Chinese character.

    >>> _folded("Élan 日本")
    'elan  日  本 '
    """
    plain = unicodedata.normalize("NFD", text.lower())
    return _CJK.sub(r" \1 ", "".join(char for char in plain if unicodedata.category(char) != "Mn"))


def _tensors(path: Path) -> Iterator[tuple[str, Floats]]:
    """The tensors of a safetensors file: the length of a header, the header as JSON, and the numbers."""
    data = read_file(path, MAX_BYTES)
    length = int.from_bytes(data[:8], "little")
    if length > min(MAX_HEADER_BYTES, len(data)):
        raise ValueError("its header is longer than the file")
    header: dict[str, Any] = json.loads(data[8 : 8 + length])
    numbers = memoryview(data)[8 + length :]
    for name, told in header.items():
        if name == "__metadata__" or (kind := TYPES.get(told["dtype"])) is None:
            continue
        first, end = told["data_offsets"]
        if (
            not 0 <= first <= end <= len(numbers)
            or prod(told["shape"]) * np.dtype(kind).itemsize != end - first
        ):
            raise ValueError(f"the tensor {name} lies outside of the file")
        found = np.frombuffer(numbers[first:end], kind).reshape(told["shape"])
        yield name.removeprefix("bert."), found.astype(np.float32, copy=False)
