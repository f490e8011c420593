"""Read the labelled pages of a collection, and the links to them, as training data for its event.

A link has the label of the page it leads to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lycosa import urls
from lycosa.collection.archive.responses import response_of
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.errors import InputError
from lycosa.methods.event.model import EventModel, Facts, load_event, page_facts
from lycosa.methods.event.section import EventSpec
from lycosa.methods.event.training.links import LabelledLink
from lycosa.methods.lookup import all_settings
from lycosa.page.response import document_of
from lycosa.spec.reading import stored_spec
from lycosa.values import Refusal, Say

LINKS_PER_PAGE = 20
"""How many links of one labelled page count, by different anchors: menus repeat them on every page."""
TOLD_EVERY = 1000


@dataclass(frozen=True, slots=True)
class EventLessons:
    """The event of a collection, and what its labelled pages and the links to them say."""

    model: EventModel
    pages: list[Facts]
    relevant: list[bool]
    links: list[LabelledLink]


def event_lessons(directory: Path, say: Say) -> EventLessons:
    """Read the event, the labelled pages (without its model pages) and the links that lead to them."""
    with Collection.open(directory) as collection:
        labels = {key: label.relevant for key, label in labels_in(directory).items()}
        if len(set(labels.values())) < 2:
            raise InputError(
                f"{directory} has no pages labelled relevant, or none labelled not relevant. "
                f"Label some of both: lycosa serve {directory}"
            )
        spec = stored_spec(collection.spec_text(), all_settings())
        event = spec.methods.get("event")
        pages_of_event = event.pages if isinstance(event, EventSpec) else ()
        model_pages = {collection.reader.key_of(url) for page in pages_of_event if (url := urls.parse(page))}
        labels = {key: relevant for key, relevant in labels.items() if key not in model_pages}
        pages, relevant, found = [], [], {}
        for key, label in labels.items():
            stored = collection.reader.page(key)
            fetched = response_of(collection, stored) if stored else None
            document = (
                document_of(fetched, language=spec.topic.language, place_finder=spec.index.place_finder)
                if fetched
                else None
            )
            if stored is not None and document is not None and not isinstance(document, Refusal):
                pages.append(page_facts(document, names=True))
                relevant.append(label)
                found[key] = stored.link.url
        model = load_event(directory / "models" / "event.json")
        return EventLessons(model, pages, relevant, _links_to(collection, found, labels, say))


def _links_to(
    collection: Collection, pages: Mapping[int, str], labels: Mapping[int, bool], say: Say
) -> list[LabelledLink]:
    """The links that lead to labelled pages, each anchor once."""
    anchors: set[tuple[int, str]] = set()
    taken = Counter[int]()
    for number, page in enumerate(collection.reader.pages(), start=1):
        for link in collection.reader.links(page.id):
            here = (link.target, link.anchor)
            if link.target in pages and here not in anchors and taken[link.target] < LINKS_PER_PAGE:
                anchors.add(here)
                taken[link.target] += 1
        if number % TOLD_EVERY == 0:
            say(f"Looked for links on {number} pages.")
    return [LabelledLink(pages[key], anchor, labels[key]) for key, anchor in sorted(anchors)]
