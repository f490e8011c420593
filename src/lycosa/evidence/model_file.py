"""Save and load models: msgspec structs with NumPy arrays, as MessagePack with a checksum.

A model is data, never pickle, so loading one runs no code. Loading checks the checksum, the types and that numbers are
finite; each struct checks its shape in `__post_init__`. The same model always gives the same bytes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import ModelError
from lycosa.files import read_file, write_file

MAX_BYTES = 1 << 29
"""A model file larger than this is not read (ours are a few megabytes)."""

JSON_BYTES = 50_000_000
"""The same of a model that is JSON for people to read."""

Int32s = NDArray[np.int32]

Model = TypeVar("Model", bound=msgspec.Struct)
Json = TypeVar("Json")


class _Envelope(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    sha256: bytes
    model: bytes


def save_model(path: Path, model: msgspec.Struct, format_name: str) -> None:
    """Write a model whole or not at all: a crash leaves the old file."""
    body = msgspec.msgpack.encode(model, enc_hook=_array_to_bytes, order="deterministic")
    envelope = _Envelope(format_name, hashlib.sha256(body).digest(), body)
    try:
        write_file(path, msgspec.msgpack.encode(envelope))
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror}. Name another file.") from None


def load_model(path: Path, type_: type[Model], format_name: str) -> Model:
    """Read a model of that type; ModelError says what is wrong and what to do."""
    envelope = _read_envelope(path)
    if envelope.format != format_name:
        raise ModelError(
            f"{path} is a {envelope.format[:80]!r}, not a {format_name!r}. Name a model of that kind."
        )
    if hashlib.sha256(envelope.model).digest() != envelope.sha256:
        raise ModelError(f"{path} is damaged (checksum). Copy it again or train it again: lycosa train")
    try:
        return msgspec.msgpack.decode(envelope.model, type=type_, dec_hook=_bytes_to_array)
    except (ValueError, OverflowError, RecursionError) as error:
        raise ModelError(
            f"{path} is not a valid {format_name}: {error}. Train it again: lycosa train"
        ) from None


def _read_envelope(path: Path) -> _Envelope:
    try:
        content = read_file(path, MAX_BYTES)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}. Train a model: lycosa train") from None
    try:
        return msgspec.msgpack.decode(content, type=_Envelope)
    except (ValueError, RecursionError):  # msgspec's errors and wrong UTF-8 are ValueErrors
        raise ModelError(f"{path} is not a model of Lycosa. Train one: lycosa train") from None


def read_json(path: Path, type_: type[Json], max_bytes: int = JSON_BYTES) -> Json:
    """A JSON file as that type; OSError or ValueError where it cannot be, whatever a stranger put there."""
    content = read_file(path, max_bytes)
    try:
        return msgspec.json.decode(content, type=type_)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _array_to_bytes(value: Any) -> bytes:
    if not isinstance(value, np.ndarray):
        raise NotImplementedError(f"a model cannot hold a {type(value).__name__}")
    return value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes()


def _bytes_to_array(type_: Any, value: Any) -> NDArray[Any]:
    """A read-only vector; its element type is the one that the struct declares."""
    dtype = np.dtype(get_args(get_args(type_)[1])[0]).newbyteorder("<")
    if not isinstance(value, bytes) or len(value) % dtype.itemsize:
        raise ValueError(f"not a vector of {dtype}")
    array: NDArray[Any] = np.frombuffer(value, dtype).astype(dtype.newbyteorder("="), copy=False)
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("a number is not finite")
    return array
