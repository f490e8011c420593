"""Terms: words of any script, stemmed, without stop words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from Stemmer import Stemmer

from lycosa import urls
from lycosa.errors import SpecError
from lycosa.page.text import terms
from lycosa.page.text.languages import STOP_WORDS
from lycosa.page.text.terms import Words, count_terms, terms_of, terms_of_each, url_terms_of_each, words_of


def test_words_are_stemmed_and_stop_words_dropped():
    """Terms are stems in their order; function words and single letters are no terms."""
    assert terms_of("The Cats, a cat's and I: RUNNING") == ["cat", "cat", "run"]


def test_numbers_are_kept_up_to_a_length():
    """Years and dates are terms, endless digits are not."""
    assert terms_of("2016 20160710 1234567890123 7") == ["2016", "20160710"]


def test_other_scripts_are_words_too():
    """Accents in either form, Cyrillic and typographic punctuation work."""
    assert terms_of("Café cafe\u0301 “Москва”—l’homme", "french") == ["caf", "caf", "москва", "homm"]


def test_chinese_and_japanese_are_split_into_pairs():
    """Text without spaces becomes pairs of characters; a lone character stays."""
    assert terms_of("東京都 猫 cats東京") == ["東京", "京都", "猫", "cat", "東京"]


@pytest.mark.parametrize("language", "english german french spanish italian portuguese dutch".split())
def test_every_list_of_stop_words_is_applied(language):
    """Each of the seven languages has stop words, in lower case, that never become terms."""
    words = STOP_WORDS[language]
    assert len(words) > 100
    assert all(word == word.lower() for word in words)
    assert terms_of(" ".join(words), language) == []


def test_snowball_languages_without_stop_words_work():
    """A language without a list is stemmed all the same."""
    assert terms_of("katter och hundar", "swedish") == ["katt", "och", "hund"]


def test_an_unknown_language_is_refused_with_the_known_ones():
    """A misspelt language names the choices."""
    with pytest.raises(SpecError, match="english"):
        terms_of("a", "englisch")


def test_the_cache_is_bounded(monkeypatch):
    """However many different words come, the cache stays small, and the terms stay right."""
    monkeypatch.setattr(terms, "CACHE_WORDS", 10)
    words = Words("english")
    found = words.terms(" ".join(f"word{n}" for n in range(100)))
    assert found == [f"word{n}" for n in range(100)]
    assert len(words) <= 10


def test_a_text_keeps_its_terms_when_the_cache_begins_again(monkeypatch):
    """Terms are numbers in the cache of a language; those of a text that was read before stay what they were."""
    monkeypatch.setattr(terms, "CACHE_WORDS", 10)
    words = Words("english")
    first, second = words.read("owls and cats"), words.read(" ".join(f"word{n}" for n in range(20)))
    third = words.read("cats and owls")
    assert first.counted[0] == third.counted[0] == {"owl": 1, "cat": 1}
    assert first.packed.lines == "owl\ncat"
    assert len(second.counted[0]) == 20


@given(st.text())
def test_packed_terms_are_the_same_terms(text):
    """Packed for other processes and the catalogue: the same counts in the same order, and their hashes."""
    stream = words_of("english").read(text)
    counts = stream.counted[0]
    assert list(stream.packed.counted().items()) == list(counts.items())
    assert stream.packed == terms.packed(counts)
    hashes, often = stream.hashed
    assert hashes.tolist() == [urls.hash_of(term) for term in counts]
    assert often.tolist() == list(counts.values())


def test_words_are_counted_with_stop_words():
    """The number of words is that of the text, not of its terms."""
    assert words_of("english").count("the cat sat on the mat") == ({"cat": 1, "sat": 1, "mat": 1}, 6)
    assert words_of("english").count("猫と犬が好き")[1] == 5


@given(st.text())
def test_counting_agrees_with_listing(text):
    """count_terms counts exactly what terms_of lists, whatever the text."""
    listed = terms_of(text)
    counts = count_terms(text)
    assert counts == {term: listed.count(term) for term in listed}
    assert all(isinstance(term, str) and term for term in counts)


@given(st.lists(st.text(max_size=30), max_size=20))
def test_a_batch_agrees_with_one_by_one(texts):
    """The terms of many texts at once are those of each text, NUL characters and all."""
    assert terms_of_each(texts) == [terms_of(text) for text in texts]


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_ascii_words_agree_with_a_plain_regex(text):
    """The fast tokeniser finds the words that a regular expression finds."""
    plain = [word for word in re.findall(r"[a-z0-9]+", text.lower()) if not _is_dropped(word)]
    stem = Stemmer("english", 0).stemWord
    assert terms_of(text) == [word if word.isdigit() else stem(word) for word in plain]


def _is_dropped(word):
    too_long = len(word) > (8 if word.isdigit() else 40)
    return len(word) < 2 or too_long or word in STOP_WORDS["english"]


@given(st.lists(st.sampled_from("www news 2016 Cats index html http com a_b %20x".split()), max_size=6))
def test_url_terms_are_the_terms_of_url_tokens(parts):
    """The words of a URL are those that urls.tokens finds, stemmed, without stop words."""
    url = "http://www.a-site.com/" + "/".join(parts)
    assert url_terms_of_each([url]) == [terms_of(" ".join(urls.tokens(url)))]
