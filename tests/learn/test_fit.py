"""The learning judge, fitted on made-up pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from lycosa.learn.fitting.corpus import Corpus
from lycosa.learn.fitting.fit import MAX_TRAINING, Fitted, _training_rows, fit_judge
from lycosa.learn.fitting.given import Given
from lycosa.learn.judges.calibration import MAX_LESSONS, Lessons, Shift, lessons_of
from lycosa.learn.judges.version import Scorer
from lycosa.learn.words.background import background_of
from lycosa.page.text.terms import packed
from lycosa.values import Floats
from tests.learn.conftest import SHIPS, made_page


def corpus_of(pages) -> Corpus:
    corpus = Corpus(background_of("english"))
    for terms, _ in pages:
        corpus.add(terms)
    return corpus


def area(probability, wanted) -> float:
    """The chance that a right page is above a wrong one."""
    right, wrong = probability[wanted], probability[~wanted]
    return float(np.mean(right[:, None] > wrong[None, :]))


GIVEN = {
    "both": Given({"owl": 1.0, "feather": 1.0}, (0, 1, 2)),
    "keywords": Given({"owl": 1.0, "feather": 1.0}),
    "examples": Given({}, (0, 1, 2)),
}


@pytest.mark.parametrize("kind", list(GIVEN))
def test_pages_of_the_topic_are_told_from_others(kind, pages):
    """From keywords, examples or both, without a single negative."""
    wanted = np.array([owls for _, owls in pages])
    fitted = fit_judge(corpus_of(pages), GIVEN[kind])
    assert fitted.version.given == kind
    assert area(fitted.probability, wanted) > 0.97


@pytest.mark.parametrize("kind", list(GIVEN))
def test_new_pages_are_judged_as_those_that_were_fitted(kind, pages):
    """The saved words say of an unseen page what the fit says of its like."""
    fitted = fit_judge(corpus_of(pages[:40]), GIVEN[kind])
    scorer = Scorer(fitted.version)
    told = np.array([scorer.probability(terms) for terms, _ in pages[40:]])
    assert area(told, np.array([owls for _, owls in pages[40:]])) > 0.97


def test_the_same_pages_give_the_same_judge(pages):
    first, second = (fit_judge(corpus_of(pages), GIVEN["both"]) for _ in range(2))
    assert first.version == second.version


def test_pages_added_later_make_no_difference_to_when_they_were_added(pages):
    """A corpus that grew between fits gives the same version as one that was read at once."""
    grown = corpus_of(pages[:30])
    fit_judge(grown, GIVEN["both"])
    for terms, _ in pages[30:]:
        grown.add(terms)
    later = fit_judge(grown, GIVEN["both"])
    at_once = fit_judge(corpus_of(pages), GIVEN["both"])
    np.testing.assert_allclose(later.probability, at_once.probability, atol=1e-9)


def test_before_any_page_was_fetched_there_is_a_judge():
    """Of keywords alone, on no page at all: what is full of them is likelier."""
    fitted = fit_judge(Corpus(background_of("english")), Given({"owl": 1.0}))
    scorer = Scorer(fitted.version)
    assert fitted.version.pages == 0
    assert scorer.probability({"owl": 9, "night": 2}) > 0.5 > scorer.probability({"ship": 9, "year": 2})


def test_examples_and_answers_are_certain(pages):
    fitted = fit_judge(corpus_of(pages), Given({"owl": 1.0}, (0, 1, 2), {3: False, 4: True}))
    assert fitted.probability[[0, 1, 2, 4]].min() > 0.999
    assert fitted.probability[3] < 0.001


def test_answers_move_what_is_believed_of_others(pages):
    """Somebody who calls owls wrong and ships right gets fewer owls."""
    plain = fit_judge(corpus_of(pages), Given({"owl": 1.0}))
    answers = {row: not owls for row, (_, owls) in enumerate(pages[:20])}
    taught = fit_judge(corpus_of(pages), Given({"owl": 1.0}, (), answers))
    owls = np.array([row for row, (_, owls) in enumerate(pages) if owls and row >= 20])
    assert taught.probability[owls].mean() < plain.probability[owls].mean()
    assert taught.version.shift != Shift()


def test_what_nobody_asked_about_holds_for_its_page_and_moves_no_other(pages):
    """Pages of somebody's own choice are no fair sample: only their own verdicts change."""
    said = {5: False, 10: True, 15: False}
    before = fit_judge(corpus_of(pages), GIVEN["both"])
    after = fit_judge(corpus_of(pages), replace(GIVEN["both"], answers=said, held=frozenset(said)))
    others = [row for row in range(len(pages)) if row not in said]
    assert (after.probability[others] == before.probability[others]).all()
    assert {row: after.probability[row] > 0.5 for row in said} == said
    assert after.forecasts == {row: before.probability[row] for row in said}


