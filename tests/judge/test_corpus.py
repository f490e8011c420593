"""Pages as rows of a matrix, and their products."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from lycosa.judge.background import background_of
from lycosa.judge.corpus import Corpus

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


def corpus_of(pages: list[dict[str, int]], *, at_once: int) -> tuple[Corpus, np.ndarray]:
    """A corpus whose products are asked for whenever so many pages have come in."""
    corpus, products = Corpus(background_of("english")), np.zeros((0, 0))
    for start in range(0, len(pages), at_once):
        for terms in pages[start : start + at_once]:
            corpus.add(terms)
        products = corpus.products(corpus.rows(), np.arange(len(corpus)))
    return corpus, np.tril(products)


def test_products_do_not_depend_on_when_pages_came(pages):
    """A crawl that went on after a crash, and read all pages at once, has the same judge to the last bit."""
    corpus, step_by_step = corpus_of(pages, at_once=7)
    _, all_at_once = corpus_of(pages, at_once=PAGES)
    rows = corpus.rows()
    assert (step_by_step == all_at_once).all()
    assert np.allclose(step_by_step, np.tril((rows @ rows.T).toarray()), rtol=0, atol=1e-12)


def test_products_of_some_pages_are_those_of_their_rows(pages):
    """Where not all pages are chosen, common and rare words are multiplied apart."""
    corpus, products = corpus_of(pages, at_once=PAGES)
    chosen = np.array([1, 5, 8, 30])
    some = np.tril(corpus.products(corpus.rows(), chosen))
    assert np.allclose(some, products[np.ix_(chosen, chosen)], rtol=0, atol=1e-12)
    _, again = corpus_of(pages, at_once=PAGES)
    assert (np.tril(corpus.products(corpus.rows(), np.arange(PAGES))) == again).all()


def test_long_and_foreign_terms_have_one_column_each():
    """Terms are looked up by a hash of their first bytes: those that begin alike are not mixed up."""
    corpus, stem = Corpus(background_of("english")), "ж" * 30
    for _ in range(2):
        corpus.add({"owl": 1, stem + "а": 1, stem + "б": 2, "東京": 1})
    corpus.add({})
    assert corpus.terms == [stem + "а", stem + "б", "owl", "東京"]
    assert corpus.rows().indices.tolist() == [2, 0, 1, 3] * 2
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
