"""Learning without negatives: some pages are first crawled best-first, as the unlabelled ones.

In: a spec whose strategy or judge wants a classifier. Out: the spec of the first pages, and those pages
as examples of which nothing is known.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from lycosa.evidence.training.example import ExamplePage, example_of
from lycosa.evidence.training.fitting import model_path
from lycosa.page.document import Document
from lycosa.page.response import document_of
from lycosa.prepare import wanted_models
from lycosa.spec.sections import JudgeSpec, Spec
from lycosa.store.collection_writer import CollectionWriter
from lycosa.store.labels import labels_in
from lycosa.store.responses import response_of
from lycosa.values import EXAMPLE

FIRST = "best-first"


def first_pages(spec: Spec, directory: Path) -> Spec | None:
    """The spec of a first crawl, if a classifier is to be trained and there are no negatives for it."""
    wants = wanted_models([spec.strategy], spec.judge)
    missing = [name for name in wants if not model_path(directory / "models", name).exists()]
    has_negatives = spec.topic.negatives or any(not label.relevant for label in labels_in(directory).values())
    if not missing or spec.topic.model or has_negatives or not spec.topic.examples:
        return None
    pages = min(spec.topic.bootstrap_pages, spec.limits.pages or spec.topic.bootstrap_pages)
    judge = JudgeSpec() if spec.judge.kind == "text" else spec.judge
    limits = spec.limits.model_copy(update={"pages": pages})
    return spec.model_copy(update={"strategy": FIRST, "options": {}, "judge": judge, "limits": limits})


def unlabelled_pages(collection: CollectionWriter, language: str, limit: int) -> list[ExamplePage]:
    """Pages of a collection, read from its archive, as examples of which nothing is known."""
    judged = (page for page in collection.reader.pages() if page.judgement not in (None, EXAMPLE))
    found = []
    for page in islice(judged, limit):
        fetched = response_of(collection, page)
        document = document_of(fetched, language=language) if fetched else None
        if isinstance(document, Document):
            found.append(example_of(document, page.link.key))
    return found