def test_an_answer_tells_most_of_pages_like_the_answered_one(pages):
    """Two kinds of ship pages look alike to the keywords; one kind is called wrong, and it is this kind that sinks."""
    random = Random(8)
    fishing, ferries = "net trawl herring catch".split(), "ferri passeng island timetabl".split()
    kinds = [made_page(random, [*SHIPS, *own * 3], 0.6) for own in (fishing, ferries) for _ in range(15)]
    corpus = corpus_of([*pages, *((terms, True) for terms in kinds)])
    first, second = len(pages), len(pages) + 15
    plain = fit_judge(corpus, Given({"ship": 1.0}))
    taught = fit_judge(corpus, Given({"ship": 1.0}, (), dict.fromkeys(range(first, first + 3), False)))
    sunk = _odds(plain.probability) - _odds(taught.probability)
    assert sunk[first + 3 : second].mean() > 2 * max(0.1, sunk[second:].mean())


def test_new_pages_hear_of_answers_as_those_that_were_fitted(pages):
    answers = {row: owls for row, (_, owls) in enumerate(pages[:12])}
    fitted = fit_judge(corpus_of(pages), Given({"owl": 1.0}, (), answers))
    scorer = Scorer(fitted.version)
    assert fitted.version.taught
    told = [scorer.reasons(packed(terms)) for terms, _ in pages]
    assert [scorer.probability(terms) for terms, _ in pages] == pytest.approx(
        [one.probability for one in told]
    )
    assert any(abs(one.taught) > 0.1 for one in told)


def test_many_answers_cost_no_more_than_some(pages, monkeypatch):
    """An even sample of them moves the log odds; all are certain, and have a forecast."""
    learned: list[int] = []

    def noted(logits: Floats, answers: Sequence[bool], alike: Floats) -> Lessons:
        learned.append(len(answers))
        return lessons_of(logits, answers, alike)

    monkeypatch.setattr("lycosa.learn.fitting.fit.lessons_of", noted)
    corpus = corpus_of(pages * 12)
    answers = {row: owls for row, (_, owls) in enumerate(pages * 12) if row % 2}
    fitted = fit_judge(corpus, Given({"owl": 1.0}, (), answers))
    assert len(answers) > MAX_LESSONS == max(learned)
    assert fitted.forecasts.keys() == answers.keys()
    assert all((fitted.probability[row] > 0.5) == owls for row, owls in answers.items())


def _odds(probability):
    p = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.log(p / (1 - p))


def test_evidence_takes_the_place_of_keywords(pages):
    """An event's own score, where the words of the examples say nothing."""
    scores = np.array([0.9 if owls else 0.1 for _, owls in pages]) + np.linspace(0, 0.05, len(pages))
    given = Given({}, (0, 1), {}, evidence=scores, evidence_name="event")
    fitted = fit_judge(corpus_of(pages), given)
    assert fitted.version.given == "evidence"
    assert area(fitted.probability, np.array([owls for _, owls in pages])) > 0.97
    scorer = Scorer(fitted.version)
    assert scorer.probability(pages[0][0], 0.9) > scorer.probability(pages[0][0], 0.1)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_an_event_is_found_whether_it_is_rare_or_most_of_the_crawl(share, pages):
    """What is common in a crawl is not average for that: its score is held against what other pages usually have."""
    number = 100
    right = np.arange(number) % 20 < share * 20
    owls, ships = ([terms for terms, about in pages if about is kind] for kind in (True, False))
    corpus = corpus_of([((owls if yes else ships)[row % 20], yes) for row, yes in enumerate(right)])
    scores = np.where(right, 0.5, 0.1) + np.linspace(-0.05, 0.05, number)
    fitted = fit_judge(
        corpus, Given(examples=(0,), evidence=scores, evidence_name="event", usual=(0.12, 0.085))
    )
    kept = fitted.probability >= fitted.version.threshold
    assert kept[right].mean() > 0.9
    assert kept[~right].mean() < 0.1
    assert fitted.version.estimate.relevant == pytest.approx(share * number, rel=0.3)


def test_a_threshold_that_is_given_holds(pages):
    fitted = fit_judge(corpus_of(pages), Given({"owl": 1.0}, threshold=0.9))
    assert fitted.version.threshold == 0.9
    assert "0.9000, given" in fitted.version.rule


