"""Labels by people: example pages to train on, and verdicts on the pages of a collection."""

from __future__ import annotations

import hashlib
from itertools import islice
from pathlib import Path

from lycosa.collection.archive.responses import response_of
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.labels import labels_in
from lycosa.collection.writer import CollectionWriter
from lycosa.learn.topic import Labelled
from lycosa.learn.training.examples import ExamplePage, example_of
from lycosa.page.response import document_of
from lycosa.values import ASSISTED, EXAMPLE, LABELLED, Judgement, Refusal


def labelled_pages(collection: CollectionWriter, language: str) -> Labelled:
    """The labelled pages of a collection, read from its archive."""
    found: dict[bool, list[ExamplePage]] = {True: [], False: []}
    for key, label in labels_in(collection.directory).items():
        if example := _example(collection, collection.reader.page(key), language):
            found[label.relevant].append(example)
    return Labelled(tuple(found[True]), tuple(found[False]))


def unlabelled_pages(collection: CollectionWriter, language: str, limit: int) -> list[ExamplePage]:
    """Judged pages of a collection, read from its archive, as examples without a label."""
    judged = (page for page in collection.reader.pages() if page.judgement not in (None, EXAMPLE))
    examples = (_example(collection, page, language) for page in islice(judged, limit))
    return [example for example in examples if example]


def _example(collection: CollectionWriter, page: StoredPage | None, language: str) -> ExamplePage | None:
    fetched = response_of(collection, page) if page else None
    document = document_of(fetched, language=language) if fetched else None
    if page is None or document is None or isinstance(document, Refusal):
        return None
    return example_of(document, page.link.key)


def verdicts_in(directory: Path) -> dict[int, Judgement]:
    """The verdicts of labels on their own pages, by key. They hold whatever a judge says."""
    return {
        key: Judgement(label.relevant, float(label.relevant), ASSISTED if label.model else LABELLED)
        for key, label in labels_in(directory).items()
    }


def labels_digest(directory: Path) -> str:
    """A digest of the labels of a collection; '' without any."""
    labels = sorted((label.key, label.relevant) for label in labels_in(directory).values())
    return hashlib.sha256(repr(labels).encode()).hexdigest() if labels else ""
