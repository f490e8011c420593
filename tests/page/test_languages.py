"""Which language a text is in: one with a reason to be there, or none that can be told."""

from __future__ import annotations

import pytest
import Stemmer

from lycosa.page.document import Document
from lycosa.page.text.languages import IN_PAIRS, NAMES, STEMMED, UNSTEMMED, language_of
from lycosa.page.text.terms import known_languages, terms_of

TEXTS = {
    "ar": "البومة طائر جارح ليلي يطير بصمت في الغابة ويصطاد الفئران والطيور الصغيرة.",
    "de": "Die Eule ist ein nächtlicher Greifvogel, der lautlos durch den Wald fliegt.",
    "en": "The owl is a bird of the night and flies without a sound through the woods.",
    "es": "El búho es un ave rapaz nocturna que vuela sin hacer ruido por el bosque.",
    "fr": "La chouette est un rapace nocturne qui vole sans bruit dans la forêt.",
    "ja": "フクロウは夜行性の猛禽類で、森の中を音もなく飛びます。",
    "ko": "올빼미는 밤에 활동하는 맹금류로 숲속을 소리 없이 날아다니며 쥐를 잡아먹는다.",
    "uk": "Сова — нічний хижий птах, який безшумно літає в лісі та полює на мишей і дрібних птахів.",
    "zh": "猫头鹰是夜行性的猛禽，在森林里无声地飞行，捕食老鼠。",
}
SWAHILI = (
    "Bundi ni ndege wa usiku anayeruka kimya kimya msituni na kuwinda panya na ndege wadogo wadogo sana."
)


@pytest.mark.parametrize("code", TEXTS)
def test_a_sentence_tells_its_language(code):
    assert language_of(TEXTS[code]) == code


@pytest.mark.parametrize(
    "text",
    [
        "CS 250: Computer Organization Fall 1996 Instructor Duncan Clark, 227 Office Hours Mon 2-4, Final Exam",
        "Baba C. Vemuri Associate Professor Room No. E326, CISE Building, Department of Computer Science",
        "Home About Contact Products Services News Careers Login Register Privacy Terms Sitemap Search Help",
    ],
)
def test_odd_english_is_english_or_unknown(text):
    """It used to be Nigerian Pidgin or Central Bikol, which nobody expected there."""
    assert language_of(text) in ("en", "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Last modified: 1 May 1996",
        "Arie Kaufman, Prateek Mishra, Amitabh Varshney, Christiana Amza, Alan Cox, Claude Girault, Honghui Lu",
        "12 4 2023 55.3 77 12:30 1,234 $99.00 33 22 11 44 55 66 77 88 99 100 2023-01-01 2024 12 4 55",
    ],
    ids=["nothing", "short", "names", "numbers"],
)
def test_what_is_hardly_a_language_is_unknown(text):
    assert language_of(text) == ""


def test_a_rare_language_needs_a_reason():
    """Expected by the spec's scope or declared by the page, it is told; else it is unknown, and no other language."""
    assert language_of(SWAHILI) == ""
    assert language_of(SWAHILI, ["sw"]) == "sw"
    page = f"<p>{SWAHILI}".encode()
    assert Document(page, "http://a.test/").language == ""
    assert Document(page, "http://a.test/", expected_languages=("sw",)).language == "sw"
    assert Document(b"<html lang=sw-KE>" + page, "http://a.test/").language == "sw"


def test_the_declared_language_counts_where_the_text_does_not_tell():
    assert Document(b"<html lang=de><p>Karl Meier", "http://a.test/").language == "de"
    wrong = "<html lang=en><p>" + TEXTS["fr"]
    assert Document(wrong.encode(), "http://a.test/", "text/html; charset=utf-8").language == "fr"


def test_every_stemmer_has_its_language():
    variants = {"porter", "dutch_porter"}
    assert {*STEMMED.values()} == {*Stemmer.algorithms()} - variants
    assert not {*UNSTEMMED.values()} & {*Stemmer.algorithms()}
    assert {*NAMES.values()} | variants == {*known_languages()}
    assert {*NAMES.values()} >= IN_PAIRS


def test_a_language_without_stemmer_keeps_its_words():
    assert terms_of("совы летают", "ukrainian") == ["совы", "летают"]
    assert terms_of("東京都", "japanese") == ["東京", "京都"]