def test_the_estimate_counts_pages_of_the_crawl_only(pages):
    """Examples that were only read, and never fetched as pages, are no harvest."""
    counted = np.ones(len(pages), bool)
    counted[:3] = False
    fitted = fit_judge(corpus_of(pages), Given({"owl": 1.0}, (0, 1, 2), counted=counted))
    everything = fit_judge(corpus_of(pages), Given({"owl": 1.0}, (0, 1, 2)))
    assert fitted.version.pages == len(pages) - 3
    assert everything.version.estimate.relevant - fitted.version.estimate.relevant == pytest.approx(
        3, abs=0.01
    )
    estimate = fitted.version.estimate
    assert estimate.relevant_low <= estimate.relevant <= estimate.relevant_high


def test_of_many_pages_some_teach_the_classifier():
    """The likeliest, those with answers, and an even sample."""
    probability = np.linspace(0.0, 1.0, 10_000)
    chosen = _training_rows(probability, np.array([7]), np.array([11]), np.arange(10_000))
    assert len(chosen) <= MAX_TRAINING + 2
    assert {7, 11, 9_999}.issubset(chosen.tolist())


def test_the_signals_of_both_rounds_are_told(pages):
    fitted: Fitted = fit_judge(corpus_of(pages), GIVEN["both"])
    first, second = fitted.signals
    assert first.keys() == {"keywords", "examples", "decline"}
    assert second.keys() == {"keywords", "examples", "text", "decline"}
    assert {len(values) for values in second.values()} == {len(pages)}


def test_what_is_most_like_the_topic_counts_less_where_likely_pages_are_few(pages):
    """A crawl that went on when the right pages were found: the same page is judged lower among many others."""
    others = [page for page in pages if not page[1]]
    short = fit_judge(corpus_of(pages), GIVEN["both"]).version
    long = fit_judge(corpus_of([*pages, *others * 8]), GIVEN["both"]).version
    assert long.constant < short.constant
    assert [part.weight for part in long.parts.values()] == [part.weight for part in short.parts.values()]


def test_an_excluded_subject_is_not_kept_and_its_links_repel(pages):
    """The saved version says the same of a page as its reasons."""
    wanted = np.array([owls for _, owls in pages])
    mixed = Given({"owl": 1.0, "prey": 1.0, "crew": 1.0})
    before = fit_judge(corpus_of(pages), mixed)
    fitted = fit_judge(corpus_of(pages), replace(mixed, excluded={"ship": 1.0, "captain": 1.0}))
    assert fitted.probability[~wanted].max() < before.probability[~wanted].max() / 10
    assert fitted.probability[wanted].mean() > before.probability[wanted].mean() - 0.01
    assert area(fitted.probability, wanted) > 0.97
    scorer = Scorer(fitted.version)
    assert scorer.link_score(["ship", "captain"]) == 0.0 < scorer.link_score(["owl"])
    assert scorer.link_score(["owl", "ship"]) < scorer.link_score(["owl", "year"])
    told = next(scorer.reasons(packed(terms)) for terms, owls in pages if not owls)
    assert {word for word, _ in told.excluded} == {"ship", "captain"}
    assert sum(lost for _, lost in told.excluded) < -1.0
    assert not next(scorer.reasons(packed(terms)) for terms, owls in pages if owls).excluded
    for terms, _ in pages:
        assert scorer.probability(terms) == pytest.approx(scorer.reasons(packed(terms)).probability)


def test_an_event_loses_what_it_excludes_in_fit_and_in_use(pages):
    """The evidence says how close a page is to the event."""
    scores = np.array([0.5 if owls else 0.1 for _, owls in pages])
    given = Given(examples=(0, 1), evidence=scores, evidence_name="event", excluded={"ship": 1.0})
    fitted = fit_judge(corpus_of(pages), given)
    plain = fit_judge(corpus_of(pages), replace(given, excluded={}))
    scorer, before = Scorer(fitted.version), Scorer(plain.version)
    ships, owls = next(terms for terms, owls in pages if not owls), pages[0][0]
    assert scorer.probability(ships, 0.1) < before.probability(ships, 0.1) / 2
    assert scorer.probability(owls, 0.5) > 0.5
    assert scorer.reasons(packed(ships), 0.1).excluded
    assert not scorer.reasons(packed(owls), 0.5).excluded


def test_a_page_of_the_topic_may_mention_what_is_excluded(pages):
    wanted = np.array([owls for _, owls in pages])
    mentioning = [(terms | {"ship": 1} if owls else terms, owls) for terms, owls in pages]
    plain = fit_judge(corpus_of(mentioning), Given({"owl": 1.0, "feather": 1.0}))
    apart = fit_judge(corpus_of(mentioning), Given({"owl": 1.0, "feather": 1.0}, excluded={"ship": 1.0}))
    kept = [(one.probability[wanted] >= one.version.threshold).sum() for one in (plain, apart)]
    assert kept[1] >= kept[0] - 1
