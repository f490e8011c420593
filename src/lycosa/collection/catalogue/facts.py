"""Convert evidence to columns of the catalogue, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from lycosa.values import Category, Count, Data, Fact, LinkClasses, LinkPartners, NotSaid, Page, Score

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
