"""What workers compute. In: a strategy and a spec. Out: a Recipe, which goes to the worker processes."""

from __future__ import annotations

from lycosa.engine.analysis import Recipe, regions_of_spec
from lycosa.evidence import Evidence, Need
from lycosa.methods import BaseStrategy
from lycosa.methods.lookup import indexed_evidence
from lycosa.spec.sections import Spec


def recipe_of(spec: Spec, strategy: BaseStrategy) -> Recipe:
    """What workers compute for this strategy and spec."""
    evidence = (*strategy.needs, *_indexed(spec, strategy.needs))
    needed = frozenset[Need]().union(*(kind.needs for kind in evidence))
    return Recipe(
        evidence=evidence,
        language=spec.topic.language,
        expected_languages=spec.scope.languages,
        max_decoded_bytes=spec.fetch.max_decoded_bytes,
        date=bool(spec.scope.date_from or spec.scope.date_to) or Need.DATE in needed,
        places=Need.PLACES in needed,
        place_finder=spec.index.place_finder,
        about=regions_of_spec(spec) if Need.PLACES in needed else frozenset(),
        entities=Need.ENTITIES in needed,
        text=spec.index.text == "now",
        simhash=spec.index.near_duplicates == "now",
        requisites=spec.archive.requisites != "none",
        terms=Need.TERMS in needed,
    )


def _indexed(spec: Spec, needs: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """What [index] asks for beside the strategy."""
    wanted = ["genre"] if spec.index.genre == "now" else []
    return indexed_evidence([name for name in wanted if all(kind.name != name for kind in needs)])
