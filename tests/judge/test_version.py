"""Versions as data: saved, loaded, gone back to, and explained."""

from __future__ import annotations

import msgspec
import pytest

from lycosa.errors import ModelError
from lycosa.judge.background import background_of
from lycosa.judge.corpus import Corpus
from lycosa.judge.fit import Given, fit_judge
from lycosa.judge.version import Scorer, Version, load_version, path_of, save_version, saved_versions


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


def test_the_words_add_up_to_the_score(version, pages):
    """What the words, all others and the base give together is the score; the probability is the judge's."""
    scorer = Scorer(version)
    for terms, _ in pages[:10]:
        told = scorer.reasons(terms, limit=3)
        assert len(told.words) == 3
        assert sum(amount for _, amount in told.words) + told.others + told.base == pytest.approx(told.score)
        assert told.probability == pytest.approx(scorer.probability(terms))
    assert "owl" in dict(scorer.reasons(pages[0][0]).words)


def test_a_page_without_words_is_unlikely(version):
    assert Scorer(version).probability({}) < 0.2


def test_the_rule_names_the_version(version):
    assert version.rule.startswith("judge version 7, fitted at 60 pages: probability against 0.")
