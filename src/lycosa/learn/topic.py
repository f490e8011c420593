"""The topic of a crawl: from keywords, description, examples and labels to a vector, example pages and a text model.

It is saved in the collection's models/ folder, where people can read and edit it; a resumed crawl uses it again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from lycosa import urls
from lycosa.errors import ModelError, SpecError
from lycosa.evidence.model_file import read_json
from lycosa.evidence.text_classifiers import Linear, Sigmoid
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import away_from, topic_vector
from lycosa.files import write_file
from lycosa.learn.training.examples import ExamplePage, document_in, example_of
from lycosa.learn.words.background import Background, background_of
from lycosa.learn.words.request import Request, read_request, read_topic
from lycosa.learn.words.similarity import term_profile, unit, unit_weights
from lycosa.page.document import Document
from lycosa.page.text.terms import count_terms
from lycosa.spec.sections import TopicSpec
from lycosa.values import Floats, Refusal, Say

GetDocument = Callable[[str], Awaitable[Document | Refusal]]
"""Fetches a page that the user named, and archives it."""

_PAGE_FILE = re.compile(r".+\.(?:x?html?|txt|md|pdf|docx?|odt)", re.IGNORECASE)
DESCRIPTION_WEIGHT = 0.3
"""Weight of a word of the description; a keyword has 1. Sentences have words that are not about the topic."""

OF_WORDS = frozenset(("text", "sublinear"))
"""The classifiers that `model_of_language` can replace."""
STEEPNESS = 8.0
"""Scale of the sigmoid; cosines of short texts lie between 0 and about 0.5. It does not change the order of scores."""


class Labelled(msgspec.Struct, frozen=True):
    """Pages that people labelled."""

    examples: tuple[ExamplePage, ...] = ()
    negatives: tuple[ExamplePage, ...] = ()


class TopicModel(msgspec.Struct, frozen=True):
    """The prepared topic, as saved in models/topic.json."""

    language: str
    vector: dict[str, float]
    examples: tuple[ExamplePage, ...] = ()
    negatives: tuple[ExamplePage, ...] = ()
    unread: tuple[str, ...] = ()
    """Examples that could not be read; the next run tries them again."""
    asked: tuple[str, ...] = ()
    """The description, and all keywords in one line: for an encoder."""
    each: tuple[str, ...] = ()
    """Each keyword."""
    keywords: dict[str, float] = {}
    """Terms of the keywords, and with less weight those of the description."""
    is_sentence: bool = False
    """Whether the keywords are the words of a description."""
    excluded: dict[str, float] = {}
    """Terms that the topic is not about."""


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
        for where in model.unread:
            found[where] = await _example(where, folder, get, spec.language, say)
        if not any(found.values()):
            return model
        for path in saved.parent.glob("*.model"):  # fitted without these examples
            path.unlink()
    _say_request(spec, say)
    not_relevant = (*spec.negatives, *excluded_pages(spec))
    for where in (*spec.examples, *not_relevant):
        if where not in found:
            found[where] = await _example(where, folder, get, spec.language, say)
    marked = labelled()
    said = {page.key for page in (*marked.examples, *marked.negatives)}  # a label wins over the spec
    examples, negatives = (
        [page for where in named if (page := found[where]) and page.key not in said]
        for named in (spec.examples, not_relevant)
    )
    model = make_topic(spec, [*examples, *marked.examples], [*negatives, *marked.negatives])
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
    it away from what they say and the examples do not. An excluded term weighs as much as a keyword, against.
    """
    request = request_of(spec)
    texts = [page.terms for page in examples]
    if spec.description:
        described = {*read_request(spec.description, spec.language).terms}
        counts = count_terms(spec.description, spec.language)
        texts.append({term: count for term, count in counts.items() if term in described})
    vector = topic_vector(texts, spec.terms)
    total = sum((Counter(text) for text in texts), Counter[str]())
    often = max(total.values(), default=1)
    keywords = keywords_of(spec)
    asked = [{term: often} for term, weight in keywords.items() if weight == 1.0]
    vector.update(topic_vector(asked, 10_000))
    if negatives:
        vector = away_from(
            vector, [page.terms for page in negatives], [page.terms for page in examples], spec.terms
        )
    excluded = dict.fromkeys(request.excluded_terms, 1.0)
    vector.update(dict.fromkeys(excluded, -math.log1p(often)))
    if not any(weight > 0.0 for weight in vector.values()):
        why = (
            ": its keywords are words that every text has, signs, or too long for a word"
            if spec.keywords
            else ""
        )
        if spec.description:
            why = f': nothing in "{spec.description}" says what the pages are about'
        raise SpecError(
            f"The topic is empty{why}. Give [topic] keywords{' that tell more' if spec.keywords else ''}, "
            'a description or examples, or set judge.kind = "all" to keep every page.'
        )
    about = ", ".join(request.about)
    return TopicModel(
        spec.language,
        vector,
        tuple(examples),
        tuple(negatives),
        asked=(about,) if about else (),
        each=tuple(request.about),
        is_sentence=not spec.keywords,
        keywords=keywords,
        excluded=excluded,
    )


