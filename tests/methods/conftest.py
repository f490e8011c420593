"""What the tests of strategies share: a topic, a tiny classifier, and pages analysed for a strategy."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.engine.processes.analysis import Recipe, page_of
from lycosa.engine.start.prepare import preparation
from lycosa.evidence.text_classifiers import Linear, Sigmoid
from lycosa.evidence.text_model import TextModel
from lycosa.learn.topic import make_topic
from lycosa.learn.training.examples import ExamplePage
from lycosa.methods import BaseStrategy
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.spec.sections import JudgeSpec, TopicSpec
from lycosa.urls import key_of
from lycosa.values import Link, Page

TERMS = {"owl": 2.0, "night": 1.0, "mous": 0.5, "bread": -2.0}


def tiny_model() -> TextModel:
    """A linear classifier by hand: owls yes, bread no."""
    coefficients = np.array(list(TERMS.values()))
    return TextModel(
        Linear(coefficients, -0.25), (tuple(TERMS),), np.ones(len(TERMS)), sigmoid=Sigmoid(-2.0, 0.0)
    )


@pytest.fixture
def ready() -> Preparation:
    """All that a strategy may be fitted from."""
    topic = make_topic(
        TopicSpec(keywords=("owl", "night")),
        [ExamplePage(1, {"owl": 4, "mous": 1}), ExamplePage(2, {"owl": 1, "night": 2})],
        [],
    )
    models = {name: tiny_model() for name in ("text", "sublinear", "anchor-tree")}
    return preparation(topic, JudgeSpec(threshold=0.3), models)


def analysed(strategy: BaseStrategy, html: str, link: Link | None = None) -> Page:
    """A page as a worker would hand it to this strategy."""
    url = link.url if link else "http://a.example/"
    document = Document(html.encode(), url, "text/html")
    recipe = Recipe(evidence=strategy.needs, images=True, terms=True)
    return page_of(document, link or Link(url, key_of(url), priority=1.0), recipe)
