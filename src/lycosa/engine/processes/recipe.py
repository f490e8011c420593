"""The recipe for worker processes: what to compute of each page, by strategy and spec."""

from __future__ import annotations

import re

from lycosa.engine.processes.analysis import Recipe
from lycosa.evidence import Evidence, Need
from lycosa.learn.topic import request_of
from lycosa.methods import BaseStrategy
from lycosa.methods.lookup import indexed_evidence
from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.places.geocoding import Regions, find_places, regions_of
from lycosa.spec.sections import Spec


def recipe_of(spec: Spec, strategy: BaseStrategy) -> Recipe:
    """The work of the workers for this strategy and spec."""
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
        encoder=next((kind.encoder for kind in evidence if kind.encoder), ""),
        folding=spec.scope.folding,
    )


def _indexed(spec: Spec, needs: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The evidence that [index] needs besides the strategy's."""
    wanted = [name for name, when in (spec.index.model_extra or {}).items() if when == "now"]
    return indexed_evidence([name for name in wanted if all(kind.name != name for kind in needs)])


def regions_of_spec(spec: Spec) -> Regions:
    """The countries and states that a crawl is about: those of its topic's words, and of `where` in a method's section."""
    topic = spec.topic
    places = [where for section in spec.methods.values() for where in getattr(section, "where", ())]
    said = [topic.description, *topic.keywords, *(f"It was in {where}." for where in places)]
    text = "\n".join(said)
    for phrase in request_of(topic).excluded:
        text = re.sub(rf"\b{re.escape(phrase)}\b", "", text)
    return regions_of(find_places(text, gazetteer()))
