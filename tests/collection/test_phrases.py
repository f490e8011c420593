"""Snippets: what was searched for is shown, whatever the text, in time that grows with the text alone."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from lycosa.collection.search.phrases import (
    END_MARK,
    MARK,
    READ_CHARS,
    SNIPPET_CHARS,
    as_indexed,
    as_written,
    folded,
    query_in,
    snippet_of,
)


def shown(text: str, typed: str) -> str:
    return snippet_of(text, query_in(typed).wanted).replace(MARK, "[").replace(END_MARK, "]")


def test_words_phrases_and_beginnings_are_marked():
    """Whole words only, phrases over punctuation, a star for words that go on, accents and case aside."""
    text = "The owl, by night. Owls and owlets of the Café; snake_case too."
    assert "[owl]," in shown(text, "OWL")
    assert shown(text, "owl*").count("[") == 3
    assert "[by night]" in shown(text, '"by night"')
    assert "[Café]" in shown(text, "cafe")
    assert "[snake]_case" in shown(text, "snake")
    assert "[" not in shown(text, "ow")


def test_characters_without_blanks_are_words():
    """A word of Chinese, Japanese or Korean is found within a text; neighbouring Latin words stay whole."""
    text = "私は東京都に住む。 NHKの天気。 올빼미는 밤에"
    assert "私は[東京]都" in shown(text, "東京")
    assert "[올빼미]는" in shown(text, "올빼미")
    assert "[NHK]の" in shown(text, "nhk")
    assert "[" not in shown(text, "京東")
    assert [either[0].match for either in query_in("東京 NHKの").wanted] == ['"東 京"', '"NHK の"']


@given(st.text(alphabet="東京都ab _。1"))
def test_an_indexed_text_is_read_as_it_was_written(text):
    assert as_written(as_indexed(text)) == text


def test_the_part_with_most_of_the_words_is_shown():
    """Not the first place that has one of them; cut at words, with signs that there is more."""
    text = "owl " + "x y z " * 200 + "an owl at night in the old barn " + "a b c " * 200
    found = shown(text, "owl night barn")
    assert "[owl] at [night] in the old [barn]" in found
    assert found.startswith("…")
    assert found.endswith("…")


def test_without_a_hit_it_is_the_beginning():
    """Pages that have the words in their title only, or far below, show how they begin."""
    assert shown("Nothing here.", "owl") == "Nothing here."
    assert shown("a b " * READ_CHARS + "owl", "owl").startswith("a b a b")
    assert shown("", "owl") == ""


def test_hostile_texts_take_no_longer():
    """A text that repeats a word, or hardly anything but signs, is read once."""
    for text in (
        "owl " * 500_000,
        "owl" * 500_000,
        "owl" + " " * 1_000_000,
        "owl - " * 300_000,
        "\u0300" * 500_000,
    ):
        started = time.process_time()
        snippet_of(text, query_in(" ".join(["owl", '"owl owl owl"', "o*"] * 13)).wanted)
        assert time.process_time() - started < 5  # quadratic: minutes


@given(st.text(max_size=2000), st.text(max_size=60))
def test_a_snippet_is_text_of_the_page(text, typed):
    """Whatever is typed: without its marks a snippet is a part of the text, and not much longer than said."""
    plain = " ".join(text.replace(MARK, " ").replace(END_MARK, " ").split())
    found = snippet_of(text, query_in(typed).wanted)
    assert found.count(MARK) == found.count(END_MARK)
    bare = found.replace(MARK, "").replace(END_MARK, "")
    assert bare in (plain, f"…{plain}") or bare.strip("…") in plain or bare[1:-1] in plain
    assert len(bare) <= SNIPPET_CHARS + 2


@given(st.text())
def test_folding_keeps_places(text):
    """A folded text has as many characters, so that what is found in it can be shown of the other."""
    assert len(folded(text)) == len(text)
