"""Fit the model that tells places from other names, from texts with labelled entities.

The shipped model was made from ../shared/data/places/ner-ccby.tar.xz (all CC BY).

Command line: python -m research.places.model ARCHIVE OUT
Expected time: twenty seconds.
"""

from __future__ import annotations

import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from lycosa.page.places.capitalised_names import TokenisedText, candidates
from lycosa.page.places.gazetteer import Gazetteer, gazetteer
from lycosa.page.places.place_recognition import PlaceModel, features, person_words

PROVENANCE = (
    "Logistic regression on wikigold (Balasuriya et al. 2009), the Broad Twitter Corpus (Derczynski et al. 2016) "
    "and WNUT17 (Derczynski et al. 2017), all CC BY, with the gazetteer of Lycosa."
)
_COMMON_SHARE = 0.6
_COMMON_TIMES = 3
_FEATURE_TIMES = 3
_STRENGTH = 0.3
_SMALLEST_WEIGHT = 0.02


class TextWithPlaces(NamedTuple):
    """A text and the offsets of its places."""

    text: str
    places: tuple[tuple[int, int], ...]


_NO_SPACE_BEFORE = re.compile(r"[.,;:!?)\]%]|['’]s|n['’]t|['’](?:re|ve|ll|d|m)|''|”")
_NO_SPACE_AFTER = frozenset(["(", "[", "$", "``", "“", "#", "@"])


def join_tokens(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Join tokens with the usual spacing; also return the offsets of each token.

    >>> join_tokens(["Athens", "'s", "port", "(", "Piraeus", ")", "."])[0]
    "Athens's port (Piraeus)."
    """
    parts: list[str] = []
    offsets: list[tuple[int, int]] = []
    at = 0
    glued = True
    for index, token in enumerate(tokens):
        initial = index > 1 and tokens[index - 1] == "." and len(tokens[index - 2]) == 1 and len(token) == 1
        if not glued and not _NO_SPACE_BEFORE.fullmatch(token) and not (initial and token.isupper()):
            parts.append(" ")
            at += 1
        parts.append(token)
        offsets.append((at, at + len(token)))
        at += len(token)
        glued = token in _NO_SPACE_AFTER
    return "".join(parts), offsets


def read_conll(lines: Iterable[str], lines_per_text: int) -> Iterator[TextWithPlaces]:
    """Texts of `lines_per_text` sentences each, from a file with a token and its entity label per line."""
    tokens: list[str] = []
    labels: list[str] = []
    sentences = 0
    for line in lines:
        parts = line.split()
        if len(parts) >= 2:
            tokens.append(parts[0])
            labels.append(parts[-1])
            continue
        sentences += bool(tokens)
        if tokens and sentences % lines_per_text == 0:
            yield _labelled(tokens, labels)
            tokens, labels = [], []
    if tokens:
        yield _labelled(tokens, labels)


def _labelled(tokens: list[str], labels: list[str]) -> TextWithPlaces:
    text, offsets = join_tokens(tokens)
    places: list[tuple[int, int]] = []
    before = "O"
    for label, (start, end) in zip(labels, offsets, strict=True):
        if label[2:].lower() in ("loc", "location"):
            goes_on = label.startswith("I") and before[2:] == label[2:] and places
            places[-1:] = [(places[-1][0], end)] if goes_on else [*places[-1:], (start, end)]
        before = label
    return TextWithPlaces(text, tuple(places))


def read_archive(path: Path) -> list[TextWithPlaces]:
    """The texts of ner-ccby.tar.xz."""
    texts: list[TextWithPlaces] = []
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member) if "/data/" in member.name[5:] else None
            if stream is not None:
                lines = stream.read().decode("utf-8", "replace").splitlines()
                # Wikigold is running text, the others are single tweets.
                texts.extend(read_conll(lines, 8 if "wikigold" in member.name else 1))
    return texts


def fit(texts: Sequence[TextWithPlaces], names: Gazetteer, provenance: str = PROVENANCE) -> PlaceModel:
    """Weights for `features`, by logistic regression."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    common = common_words(texts)
    rows, labels = _examples(texts, names, common)
    times = Counter(feature for row in rows for feature in row)
    kept = sorted(feature for feature, count in times.items() if count >= _FEATURE_TIMES)
    number = {feature: index for index, feature in enumerate(kept)}
    pairs = np.array(
        [(at, number[feature]) for at, row in enumerate(rows) for feature in row & number.keys()]
    )
    shape = (len(rows), len(kept))
    matrix = csr_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=shape)
    model = LogisticRegression(C=_STRENGTH, fit_intercept=False, max_iter=1000).fit(matrix, labels)
    weights = dict(zip(kept, model.coef_[0].round(3).tolist(), strict=True))
    large = {feature: weight for feature, weight in weights.items() if abs(weight) >= _SMALLEST_WEIGHT}
    return PlaceModel(large, sorted(common), provenance)


def _examples(
    texts: Sequence[TextWithPlaces], names: Gazetteer, common: frozenset[str]
) -> tuple[list[set[str]], list[bool]]:
    """Features of every candidate, and whether most of it is a labelled place."""
    rows: list[set[str]] = []
    labels: list[bool] = []
    for labelled in texts:
        text = TokenisedText(labelled.text, common, person_words())
        for candidate in list(candidates(text, names)):
            start, end = text.tokens[candidate.first].start, text.tokens[candidate.last - 1].end
            rows.append(set(features(text, candidate, names)))
            labels.append(any(min(end, e) - max(start, s) > (end - start) / 2 for s, e in labelled.places))
    return rows, labels


def common_words(texts: Sequence[TextWithPlaces]) -> frozenset[str]:
    """Words that are more often in lower case."""
    small: Counter[str] = Counter()
    all_: Counter[str] = Counter()
    for labelled in texts:
        for word in re.findall(r"[^\W\d_]+", labelled.text):
            all_[word.lower()] += 1
            small[word] += word.islower()
    return frozenset(
        word for word, times in small.items() if times >= _COMMON_TIMES and times / all_[word] > _COMMON_SHARE
    )


def main(archive: str, out: str) -> None:
    """Fit the shipped model."""
    model = fit(read_archive(Path(archive)), gazetteer())
    Path(out).write_bytes(msgspec.msgpack.encode(model))


if __name__ == "__main__":
    main(*sys.argv[1:3])
