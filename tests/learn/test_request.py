"""How requests in sentences are read: the table in requests.toml, which research/requests-read.md shows.

`python -m tests.learn.test_request > research/requests-read.md` writes the page.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from lycosa.learn.words.request import read_request, read_topic
from lycosa.page.text.languages import STEMMED
from lycosa.page.text.terms import terms_of

ROOT = Path(__file__).parents[2]
REQUESTS = tomllib.loads((Path(__file__).parent / "requests.toml").read_text("utf-8"))["request"]
HEAD = """# How a request is read

What does Lycosa make of `[topic] description`? Each sentence below is a test. `lycosa check` shows how yours is read.

Words of the request ("pages", "I want to find") weigh nothing. What is *not* wanted counts against a page. A sentence
with nothing on the left is too vague: it needs keywords or examples. [The judge](judge.md#what-a-sentence-says) explains
what an exclusion does.

| language | request | about | not |
|---|---|---|---|
"""


def page() -> str:
    """research/requests-read.md."""
    rows = (
        f"| {one['language']} | {one['text']} | {', '.join(one['about'])} | {', '.join(one['not'])} |"
        for one in REQUESTS
    )
    return HEAD + "\n".join(rows) + "\n"


@pytest.mark.parametrize("one", REQUESTS, ids=[one["text"] for one in REQUESTS])
def test_a_request_is_read(one):
    read = read_request(one["text"], one["language"])
    assert ([*read.about], [*read.excluded]) == (one["about"], one["not"])
    assert bool(read.vague) == (not one["about"] and not one["not"])


def test_the_docs_show_how_requests_are_read():
    assert (ROOT / "research/requests-read.md").read_text("utf-8") == page(), (
        "run: python -m tests.learn.test_request > research/requests-read.md"
    )


@pytest.mark.parametrize("language", sorted(STEMMED.values()))
def test_every_language_with_a_stemmer_can_exclude(language):
    """Its first exclusion, before or behind a made-up word."""
    tables = tomllib.loads((ROOT / "src/lycosa/learn/words/data/request.toml").read_text("utf-8"))
    words = tables[language]
    cue = (words.get("except") or words["after"]).split()[0].replace("_", " ")
    text = f"Xanadu {cue} Quuxia" if "except" in words else f"Quuxia {cue} Xanadu"
    read = read_request(text, language)
    assert (read.about, read.excluded) == (("Xanadu",), ("Quuxia",))


def test_what_is_wanted_and_excluded_is_wanted():
    read = read_topic("Owls, not owl toys", ("eagle",), ("eagles", "bats"))
    assert (read.terms, read.excluded_terms) == (("eagl", "owl"), ("bat", "toy"))
    assert read.both == ("eagles",)


def test_keywords_are_taken_as_they_are_unless_they_are_sentences():
    read = read_topic("", ("page layout", "not fonts", "Médecins sans frontières"), ())
    assert read.about == ("page layout", "Médecins sans frontières")
    assert read.excluded == ("fonts",)


def test_a_text_in_a_language_without_a_table_counts_as_it_is():
    for language, text in (("ukrainian", "сови без орлів"), ("chinese", "关于火山的网页, 不要列表")):
        read = read_request(text, language)
        assert (read.about, read.excluded) == ((text,), ())
        assert [*read.terms] == [*dict.fromkeys(terms_of(text, language))]


@pytest.mark.parametrize(
    "text", ["", "not", '"', "- - -", "\n\n", "without, but not", "(((", "’s", "not not owls"]
)
def test_odd_texts_are_read(text):
    read = read_request(text)
    assert read.about == ()
    assert read.excluded == (("owls",) if "owls" in text else ())


if __name__ == "__main__":
    print(page(), end="")
