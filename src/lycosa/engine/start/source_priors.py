"""Sources that are known already. In: an earlier collection. Out: what its pages say for and against their sources."""

from __future__ import annotations

from pathlib import Path

from lycosa.errors import InputError
from lycosa.methods import BaseStrategy


def source_priors(collection: Path, strategy: BaseStrategy) -> dict[str, tuple[float, float]]:
    """What the judged pages of an earlier collection say for and against their sources, as a strategy credits them."""
    from lycosa.collection.collection import (
        Collection,  # few specs name one, and reading them would begin later
    )

    found: dict[str, tuple[float, float]] = {}
    with Collection.open(collection) as earlier:
        for source, judgement in earlier.reader.judged_sources():
            credit = strategy.credit(judgement)
            good, bad = found.get(source, (0.0, 0.0))
            found[source] = (good + credit, bad + 1 - credit)
    if not found:
        raise InputError(
            f"{collection} knows nothing of its sources: nothing was crawled. Change source_priors in the spec."
        )
    return found
