"""Measure recall, precision and position of the places found in real news (../shared/data/places).

Recall is of ECB+'s LOC_GEO mentions, which are incomplete. Precision and position need `tests/page/places_gold.csv`, in
which all places of 100 documents are labelled by hand.

Command line: python -m research.places.measure
Expected time: six seconds.
"""

from __future__ import annotations

import csv
import gzip
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.places.geocoding import Place, find_places
from lycosa.page.places.place_recognition import NamedPlaces, PlaceFinder, PlaceMention
from research.places.model import join_tokens

SHARED_ECB = Path("../shared/data/places/ecbplus.jsonl.gz")
GOLD = Path("tests/page/places_gold.csv")
_MENTION_WORDS = frozenset("In On At Near The Of Up Many Electoral Parts A An".split())


class Recall(NamedTuple):
    """LOC_GEO mentions: found and all; the same for those with a name ("the scene" has none)."""

    found: int
    all: int
    found_named: int
    named: int
    sentences_per_second: float


class Precision(NamedTuple):
    """Of one half of the labelled documents: finds that are places, place names in other names, nothing.

    `places` are the labelled ones and `found_places` those found.
    """

    right: int
    other: int
    wrong: int
    found_places: int
    places: int

    @property
    def strict(self) -> float:
        """Precision if only places count as right."""
        return self.right / max(1, self.right + self.other + self.wrong)

    @property
    def lenient(self) -> float:
        """Precision if place names inside teams, newspapers and offices count too."""
        return (self.right + self.other) / max(1, self.right + self.other + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the labelled places that was found."""
        return self.found_places / max(1, self.places)


class Positions(NamedTuple):
    """Labelled places of one half that lie in one country: put there, elsewhere, or nowhere.

    `states` are those of a US state that were put in the right country, and `right_states` those in the right state.
    """

    right: int
    wrong: int
    nowhere: int
    right_states: int
    states: int

    @property
    def precision(self) -> float:
        """Share of the places on the map that lie in the right country."""
        return self.right / max(1, self.right + self.wrong)


class Laid(NamedTuple):
    """A document as text, a sentence a line; `offsets` of its tokens, None in URLs."""

    text: str
    offsets: list[tuple[int, int] | None]


def lay_out(document: dict[str, Any]) -> Laid:
    """The text of a document of ECB+, without the sentences that are URLs."""
    sentences: dict[int, list[int]] = {}
    for index, sentence in enumerate(document["sent"]):
        sentences.setdefault(sentence, []).append(index)
    text = ""
    offsets: list[tuple[int, int] | None] = [None] * len(document["tokens"])
    for indexes in sentences.values():
        tokens = [document["tokens"][index] for index in indexes]
        if tokens[0] in ("http", "https"):
            continue
        line, spans = join_tokens(tokens)
        for index, (start, end) in zip(indexes, spans, strict=True):
            offsets[index] = (start + len(text), end + len(text))
        text += line + "\n"
    return Laid(text, offsets)


def read_documents(path: Path = SHARED_ECB) -> dict[str, dict[str, Any]]:
    """The documents of ecbplus.jsonl.gz by their id."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {document["doc"]: document for document in map(json.loads, lines)}


def measure_recall(documents: Iterable[dict[str, Any]], finder: PlaceFinder | None = None) -> Recall:
    """Share of the LOC_GEO mentions that a found place overlaps, and speed, over all documents."""
    finder = finder or NamedPlaces(gazetteer())
    found = everything = found_named = named = sentences = 0
    spent = 0.0
    for document in documents:
        laid = lay_out(document)
        started = time.process_time()
        mentions = finder.find(laid.text)
        spent += time.process_time() - started
        sentences += laid.text.count("\n")
        for gold in document["mentions"]:
            if gold["type"] != "LOC_GEO":
                continue
            hit = _is_found(_span(laid, gold["start"], gold["end"]), mentions)
            has_name = any(map(_is_name, document["tokens"][gold["start"] : gold["end"]]))
            everything += 1
            found += hit
            named += has_name
            found_named += hit and has_name
    return Recall(found, everything, found_named, named, sentences / max(spent, 1e-9))


def measure_precision(
    documents: dict[str, dict[str, Any]], gold: Path = GOLD, finder: PlaceFinder | None = None
) -> dict[str, Precision]:
    """Precision and recall on the labelled documents, by half (`dev`, `test`)."""
    finder = finder or NamedPlaces(gazetteer())
    totals: dict[str, list[int]] = {}
    for (half, name), labels in _labels(gold).items():
        spans = [(label.start, label.end, label.kind) for label in labels]
        laid = lay_out(documents[name])
        mentions = finder.find(laid.text)
        total = totals.setdefault(half, [0] * 5)
        places = [_span(laid, start, end) for start, end, kind in spans if kind == "place"]
        others = [_span(laid, start, end) for start, end, kind in spans if kind == "other"]
        for mention in mentions:
            one = [mention]
            is_place = any(_is_found(span, one) for span in places)
            is_other = any(_is_found(span, one) for span in others)
            total[0 if is_place else 1 if is_other else 2] += 1
        total[3] += sum(_is_found(span, mentions) for span in places)
        total[4] += len(places)
    return {half: Precision(*total) for half, total in totals.items()}


def measure_positions(documents: dict[str, dict[str, Any]], gold: Path = GOLD) -> dict[str, Positions]:
    """Number of labelled places put into the right country, by half (`dev`, `test`)."""
    totals: dict[str, list[int]] = {}
    for (half, name), labels in _labels(gold).items():
        laid = lay_out(documents[name])
        places = [place for place in find_places(laid.text, gazetteer()) if place.country]
        total = totals.setdefault(half, [0] * 5)
        for label in labels:
            span = _span(laid, label.start, label.end)
            if not label.where or span is None:
                continue
            country, _, state = label.where.partition("-")
            # For several mentions in one name ("Aoraki Mount Cook"), use the longest.
            found = max((place for place in places if _overlap(place, span)), key=lambda p: _overlap(p, span), default=None)  # fmt: skip
            is_right = found is not None and found.country == country
            total[2 if found is None else 0 if is_right else 1] += 1
            if found is not None and is_right and state:
                total[3] += found.state == state
                total[4] += 1
    return {half: Positions(*total) for half, total in totals.items()}


class _Label(NamedTuple):
    start: int
    end: int
    kind: str
    where: str


def _labels(gold: Path) -> dict[tuple[str, str], list[_Label]]:
    """The labels of each document, by (half, document)."""
    labels: dict[tuple[str, str], list[_Label]] = {}
    lines = [line for line in gold.read_text("utf-8").splitlines() if not line.startswith("#")]
    for row in csv.DictReader(lines):
        found = labels.setdefault((row["half"], row["document"]), [])
        if row["kind"] != "none":
            found.append(_Label(int(row["token_start"]), int(row["token_end"]), row["kind"], row["where"]))
    return labels


def _overlap(place: Place, span: tuple[int, int]) -> int:
    """The characters of a span that the place's mentions cover."""
    return max(0, *(min(end, span[1]) - max(start, span[0]) for start, end in place.mentions))


def _span(laid: Laid, first: int, last: int) -> tuple[int, int] | None:
    start, end = laid.offsets[first], laid.offsets[last - 1]
    return (start[0], end[1]) if start and end else None


def _is_found(span: tuple[int, int] | None, mentions: Iterable[PlaceMention]) -> bool:
    return span is not None and any(m.start < span[1] and span[0] < m.end for m in mentions)


def _is_name(token: str) -> bool:
    word = token.lstrip("\"'“‘")
    return word[:1].isupper() and word not in _MENTION_WORDS


if __name__ == "__main__":
    ecb = read_documents()
    print(measure_recall(ecb.values()))
    for half, precision in measure_precision(ecb).items():
        print(half, precision, precision.strict, precision.lenient, precision.recall)
    for half, positions in measure_positions(ecb).items():
        print(half, positions, positions.precision)
