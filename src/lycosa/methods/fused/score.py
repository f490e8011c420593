"""Score records, and explain scores.

    score = 1 · parents + 2 · context + 2 · anchor + 1 · url + 1.5 · siblings + 1 · extra

0 in a part means "nothing known" or "as the crawl overall"; more is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lycosa.methods.fused.outcomes import Outcomes, log_lift
from lycosa.methods.fused.record import (
    NEIGHBOURS,
    PARENTS,
    PARTS,
    Known,
    Records,
    add,
    keys_beside,
    read_records,
    rows_of,
    tags_of,
)
from lycosa.values import Floats

PRIOR = 2.0
"""This many made-up parents, or siblings, at the mean of the crawl are added to the real ones."""
WORD_PRIOR = 1.0
MISS_PRIOR = 2.0
"""As many, of URLs that did or did not lead to a page."""


class Weights(NamedTuple):
    """How much each part counts. The defaults are ours, for any topic: the optimum is flat."""

    parents: float = 1.0
    context: float = 2.0
    anchor: float = 2.0
    url: float = 1.0
    siblings: float = 1.5
    extra: float = 1.0


def features(records: Records, outcomes: Outcomes, known: Known) -> Floats:
    """One row a record, one column a part (`PARTS`), not yet weighted."""
    # A page is ranked in few calls of numpy: of its own time each takes more than of the records'.
    base, links = outcomes.base, records["links"]
    before = known.sums[records["known"]]  # what the training pages say
    leading_to, is_known = outcomes.leading_to(records["parents"])
    relevance, seen = outcomes.of(tags_of(keys_beside(records)))
    near, far = _SLICES
    all_links = links + before[:, 0]
    forgotten = add(records["parents"] > 0, 1) - add(is_known, 1)  # such a page counts as the mean
    total = add(leading_to, 1) + forgotten * base + before[:, 1]
    total += records["beyond"] * (links > PARENTS)
    good = add(relevance[:, near], 1) + add(relevance[:, far], 1) / 2
    texts = np.maximum(all_links, 1.0)
    parts = np.empty((len(records), len(PARTS)))
    parts[:, 0] = log_lift(total, all_links, base, PRIOR)
    parts[:, 1] = (records["context"] * links + before[:, 3]) / texts
    parts[:, 2] = (records["anchor"] * links + before[:, 2]) / texts
    parts[:, 3] = _words(records["words"], outcomes, base)
    parts[:, 4] = log_lift(good, add(seen[:, near], 1) + add(seen[:, far], 1) / 2, base, PRIOR)
    parts[:, 5] = add(records["extra"], 1, np.float64)
    return parts


_SLICES = (slice(NEIGHBOURS), slice(NEIGHBOURS, 2 * NEIGHBOURS))


def _words(buckets: np.ndarray, outcomes: Outcomes, base: float) -> Floats:
    """What URLs with the same words led to: sum of their log lifts / √words. A new word's lift is 0.

    A word whose URLs led to no page more often than others' counts less by that much.
    """
    seen = outcomes.seen[buckets]
    lifts = log_lift(outcomes.good[buckets], seen, base, WORD_PRIOR)
    if outcomes.misses:
        lifts += np.minimum(0.0, log_lift(seen, seen + outcomes.missed[buckets], outcomes.live, MISS_PRIOR))
    mean: Floats = add(lifts, 1) / np.sqrt(np.maximum(add(buckets > 0, 1), 1))
    return mean


def score(
    stored: Sequence[bytes],
    outcomes: Outcomes,
    known: Known,
    weights: Weights,
    version: int = 0,
) -> tuple[Floats, list[bytes]]:
    """The scores of records, and the records with the parts that add up to them.

    `version` is that of the judge. The parts are rounded before they are added, so that what a record says of its score
    is exact.
    """
    records = read_records(stored)
    records["parts"] = features(records, outcomes, known) * np.array(weights)
    records["version"] = version % (1 << 16)
    return records["parts"].astype(np.float64).sum(1), rows_of(records)


IN_WORDS: Mapping[str, str] = {
    "parents": "how relevant the pages that link to it are and what they have led to, against the crawl",
    "context": "the text around the links to it",
    "anchor": "the words of the links to it",
    "url": "what URLs with the same words led to",
    "siblings": "what its neighbours in lists of links turned out to be",
    "extra": "what the method's own evidence says of the links to it",
}
assert tuple(IN_WORDS) == PARTS == Weights._fields


def reasons(
    parts: Mapping[str, float], extras: Sequence[float] = (), version: int = 0, told: Sequence[str] = ()
) -> list[tuple[str, float]]:
    """The parts of a score in words, the largest first; they add up to it.

    `told` are kinds of evidence of methods in words, and `extras` what each of them says: the part `extra` is shared
    out. `version` is that of the judge when the score was made.

    >>> reasons({"anchor": 0.5, "context": 0.0, "url": -1.25})
    [('what URLs with the same words led to', -1.25), ('the words of the links to it', 0.5)]
    >>> reasons({"anchor": 1.5, "extra": 0.75}, [0.25, 0.5, 0.0, 0.0], 0, ["where", "when"])
    [('the words of the links to it', 1.5), ('when', 0.5), ('where', 0.25)]
    >>> reasons({"parents": 1.5}, (), 7)
    [('how relevant the pages that link to it are and what they have led to, against the crawl, by judge version 7', 1.5)]
    """
    found = {IN_WORDS[name]: value for name, value in parts.items() if name != "extra" or not told}
    if version:
        found[f"{IN_WORDS['parents']}, by judge version {version}"] = found.pop(IN_WORDS["parents"])
    room, total = len(extras), sum(extras)
    if told and total:
        named = [*told[: room - 1], ", ".join(told[room - 1 :])][: len(told)]
        found |= {words: parts["extra"] * extra / total for words, extra in zip(named, extras, strict=False)}
    return sorted(((words, value) for words, value in found.items() if value), key=lambda one: -abs(one[1]))
