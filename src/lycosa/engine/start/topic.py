"""The topic: from what the user said of it to a vector and example pages.

Example URLs are fetched through the same polite fetcher and archived. What was prepared is saved in
the collection's models/ folder; a resumed crawl reuses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lycosa import urls
from lycosa.errors import ModelError, SpecError
from lycosa.evidence.model_file import read_json
from lycosa.evidence.topic import away_from, topic_vector
from lycosa.files import write_file
from lycosa.learn.training.example import ExamplePage, example_of
from lycosa.learn.training.pages import document_in
from lycosa.page.text.terms import count_terms, terms_of
from lycosa.spec.sections import TopicSpec
from lycosa.values import Refusal, Say

if TYPE_CHECKING:
    from lycosa.methods.seam import GetDocument


DESCRIPTION_WEIGHT = 0.3
"""Of a word of the description, that of a keyword being 1: a sentence has words that are not about the topic."""


class Labelled(msgspec.Struct, frozen=True):
    """Pages that people marked, as examples."""

    examples: tuple[ExamplePage, ...] = ()
    negatives: tuple[ExamplePage, ...] = ()


class TopicModel(msgspec.Struct, frozen=True):
    """The topic as prepared: saved as models/topic.json, where it can be read and edited."""

    language: str
    vector: dict[str, float]
    examples: tuple[ExamplePage, ...] = ()
    negatives: tuple[ExamplePage, ...] = ()
    unread: tuple[str, ...] = ()
    """Examples that could not be read; the next run tries them again."""
    keywords: dict[str, float] = {}
    """Terms of the keywords, and with less weight those of the description: what the judge compares pages with."""


async def prepared_topic(
    spec: TopicSpec,
    folder: Path,
    models: Path | None,
    get: GetDocument,
    say: Say,
    labelled: Callable[[], Labelled] = Labelled,
) -> TopicModel:
    """The saved topic of this collection, or one made of keywords, description, examples and labels."""
    saved = models / "topic.json" if models else None
    found: dict[str, ExamplePage | None] = {}
    if saved and saved.exists():
        model = load_topic(saved)
        if not model.keywords:  # saved before judges asked for them
            model = msgspec.structs.replace(model, keywords=keywords_of(spec))
        for where in model.unread:
            found[where] = await _example(where, folder, get, spec.language, say)
        if not any(found.values()):
            return model
        for path in saved.parent.glob("*.model"):  # fitted without them
            path.unlink()
    for where in (*spec.examples, *spec.negatives):
        if where not in found:
            found[where] = await _example(where, folder, get, spec.language, say)
    marked = labelled()
    said = {page.key for page in (*marked.examples, *marked.negatives)}  # the newer word on an example
    model = make_topic(
        spec,
        [
            *(page for where in spec.examples if (page := found[where]) and page.key not in said),
            *marked.examples,
        ],
        [
            *(page for where in spec.negatives if (page := found[where]) and page.key not in said),
            *marked.negatives,
        ],
    )
    model = msgspec.structs.replace(model, unread=tuple(where for where, page in found.items() if not page))
    if saved:
        saved.parent.mkdir(exist_ok=True)
        write_file(saved, msgspec.json.format(msgspec.json.encode(model)))
    return model


def make_topic(
    spec: TopicSpec, examples: Sequence[ExamplePage], negatives: Sequence[ExamplePage]
) -> TopicModel:
    """The topic vector: frequent terms of the examples and the description, and every keyword.

    A keyword counts as often as the most frequent term of the examples, or once without any. Negatives turn
    it away from what they say and the examples do not.
    """
    texts = [page.terms for page in examples]
    if spec.description:
        texts.append(count_terms(spec.description, spec.language))
    vector = topic_vector(texts, spec.terms)
    total = sum((Counter(text) for text in texts), Counter[str]())
    often = max(total.values(), default=1)
    keywords = topic_vector(
        [{term: often} for term in terms_of(" ".join(spec.keywords), spec.language)], 10_000
    )
    vector.update(keywords)
    if negatives:
        vector = away_from(
            vector, [page.terms for page in negatives], [page.terms for page in examples], spec.terms
        )
    if not vector:
        no_words = "its keywords are words that every text has, signs, or too long for a word"
        raise SpecError(
            f"The topic is empty{f': {no_words}' if spec.keywords else ''}. Give [topic] keywords{' that tell more' if spec.keywords else ''}, "
            'a description or examples, or set judge.kind = "all" to keep every page.'
        )
    return TopicModel(spec.language, vector, tuple(examples), tuple(negatives), keywords=keywords_of(spec))


def keywords_of(spec: TopicSpec) -> dict[str, float]:
    """The terms of the keywords with weight 1, those that only the description has with less.

    >>> keywords_of(TopicSpec(keywords=("barn owls",), description="Owls at night"))
    {'owl': 1.0, 'night': 0.3, 'barn': 1.0}
    """
    described = dict.fromkeys(terms_of(spec.description, spec.language), DESCRIPTION_WEIGHT)
    return described | dict.fromkeys(terms_of(" ".join(spec.keywords), spec.language), 1.0)


def load_topic(path: Path) -> TopicModel:
    """A saved topic."""
    try:
        return read_json(path, TopicModel)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{path} cannot be read ({error}). Delete it and the topic is prepared anew."
        ) from None


def has_topic(spec: TopicSpec) -> bool:
    """Whether the spec says what the crawl is about."""
    return bool(spec.keywords or spec.description or spec.examples)


async def _example(where: str, folder: Path, get: GetDocument, language: str, say: Say) -> ExamplePage | None:
    """An example page; None (and a word about it) if it cannot be read."""
    if (url := urls.parse(where)) is not None:
        document = await get(url)
        if isinstance(document, Refusal):
            say(f"The example {where} could not be used: {document}. The next run tries it again.")
            return None
        return example_of(document, document.key)  # where it was found in the end
    return example_of(document_in(folder / where, language), urls.hash_of(where))
