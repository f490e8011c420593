"""Tokens of a text, and their numbers: all at once what looking them up one by one gives."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.page.text import terms, tokens
from lycosa.page.text.near_duplicates import sketch_of
from lycosa.page.text.terms import Words
from lycosa.page.text.tokens import LONGEST, UNKNOWN, Tokens, TokenTable, plain_of

TEXTS = st.lists(
    st.one_of(st.text(max_size=60), st.text(alphabet="aZ9é猫 \xa0", max_size=100)), max_size=30
).map(" ".join)

SKETCH = "a0dd7756d9bd73600a1108dfe29fdac7a72d100b3f868794de5edbc0844518c4"
"""The SHA-256 of a sketch."""


@given(TEXTS)
def test_tokens_are_what_stands_between_spaces(text):
    """Places, sizes and the squeezed text agree with bytes.split."""
    plain = plain_of(text)
    found, split = Tokens(plain), plain.split()
    assert [found[at] for at in range(len(found))] == split
    assert found.sizes.tolist() == [len(token) for token in split]
    assert found.squeezed() == b"".join(token + b" " for token in split)


@given(TEXTS)
def test_equal_tokens_have_equal_hashes(text):
    """Tokens that can be looked up have one hash each; no two of a text share it."""
    found = Tokens(plain_of(text))
    hashes = dict.fromkeys(zip(plain_of(text).split(), found.hashes().tolist(), strict=True))
    short = {(token, number) for token, number in hashes if len(token) <= LONGEST}
    assert len(short) == len({token for token, _ in short}) == len({number for _, number in short})
    assert 0 not in dict(short).values()


@given(st.lists(st.lists(TEXTS, max_size=3), min_size=1, max_size=3))
def test_words_of_long_texts_are_those_of_short_ones(pages):
    """Whether words are looked up at once or one by one, known or new: the same terms."""
    one_by_one, at_once = Words("english"), Words("english")
    for text in map(" ".join, pages):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(terms, "SHORT_BYTES", 1 << 30)
            expected = one_by_one.read(text)
            patch.setattr(terms, "SHORT_BYTES", -1)
            found = at_once.read(text)
        assert found.counted == expected.counted
        assert found.packed == expected.packed
        assert found.numbers.tolist() == expected.numbers.tolist()


def test_a_full_cache_leaves_the_terms_right(monkeypatch):
    """Beyond its bound nothing is kept, and everything is found."""
    monkeypatch.setattr(terms, "CACHE_WORDS", 10)
    monkeypatch.setattr(terms, "SHORT_BYTES", -1)
    words = Words("english")
    for begin in range(0, 60, 6):
        text = " ".join(f"word{number}" for number in range(begin, begin + 12))
        assert words.terms(text) == text.split()


def test_the_table_grows_and_keeps_what_it_has():
    """Numbers are found among any number of others, and where hashes want the same place."""
    table, rng = TokenTable(), np.random.default_rng(5)
    hashes = rng.permutation(np.unique(rng.integers(1, 1 << 64, 20_000, dtype=np.uint64)))
    crowded = np.arange(1, 40, dtype=np.uint64) << np.uint64(1)
    numbers = np.arange(len(hashes), dtype=np.int32)
    for at in range(0, len(hashes), 1_500):
        table.add(hashes[at : at + 1_500], numbers[at : at + 1_500])
    table.add(crowded, -np.arange(1, 40, dtype=np.int32))
    assert table.find(hashes).tolist() == numbers.tolist()
    assert table.find(crowded).tolist() == (-np.arange(1, 40)).tolist()
    assert table.find(np.array([1 << 62], np.uint64)).tolist() == [UNKNOWN]
    assert len(table) == len(hashes) + 39


def test_no_page_can_foresee_a_hash(monkeypatch):
    """The same word has another hash where the secrets are others: nobody can make up one that is taken for it."""
    before = Tokens(b"lighthouses keeper").hashes()
    monkeypatch.setattr(tokens, "_SECRETS", [np.uint64(2 * step + 3) for step in range(5)])
    assert not set(before.tolist()) & set(Tokens(b"lighthouses keeper").hashes().tolist())


def test_a_sketch_is_of_the_same_shingles_as_ever():
    """Sketches are stored and compared with later ones: what is made of a text must not change."""
    text = "Owls, 2 of\xa010 – hunt   by night!\nThe moon is their lamp, and mice their prey; so it has been for ever."
    assert sha256(sketch_of(text)).hexdigest() == SKETCH
