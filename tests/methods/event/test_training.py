"""Learning weights, topic size and threshold, on aspects made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.errors import InputError
from lycosa.methods.event.evidence import EventScorer, side_score
from lycosa.methods.event.model import (
    EventModel,
    EventPlace,
    Facts,
    Matching,
    Side,
    Weights,
    with_topic_size,
)
from lycosa.methods.event.training.scoring import (
    Sample,
    Texts,
    combined,
    f1_weights,
    fit_side,
    sample_of,
    topic_scores,
    train_event,
)
from lycosa.values import PagePlace

NAN = float("nan")
RELEVANT = np.array([True, True, False, False, False, False])
USELESS = np.array([0.1, 0.9, 0.9, 0.1, 0.5, 0.5])
PERFECT = np.array([0.9, 0.8, 0.1, 0.2, 0.1, 0.0])
SAMPLE = Sample(np.array([USELESS, PERFECT]), PERFECT, USELESS, np.full(6, NAN), RELEVANT)

MODEL = EventModel(
    {"shoot": 9.0, "club": 3.0, "said": 2.0, "polic": 1.0},
    (EventPlace("Orlando", 3.0, "city"),),
    "2016-06-12",
    names={"mina": 2.0},
)
ORLANDO = (PagePlace("Orlando", "Orlando", "city"),)
FACTS = [
    Facts({"shoot": 2, "club": 1}, ORLANDO, "2016-06-13", {"mina": 1}),
    Facts({"shoot": 1, "club": 2, "bread": 1}, ORLANDO, "", {}),
    Facts({"said": 3}, (), "2011-01-01", {"smith": 1}),
    Facts({"bread": 3}, (PagePlace("Paris", "Paris", "city"),), "", {}),
]
LABELS = [True, True, False, False]


def test_weights_are_shares_of_the_best_f1s():
    """The paper's procedure: a perfect aspect weighs more than a useless one."""
    weights = f1_weights([SAMPLE], 0)
    assert weights.topic + weights.place + weights.date == pytest.approx(1.0)
    assert weights.place == pytest.approx(1 / (1 + 0.5 + 0.5))  # F1: 1.0 against 2·2/(6+2) twice
    assert weights.topic == weights.date


def test_size_and_threshold_are_learned_together():
    """The topic size whose scores separate best is taken, with its threshold."""
    fitted = fit_side([SAMPLE], Side(), [10, 20])
    assert fitted.f1 == 1.0
    assert fitted.side.k in (10, 20)
    scores = combined(SAMPLE, [10, 20].index(fitted.side.k), fitted.side)
    assert ((scores >= fitted.side.threshold) == RELEVANT).all()


@pytest.mark.parametrize("matching", [Matching(), Matching(projected=False, log_counts=True)])
@pytest.mark.parametrize("missing", ["zero", "renormalise"])
def test_the_quick_scores_are_the_scorers(matching, missing):
    """All topic sizes at once give what the crawl's scorer gives at each."""
    side = Side(weights=Weights(0.4, 0.3, 0.2, 0.1), missing_date=missing, missing_place=missing)
    model = EventModel(
        MODEL.terms,
        MODEL.places,
        MODEL.date,
        names=MODEL.names,
        pages=side,
        matching=matching,
    )
    sample = sample_of(model, FACTS, LABELS, [1, 3, 50])
    for row, k in enumerate([1, 3, 50]):
        scorer = EventScorer(with_topic_size(model, k))
        expected = [side_score(side, scorer.of_page_facts(facts)) for facts in FACTS]
        assert combined(sample, row, side) == pytest.approx(expected)


def test_topics_larger_than_the_model_are_the_whole_model():
    """A size beyond the terms is as good as all terms."""
    scores = topic_scores(MODEL, Texts([facts.terms for facts in FACTS]), [4, 1000])
    assert (scores[0] == scores[1]).all()


def test_a_model_learns_from_labelled_pages_and_links():
    """Both sides are learned; their F1 on what was left out is told."""
    taught = (FACTS * 5, LABELS * 5)
    model, figures = train_event(MODEL, taught, taught)
    assert {name: figure.f1 for name, figure in figures.items()} == {"pages": 1.0, "links": 1.0}
    assert all(figure.is_better for figure in figures.values())
    assert model.terms == MODEL.terms
    assert model.pages.k <= 4


def test_what_cross_validation_calls_worse_is_not_taken():
    """On four labels what is learned fits them all, and fails on what it has not seen: what was there stays."""
    model, figures = train_event(MODEL, (FACTS, LABELS))
    assert figures["pages"].f1 == pytest.approx(0.8)
    assert figures["pages"].before == 1.0
    assert not figures["pages"].is_better
    assert model.pages == MODEL.pages


def test_one_label_of_a_kind_teaches_nothing():
    """Left out, there would be none of its kind."""
    row = LABELS.index(True)
    others = [at for at, label in enumerate(LABELS) if not label]
    model, figures = train_event(
        MODEL, ([FACTS[at] for at in (row, *others)], [True, *[False] * len(others)])
    )
    assert figures["pages"].f1 is None
    assert model.pages == MODEL.pages


@pytest.mark.parametrize("labels", [[True] * 4, [False] * 4])
def test_one_sided_labels_are_refused(labels):
    """Without both kinds nothing can be learned."""
    with pytest.raises(InputError, match="Add pages"):
        train_event(MODEL, (FACTS, labels))
