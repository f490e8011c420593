"""Vectors of leads, and how they are stored."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from lycosa.values import Floats

STEPS = 127


class Encoder(Protocol):
    """Makes vectors of length 1 from texts: texts that mean nearly the same have a cosine near 1."""

    name: str
    """Which weights it has. Vectors of different weights say nothing of one another."""

    size: int
    """Numbers of a vector."""

    def encode(self, text: str) -> Floats:
        """The vector of a text; zeros of an empty one."""
        ...


def packed_vector(vector: Floats) -> bytes:
    """A vector of length 1, a byte a number: its cosines change by less than 0.01.

    >>> packed_vector(np.array([0.6, -0.8])).hex(), packed_vector(np.zeros(2))
    ('5f81', b'')
    """
    largest = float(np.abs(vector).max(initial=0.0))
    if not largest:
        return b""
    return bytes(np.round(vector / largest * STEPS).astype(np.int8))


def lead_vector(packed: bytes) -> Floats:
    """The vector that was packed.

    >>> [f"{number:.2f}" for number in lead_vector(packed_vector(np.array([0.6, -0.8])))]
    ['0.60', '-0.80']
    """
    steps = np.frombuffer(packed, np.int8).astype(np.float32)
    return np.asarray(steps / max(float(np.linalg.norm(steps)), 1e-9))
