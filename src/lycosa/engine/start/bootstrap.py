"""Learning from pages of the web where no negatives are given: a share of the crawl is first spent on them, best-first.

In: a spec whose judge or strategy wants a classifier that what is known of the language (`of_language`) cannot stand
for. Out: the spec of the first pages, and those pages as examples of which nothing is known.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from lycosa.collection.archive.responses import response_of
from lycosa.collection.labels import labels_in
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.start import wanted_models
from lycosa.engine.start.of_language import can_do_without_pages
from lycosa.learn.training.example import ExamplePage, example_of
from lycosa.learn.training.fitting import model_path
from lycosa.page.document import Document
from lycosa.page.response import document_of
from lycosa.spec.sections import JudgeSpec, Spec
from lycosa.values import EXAMPLE

FIRST = "best-first"
FIRST_SHARE = 0.2
"""Of the crawl's pages, at most this share is spent on pages to learn from."""


def first_pages(spec: Spec, directory: Path) -> Spec | None:
    """The spec of a first crawl, if a classifier is to be trained and only pages of the web can teach it."""
    wants = wanted_models([spec.strategy], spec.judge)
    missing = [name for name in wants if not model_path(directory / "models", name).exists()]
    has_negatives = spec.topic.negatives or any(not label.relevant for label in labels_in(directory).values())
    if not missing or spec.topic.model or has_negatives or not spec.topic.examples:
        return None
    if spec.judge.kind != "text" and can_do_without_pages(missing, spec.topic.language):
        return None
    pages = spec.topic.bootstrap_pages
    if spec.limits.pages:
        pages = max(1, min(pages, int(spec.limits.pages * FIRST_SHARE)))
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
