"""Pages as rows of a matrix, and their products."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from lycosa.learn.fitting.corpus import Corpus, products_of
from lycosa.learn.words.background import background_of
from lycosa.page.text.terms import packed

PAGES = 300


@pytest.fixture
def pages() -> list[dict[str, int]]:
    """Pages that have words of all in common, and words of their own."""
    chance = Random(1)
    words = [f"word{number}" for number in range(400)]
    return [
        {word: chance.randint(1, 300) for word in (*words[:20], *chance.sample(words, 30))}
        for _ in range(PAGES)
    ]


def test_products_are_exact_enough(pages):
    """Common and rare words are multiplied apart."""
    corpus = Corpus(background_of("english"))
    corpus.add_all([*map(packed, pages)])
    rows = corpus.rows()
    assert np.allclose(products_of(rows), (rows @ rows.T).toarray(), rtol=0, atol=1e-12)
    assert (products_of(rows) == products_of(rows)).all()


def test_pages_that_are_read_together_are_those_read_one_by_one(pages):
    """To the last bit, and with the columns in the order in which terms are met: a judge says the same either way."""
    pages[40:43] = [{}, {"ж" * 30 + "а": 2, "owl": 1}, {"night": 1, "ж" * 30 + "б": 1, "ж" * 30 + "а": 1}]
    alone, together = Corpus(background_of("english")), Corpus(background_of("english"))
    for terms in pages:
        alone.add(terms)
    for start in range(0, PAGES, 16):
        before, some = len(together), pages[start : start + 16]
        assert together.add_all([*map(packed, some)]) == range(before, before + len(some))
    assert together.add_all([]) == range(PAGES, PAGES)
    assert together.terms == alone.terms
    for name in ("indptr", "indices", "data"):
        assert (getattr(together.rows(), name) == getattr(alone.rows(), name)).all()


def test_long_and_foreign_terms_have_one_column_each():
    """Long terms with the same beginning are different terms."""
    corpus, stem = Corpus(background_of("english")), "ж" * 30
    for _ in range(2):
        corpus.add({"owl": 1, stem + "а": 1, stem + "б": 2, "東京": 1})
    corpus.add({})
    assert corpus.terms == ["owl", stem + "а", stem + "б", "東京"]
    assert corpus.rows().indices.tolist() == [0, 1, 2, 3] * 2
    assert corpus.rows().indptr.tolist() == [0, 4, 8, 8]


def test_what_was_handed_out_stays_as_it_was(pages):
    """A fit may still look at the rows of before when further pages come in."""
    corpus = Corpus(background_of("english"))
    corpus.add(pages[0])
    rows = corpus.rows()
    before = rows.toarray()
    for terms in pages:
        corpus.add(terms)
    assert (rows.toarray() == before).all()
