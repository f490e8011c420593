"""A text classifier without a page that is not relevant. In: the topic as the user gave it. Out: a TextModel.

What the examples and keywords say is weighed against how common words are in the language, as the judge does at its
beginning. So links can be ranked by their words from the first page of a crawl on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lycosa.engine.start.topic import TopicModel
from lycosa.evidence.text_classifiers import Linear, Sigmoid
from lycosa.evidence.text_model import TextModel
from lycosa.learn.words.background import Background, background_of
from lycosa.learn.words.similarity import term_profile, unit, unit_weights
from lycosa.values import Floats

OF_WORDS = frozenset(("text", "sublinear"))
"""The classifiers that it can stand for: those of the words of a text."""
STEEPNESS = 8.0
"""Of the sigmoid; cosines of short texts lie between 0 and about 0.5. The order of scores does not depend on it."""


def can_do_without_pages(wants: Sequence[str], language: str) -> bool:
    """Whether what is known of the language can stand for these classifiers' other pages.

    >>> [can_do_without_pages([name], "english") for name in ("text", "anchor-tree")], can_do_without_pages(["text"], "latin")
    ([True, False], False)
    """
    return OF_WORDS.issuperset(wants) and bool(background_of(language).table)


def model_of_language(topic: TopicModel) -> TextModel:
    """How much a text is like the examples and keywords, each half, and unlike the language at large.

        decision = cos(text, profile of the examples + keywords) − half of what the examples themselves reach

    Words weigh by their rarity in the language; of the examples, those count that more of them have than other pages do.
    """
    background = background_of(topic.language)
    examples = [unit_weights(page.terms, background) for page in topic.examples]
    terms = sorted(set(topic.keywords).union(*examples))
    wanted = unit(_of_examples(examples, terms, background) + _of_keywords(topic, terms, background))
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


def _of_keywords(topic: TopicModel, terms: Sequence[str], background: Background) -> Floats:
    return unit(np.array([topic.keywords.get(term, 0.0) * background.rarity(term) for term in terms]))