def request_of(spec: TopicSpec) -> Request:
    """How the words of the spec are read."""
    pages = excluded_pages(spec)
    words = [where for where in spec.exclude if where not in pages]
    return read_topic(spec.description, spec.keywords, words, spec.language)


def excluded_pages(spec: TopicSpec) -> list[str]:
    """The pages in `topic.exclude`; the others are words.

    >>> excluded_pages(TopicSpec(exclude=("football", "http://a.org/b", "pages/c.html", "Node.js")))
    ['http://a.org/b', 'pages/c.html']
    """
    return [where for where in spec.exclude if urls.parse(where) or _PAGE_FILE.fullmatch(where)]


def vague_in_words(text: str) -> str:
    """What a user is told of a sentence without a subject.

    >>> vague_in_words("interesting pages")
    'Nothing in "interesting pages" says what the pages are about: add keywords or an example.'
    """
    return f'Nothing in "{text}" says what the pages are about: add keywords or an example.'


def _say_request(spec: TopicSpec, say: Say) -> None:
    """Say how sentences were read; keywords alone need no reading."""
    request = request_of(spec)
    if request.about != spec.keywords or request.excluded:
        say(f"The topic is read as {request}.")
    for text in request.vague:
        say(vague_in_words(text))
    for phrase in request.both:
        say(f'"{phrase}" is excluded, but the topic has the same words: they count as wanted.')


def keywords_of(spec: TopicSpec) -> dict[str, float]:
    """The terms of the keywords with weight 1, those that only the description has with less.

    >>> keywords_of(TopicSpec(keywords=("barn owls",), description="Owls at night"))
    {'owl': 1.0, 'night': 0.3, 'barn': 1.0}
    """
    described = dict.fromkeys(read_request(spec.description, spec.language).terms, DESCRIPTION_WEIGHT)
    return described | dict.fromkeys(read_topic("", spec.keywords, (), spec.language).terms, 1.0)


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
    """An example page; None, with a note to the user, if it cannot be read."""
    if (url := urls.parse(where)) is None:
        return example_of(document_in(folder / where, language), urls.hash_of(where))
    document = await get(url)
    if isinstance(document, Refusal):
        say(f"The example {where} could not be used: {document}. The next run tries it again.")
        return None
    return example_of(document, document.key)  # the URL after redirects


def can_do_without_pages(wants: Sequence[str], language: str) -> bool:
    """Whether `model_of_language` can replace all of these classifiers.

    >>> [can_do_without_pages([name], "english") for name in ("text", "anchor-tree")], can_do_without_pages(["text"], "latin")
    ([True, False], False)
    """
    return OF_WORDS.issuperset(wants) and bool(background_of(language).table)


def model_of_language(topic: TopicModel) -> TextModel:
    """A text classifier without negative pages: the likeness of a text to examples and keywords, each half.

        decision = cos(text, profile of the examples + keywords) − half of what the examples themselves reach

    Words weigh by their rarity in the language; words of examples also by how many more examples than other pages have them.
    """
    background = background_of(topic.language)
    examples = [unit_weights(page.terms, background) for page in topic.examples]
    terms = sorted(set(topic.keywords).union(topic.excluded, *examples))
    against = _of_words(topic.excluded, terms, background)
    words = _of_words(topic.keywords, terms, background) - against
    wanted = unit(_of_examples(examples, terms, background) + words)
    place = {term: at for at, term in enumerate(terms)}
    reached = [sum(weight * wanted[place[term]] for term, weight in page.items()) for page in examples]
    return TextModel(
        Linear(wanted, -float(np.mean(reached or [0.2])) / 2),
        (tuple(terms),),
        np.array([background.rarity(term) for term in terms]),
        weighting="sublinear",
        sigmoid=Sigmoid(-STEEPNESS, 0.0),
        metadata={"from": "the user's words and examples, against how common words are in the language"},
    )


def _of_examples(
    examples: Sequence[dict[str, float]], terms: Sequence[str], background: Background
) -> Floats:
    if not examples:
        return np.zeros(len(terms))
    weights = np.array([[page.get(term, 0.0) for term in terms] for page in examples])
    elsewhere = np.array([background.share(term) for term in terms])
    return term_profile(
        (weights > 0).sum(axis=0).astype(np.float64), len(examples), weights.mean(axis=0), elsewhere
    )


def _of_words(words: Mapping[str, float], terms: Sequence[str], background: Background) -> Floats:
    return unit(np.array([words.get(term, 0.0) * background.rarity(term) for term in terms]))
