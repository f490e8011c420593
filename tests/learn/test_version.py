"""Versions as data: saved, loaded, gone back to, and explained."""

from __future__ import annotations

from math import exp, log, sqrt

import msgspec
import pytest

from lycosa.errors import ModelError
from lycosa.learn.fitting.corpus import Corpus
from lycosa.learn.fitting.fit import fit_judge
from lycosa.learn.fitting.given import Given
from lycosa.learn.judges.signals import closeness_of
from lycosa.learn.judges.version import (
    Form,
    Scorer,
    Version,
    load_version,
    path_of,
    save_version,
    saved_versions,
)
from lycosa.learn.words.background import background_of
from lycosa.page.text.terms import packed


@pytest.fixture
def version(pages) -> Version:
    corpus = Corpus(background_of("english"))
    for terms, _ in pages:
        corpus.add(terms)
    fitted = fit_judge(corpus, Given({"owl": 1.0}, (0, 1, 2)))
    return msgspec.structs.replace(fitted.version, number=7, said={2**62 + 5: True})


def test_what_is_saved_is_loaded(version, tmp_path):
    save_version(version, tmp_path)
    assert load_version(tmp_path, 7) == version
    assert saved_versions(tmp_path) == [7]


def test_a_broken_version_is_refused_in_a_sentence(version, tmp_path):
    save_version(version, tmp_path)
    path_of(tmp_path, 7).write_bytes(b"no version")
    with pytest.raises(ModelError, match="fitted anew"):
        load_version(tmp_path, 7)


def test_a_version_keeps_every_version_before_it(version, tmp_path):
    for number in (1, 2, 3):
        save_version(msgspec.structs.replace(version, number=number), tmp_path)
    assert saved_versions(tmp_path) == [1, 2, 3]
    assert load_version(tmp_path, 2).number == 2


def test_the_words_add_up_to_the_log_odds(version, pages):
    """What the words, all others and the base give together are the log odds; the probability is the judge's."""
    scorer = Scorer(version)
    for terms, _ in pages[:10]:
        told = scorer.reasons(packed(terms), limit=3)
        assert len(told.words) == 3
        assert sum(amount for _, amount in told.words) + told.others + told.base == pytest.approx(told.score)
        assert (
            told.probability
            == pytest.approx(scorer.probability(terms))
            == pytest.approx(1 / (1 + exp(-told.score)))
        )
    assert "owl" in dict(scorer.reasons(packed(pages[0][0])).words)


def word_by_word(version: Version, terms: dict[str, int]) -> float:
    """The probability of a page as its formula says it, a term at a time."""
    background = background_of(version.language)
    weights = {term: (1 + log(times)) * background.rarity(term) for term, times in terms.items() if times > 0}
    length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    logit = version.constant
    for part in version.parts.values():
        product = sum(weight * part.words.get(term, 0.0) for term, weight in weights.items()) / length
        is_plain = part.form is Form.PLAIN
        logit += part.weight * ((product - part.mean) / part.deviation if is_plain else closeness_of(product))
    return 1.0 / (1.0 + exp(-(version.shift.a + version.shift.b * logit)))


@pytest.mark.parametrize(
    "more",
    [{}, {"harbour": 5_000}, {"東京": 3, "のの": 1}, {"owl": 0, "ship": -3}, {"neverheard": 2}],
    ids=["plain", "a word of thousands", "Japanese", "words that do not occur", "a word of no table"],
)
def test_a_probability_is_what_its_formula_says(version, pages, more):
    """Done on arrays, it is the same within 1e-9 as done a term at a time."""
    scorer = Scorer(version)
    for terms, _ in pages:
        assert scorer.probability(terms | more) == pytest.approx(
            word_by_word(version, terms | more), abs=1e-9
        )


def test_an_earlier_version_says_the_same_after_a_later_one_has_brought_more_words(version, pages):
    """All versions share one table of words; those of the later one have places that the earlier one does not know."""
    words = {"newword": 0.3, "東京": 0.2, "owl": -0.1}
    asked = [terms | dict.fromkeys(words, 2) for terms, _ in pages[:10]]
    earlier = Scorer(version)
    alone = [earlier.probability(terms) for terms in asked]
    later = Scorer(msgspec.structs.replace(version, taught=words))
    assert [earlier.probability(terms) for terms in asked] == alone
    assert all(later.probability(terms) != before for terms, before in zip(asked, alone, strict=True))


def test_a_page_without_words_is_unlikely(version):
    assert Scorer(version).probability({}) < 0.2


def test_the_rule_names_the_version(version):
    assert version.rule.startswith(
        "judge version 7, fitted at 60 pages: probability against a threshold of 0."
    )
