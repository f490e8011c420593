"""Labels as lessons: pages that people marked teach the topic anew. In: a collection. Out: example pages.

When labels have changed, what was prepared from the old ones is stale: the topic is prepared again, and
`rejudge` scores pages and waiting links by it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from lycosa.collection.archive.responses import response_of
from lycosa.collection.labels import labels_in
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.start.topic import Labelled
from lycosa.learn.training.example import ExamplePage, example_of
from lycosa.page.response import document_of
from lycosa.values import LABELLED, Judgement, Refusal


def labelled_pages(collection: CollectionWriter, language: str) -> Labelled:
    """The labelled pages of a collection, read from its archive."""
    found: dict[bool, list[ExamplePage]] = {True: [], False: []}
    for key, label in labels_in(collection.directory).items():
        stored = collection.reader.page(key)
        fetched = response_of(collection, stored) if stored else None
        document = document_of(fetched, language=language) if fetched else None
        if document is not None and not isinstance(document, Refusal):
            found[label.relevant].append(example_of(document, key))
    return Labelled(tuple(found[True]), tuple(found[False]))


def verdicts_in(directory: Path) -> dict[int, Judgement]:
    """What labels say of their own pages, by key: it holds whatever any judge would say."""
    return {
        key: Judgement(label.relevant, float(label.relevant), LABELLED)
        for key, label in labels_in(directory).items()
    }


def labels_as_used(directory: Path) -> dict[str, str]:
    """What tells these labels from others, for remembering what pages were judged by; empty without any."""
    labels = sorted((label.key, label.relevant) for label in labels_in(directory).values())
    return {"labels": hashlib.sha256(repr(labels).encode()).hexdigest()} if labels else {}
