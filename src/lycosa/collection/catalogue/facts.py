"""Convert evidence and terms to columns of the catalogue, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import zstandard

from lycosa.files import unpack_zstd
from lycosa.values import Category, Count, Data, Fact, LinkClasses, LinkPartners, NotSaid, Page, Score, Terms

FACT = "kind, value, label, words, data"
LINK_FACTS = "kind, numbers, classes"

StoredLinkFacts = tuple[float, ...] | LinkClasses | LinkPartners

_DOUBLES = "<f8"  # little-endian, whatever the machine
_to_json = msgspec.json.Encoder().encode
_content = msgspec.json.Decoder(dict).decode
_classes = msgspec.json.Decoder(tuple[str, ...]).decode


def fact_columns(fact: Fact) -> tuple[str, float | None, str, int, str | None]:
    """Return the columns `FACT` of a fact."""
    match fact:
        case Score(value, label, words):
            return "score", value, label, words, None
        case Category(label, value):
            return "category", value, label, 0, None
        case Count(value):
            return "count", value, "", 0, None
        case NotSaid():
            return "not said", None, "", 0, None
        case Data(content):
            return "data", None, "", 0, _to_json(content).decode()


def stored_fact(kind: str, value: float | None, label: str, words: int, data: str | None) -> Fact:
    """Return the fact of these columns."""
    match kind:
        case "category":
            return Category(label, number_or_nan(value))
        case "count":
            return Count(int(value or 0))
        case "not said":
            return NotSaid()
        case "data":
            return Data(_content(data or "{}"))
    return Score(number_or_nan(value), label, words)


def number_or_nan(value: float | None) -> float:
    """Return a number; SQLite stores 'not a number' as NULL."""
    return float("nan") if value is None else value


def link_columns(page: Page) -> Iterator[tuple[str, tuple[str, bytes, str | None]]]:
    """Return the name and the columns `LINK_FACTS` of all evidence on a page's links."""
    for name, scores in page.link_evidence.items():
        yield name, ("scores", _packed(scores), None)
    for name, classes in page.link_classes.items():
        yield name, ("classes", _packed(list(classes.numbers)), _to_json(classes.names).decode())
    for name, partners in page.link_partners.items():
        yield name, ("partners", _packed(partners.positions), None)


def stored_link_facts(kind: str, numbers: bytes, classes: str | None) -> StoredLinkFacts:
    """Return the evidence on a page's links from these columns."""
    told = _unpacked(numbers)
    match kind:
        case "classes":
            return LinkClasses(_classes(classes or "[]"), bytes(map(int, told)))
        case "partners":
            return LinkPartners(tuple(map(int, told)))
    return tuple(told)


def _packed(values: Sequence[float]) -> bytes:
    return np.asarray(values, _DOUBLES).tobytes()


def _unpacked(numbers: bytes) -> list[float]:
    unpacked: list[float] = np.frombuffer(numbers, _DOUBLES).tolist()
    return unpacked


MAX_TERMS = 2000
"""Distinct terms kept of a page, the most frequent. Rarer ones say little about its topic."""
MAX_BYTES = 100_000_000
"""Maximum size of a page's terms when unpacked: a stranger may have made the catalogue."""


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    lines: str
    counts: bytes
    meaning: bytes = b""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Stored).decode
_pack = zstandard.ZstdCompressor(level=1).compress


def packed_terms(terms: Terms) -> bytes:
    """Pack terms for the catalogue.

    >>> unpacked_terms(packed_terms(Terms("owl\\nnight", np.array([3, 1], np.int32).tobytes()))).counted()
    {'owl': 3, 'night': 1}
    """
    return _pack(_encode(_Stored(terms.lines, terms.counts, terms.meaning)))


def kept_terms(terms: Terms) -> Terms:
    """Return the MAX_TERMS most frequent terms; of equally frequent ones, the first.

    >>> many = Terms("\\n".join(f"w{n}" for n in range(3000)), np.arange(3000, dtype=np.int32).tobytes())
    >>> kept_terms(many).lines[:11], len(kept_terms(many))
    ('w2999\\nw2998', 2000)
    """
    if len(terms) <= MAX_TERMS:
        return terms
    counts, lines = np.frombuffer(terms.counts, np.int32), terms.lines.split("\n")
    kept = np.argsort(-counts, kind="stable")[:MAX_TERMS]
    return Terms(
        "\n".join(map(lines.__getitem__, kept.tolist())), counts[kept].tobytes(), meaning=terms.meaning
    )


def unpacked_terms(packed: bytes) -> Terms:
    """Unpack terms and their counts, without hashes."""
    found = _decode(unpack_zstd(packed, MAX_BYTES))
    return Terms(found.lines, found.counts, meaning=found.meaning)
