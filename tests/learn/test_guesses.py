"""An event without model pages: its likeliest pages take their place."""

from __future__ import annotations

from random import Random

import numpy as np

from lycosa.learn.fitting.corpus import Corpus
from lycosa.learn.fitting.fit import fit_judge
from lycosa.learn.fitting.given import Given
from lycosa.learn.fitting.guesses import GUESSES, fit_with_guesses
from lycosa.learn.words.background import background_of
from tests.learn.conftest import OWLS, made_page

NAMES = "griego nehemiah albuquerqu pastor".split()
RIGHT = np.arange(80) < 10


def corpus_of(names: list[str]) -> Corpus:
    """Eighty reports in the same words; the first ten share names."""
    random, corpus = Random(5), Corpus(background_of("english"))
    for is_right in RIGHT:
        corpus.add(made_page(random, OWLS) | (dict.fromkeys(names, 4) if is_right else {}))
    return corpus


def scores(first: float) -> Given:
    """What a headline says: much of two pages; the rest of the event looks like another event in the same city."""
    evidence = np.where(np.arange(80) < 18, 0.3, 0.08 + 0.002 * (np.arange(80) % 7))
    evidence[:2] = first
    return Given(evidence=evidence, evidence_name="event-agreed", usual=(0.12, 0.085))


def test_names_that_the_headline_lacks_are_learned():
    alone, guessed = (fit(corpus_of(NAMES), scores(0.6)) for fit in (fit_judge, fit_with_guesses))
    assert (alone.version.given, guessed.version.given) == ("evidence alone", "evidence guessed")
    apart = [fitted.probability[2:10].min() - fitted.probability[10:].max() for fitted in (alone, guessed)]
    assert min(apart) > 0.3
    assert (guessed.probability >= guessed.version.threshold).tolist() == RIGHT.tolist()


def test_a_guess_is_not_certain():
    """Nobody said that these pages are right: they are judged as the others, and are asked about."""
    alone, guessed = (fit(corpus_of(NAMES), scores(0.6)) for fit in (fit_judge, fit_with_guesses))
    likeliest = np.argsort(-alone.probability, kind="stable")[:GUESSES]
    assert 0.5 < guessed.probability[likeliest].min() <= guessed.probability[likeliest].max() < 0.9999
    assert guessed.version.examples == 0
    assert guessed.version.said == {}


def test_unlikely_pages_are_no_model():
    fitted = fit_with_guesses(corpus_of([]), scores(0.12))
    assert fitted.version.given == "evidence alone"
    assert fitted.version.estimate.unsure


def test_what_people_say_goes_before_guesses():
    """A page that they confirmed is the model; one that they refused is none."""
    given = scores(0.6)
    confirmed = Given(
        evidence=given.evidence, evidence_name="event-agreed", usual=given.usual, answers={5: True}
    )
    assert fit_with_guesses(corpus_of(NAMES), confirmed).version.given == "evidence"
    refused = Given(
        evidence=given.evidence, evidence_name="event-agreed", usual=given.usual, answers={0: False, 1: False}
    )
    assert fit_with_guesses(corpus_of(NAMES), refused).probability[:2].max() < 0.01
