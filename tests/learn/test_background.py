"""The shipped tables, and what is made of them."""

from __future__ import annotations

import pytest
from research.background import LANGUAGES, MAX_STEMS

from lycosa.learn.words.background import DATA, Background, background_of, languages, read_table
from lycosa.page.text.terms import terms_of


def test_every_language_that_the_tool_makes_is_there_and_all_are_small():
    assert languages() == sorted(LANGUAGES)
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 2_000_000


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_table_is_whole(language):
    table = read_table(DATA / f"{language}.txt.xz")
    assert 5_000 < len(table) <= MAX_STEMS
    assert all(0 < zipf < 8 for zipf in table.values())


@pytest.mark.parametrize(
    ("language", "common", "rare"),
    [
        ("english", "house", "owl"),
        ("german", "Haus", "Eule"),
        ("french", "maison", "hibou"),
        ("spanish", "casa", "búho"),
        ("arabic", "بيت", "بومة"),
        ("english", "日本", "梟梟"),
        ("english", "中国", "鸱鸮"),
    ],
)
def test_rare_words_weigh_more(language, common, rare):
    """Chinese and Japanese are known whatever the language of the crawl is."""
    background = background_of(language)
    assert background.rarity(terms_of(common, language)[0]) < background.rarity(terms_of(rare, language)[0])


def test_a_language_without_a_table_takes_all_words_alike():
    background = background_of("basque")
    assert background.rarity("etxe") == background.rarity("hontz") == 4.5


def test_a_word_that_is_not_in_the_table_is_rarer_than_all_that_are():
    background = background_of("english")
    assert background.rarity("qzxv") == max(background.rarities.values()) + 0.5
    assert Background({"owl": 3.0}, 2.5).share("qzxv") < Background({"owl": 3.0}).share("owl")


def test_the_licence_and_the_sources_stand_beside_the_tables():
    notice = (DATA / "README.md").read_text(encoding="utf-8")
    assert all(word in notice for word in ("wordfreq", "SUBTLEX", "Attribution-ShareAlike 4.0", "Wikipedia"))
    assert "Attribution-ShareAlike 4.0" in (DATA / "LICENSE").read_text(encoding="utf-8")
