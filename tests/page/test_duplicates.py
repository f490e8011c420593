"""Near duplicates by simhash, confirmed by shingles."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lycosa.page.text.near_duplicates import (
    BAND_ENTRIES,
    SKETCH_BINS,
    NearDuplicates,
    hamming,
    resemblance,
    sketch_of,
)
from lycosa.page.text.near_duplicates import simhash_of as simhash_of_hashes
from lycosa.urls import hash_of

SAME = sketch_of("Whatever the terms are, the text is the same.")

SIMHASHES = st.integers(-(1 << 63), (1 << 63) - 1).filter(bool)


def simhash_of(counts):
    return simhash_of_hashes(np.array([*map(hash_of, counts)], np.int64), np.array([*counts.values()]))


def bag(start, end):
    return {f"term{n}": 1 + n % 3 for n in range(start, end)}


def test_similar_texts_are_near_and_others_far():
    """A text with one changed word in three hundred is within 3 bits or so; another text is far."""
    one, almost, other = bag(0, 300), bag(1, 301), bag(1000, 1300)
    assert hamming(simhash_of(one), simhash_of(almost)) <= 6
    assert hamming(simhash_of(one), simhash_of(other)) > 15


def test_the_simhash_is_stable_and_fits_sqlite():
    """The fingerprint never changes between versions and is a signed 64-bit number, 0 only for nothing."""
    assert simhash_of({}) == 0
    assert simhash_of({"cat": 2, "dog": 3}) == simhash_of({"dog": 3, "cat": 2}) != 0
    assert -(1 << 63) <= simhash_of(bag(0, 50)) < 1 << 63


@given(st.dictionaries(st.text(), st.integers(1, 1000), min_size=1))
def test_the_simhash_is_the_weighted_majority_of_bits(counts):
    """The matrix form equals the definition, bit by bit."""
    expected = 0
    for bit in range(64):
        votes = sum(n if hash_of(t) >> bit & 1 else -n for t, n in counts.items())
        expected |= (votes > 0) << bit
    assert (simhash_of(counts) & ((1 << 64) - 1) or 1) == (expected or 1)


@given(SIMHASHES, st.sets(st.integers(0, 63), max_size=3))
def test_up_to_three_changed_bits_are_found(simhash, bits):
    """A fingerprint within 3 bits of an earlier one is always found."""
    near = NearDuplicates()
    assert near.add(1, simhash, SAME) is None
    changed = simhash
    for bit in bits:
        changed ^= 1 << bit if bit < 63 else -(1 << 63)
    if changed:
        assert near.add(2, changed, SAME) == 1


@given(SIMHASHES, st.sets(st.integers(0, 62), min_size=4, max_size=20))
def test_more_than_three_changed_bits_are_another_page(simhash, bits):
    """A fingerprint 4 or more bits away is new."""
    near = NearDuplicates()
    near.add(1, simhash, SAME)
    changed = simhash
    for bit in bits:
        changed ^= 1 << bit
    assert near.add(2, changed, SAME) is None


def test_the_nearest_earlier_page_is_named_and_empty_pages_never_match():
    """Of several near ones the nearest is meant; pages without text are no duplicates of each other."""
    near = NearDuplicates()
    near.add(1, 0b111_0000, SAME)
    near.add(2, 1 << 40, SAME)
    assert near.add(3, 0b110_0000, SAME) == 1
    assert near.add(4, 0, SAME) is None
    assert near.add(5, 0, SAME) is None


def candidates(near):
    """The number of candidates in each block of each band."""
    return [len([*band.of(block)]) for band in near._bands for block in range(1 << 16)]


def test_candidate_lists_are_bounded():
    """A thousand fingerprints that share a block cost no more than a few comparisons each."""
    near = NearDuplicates()
    for n in range(1, 1000):
        near.add(n, 0x1234 | (n * 0x9E3779B97F4A7C15 & 0x7FFFFFFFFFFF0000), SAME)
    assert max(candidates(near)) == BAND_ENTRIES


def test_what_is_known_takes_room_once_for_each_page():
    """A page that is fetched again and again, changed or not, or has become a copy of another, takes no more of it."""
    chance, near = Random(3), NearDuplicates()
    texts = [" ".join(chance.choices("abcdefghijklmnop", k=50)) for _ in range(40)]
    for visit in range(200):
        near.add(visit % 20, chance.getrandbits(62) + 1, sketch_of(chance.choice(texts)))
    assert len(near._keys) <= 20
    assert sum(candidates(near)) <= 20 * 4


def test_each_page_of_many_is_known_by_its_key():
    """Also where several keys share a chain; what a page said before is forgotten."""
    chance, near = Random(5), NearDuplicates()
    said = {chance.getrandbits(64) - (1 << 63): chance.getrandbits(64) for _ in range(5000)}
    for _ in range(2):
        said = {key: chance.getrandbits(64) for key in said}
        assert not any(near.add(key, simhash, SAME) for key, simhash in said.items())
    assert [near.find(simhash, SAME) for simhash in said.values()] == [*said]


def test_a_fingerprint_is_the_same_with_or_without_its_sign():
    """As it comes from a page, and as a catalogue reads it."""
    near = NearDuplicates()
    near.add(1, -5, SAME)
    assert near.add(2, (1 << 64) - 5, SAME) == 1
    near.add(3, (1 << 64) - 0xFF0000, SAME)
    assert near.add(4, -0xFF0000, SAME) == 3


def test_a_page_that_has_changed_is_found_by_what_it_says_now():
    before, after, near = 0xFF, 0xFF << 40, NearDuplicates()
    near.add(1, before, SAME)
    assert near.add(1, before, SAME) is None
    assert near.add(1, after, SAME) is None
    assert near.add(2, before, SAME) is None
    assert near.add(3, after + 1, SAME) == 1
    assert near.add(1, before + (1 << 20), SAME) == 2
    assert near.add(4, after, SAME) is None


def test_candidates_are_confirmed_by_what_their_texts_share():
    """Two texts of the same frequent words, in other sentences, are no near duplicates whatever their simhash says."""
    chance = Random(1)
    words = [f"w{n}" for n in range(50)]
    fish, fishing = (" ".join(chance.choices(words, k=2000)) for _ in range(2))
    near = NearDuplicates()
    near.add(1, 5, sketch_of(fish))
    assert near.add(2, 5, sketch_of(fishing)) is None
    assert near.add(3, 5, sketch_of(f"{fish} and a few words more")) == 1
    assert near.add(4, 5, b"") is None  # what cannot be confirmed is kept


@given(st.integers(0, 100), st.integers(20, 400))
def test_the_resemblance_of_sketches_is_near_that_of_shingles(share, size):
    """The estimate is right within four standard errors of 64 bins."""
    words = [f"word{n}" for n in range(2 * size)]
    kept = size * share // 100
    one, other = words[:size], words[:kept] + words[size : 2 * size - kept]
    both = [{tuple(w[i : i + 4]) for i in range(len(w) - 3)} for w in (one, other)]
    true = len(both[0] & both[1]) / len(both[0] | both[1])
    assert abs(resemblance(sketch_of(" ".join(one)), sketch_of(" ".join(other))) - true) < 0.3


@given(st.text(max_size=300))
def test_any_text_has_a_sketch_and_resembles_itself(text):
    """No text breaks it; markup and case around the words change nothing."""
    sketch = sketch_of(text)
    assert len(sketch) in (0, SKETCH_BINS)
    if sketch:
        assert resemblance(sketch, sketch_of(f"  {text} ,")) == 1.0
