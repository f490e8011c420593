"""Search that finds: 30 queries in six languages and their pages; suggestions; what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.collection.catalogue.page_filter import JUDGED
from lycosa.collection.catalogue.schema import SEGMENTS
from lycosa.collection.collection import Collection
from lycosa.collection.search.phrases import END_MARK, MARK
from lycosa.collection.search.search import Order
from lycosa.collection.writer import CollectionWriter
from tests.collection.records import page_record

TEXTS = {
    "en-flood": ("en", "Floods in the valley", "Two rivers flooded the cities of the valley. Families were evacuated at night."),
    "en-fire": ("en", "A fire", "The firefighter ran. A warehouse was burning near the river; nobody was injured."),
    "en-vote": ("en", "Election day", "Voters queued for hours. The election decided the mayor's office."),
    "de-haus": ("de", "Häuser am Fluss", "Die Häuser an der Straße standen unter Wasser. Viele Bürger in München halfen."),
    "de-wahl": ("de", "Wahlen", "Bei den Wahlen am Sonntag gewann die Partei. Die Wähler kamen früh."),
    "de-feuer": ("de", "Feuer", "Ein Brand zerstörte die Scheune. Die Feuerwehr löschte die ganze Nacht."),
    "fr-eau": ("fr", "Inondations", "Les inondations ont détruit des maisons. Les œuvres du musée étaient protégées."),
    "fr-vote": ("fr", "Élections", "Les électeurs ont voté. L'élection présidentielle a eu lieu dimanche."),
    "es-agua": ("es", "Inundación", "Las inundaciones dañaron las casas. Los niños fueron evacuados por los bomberos."),
    "es-voto": ("es", "Elecciones", "Los votantes eligieron a la alcaldesa. La elección fue tranquila."),
    "ru-voda": ("ru", "Наводнение", "Наводнения разрушили дома. Жители города были эвакуированы спасателями."),
    "ru-vybor": ("ru", "Выборы", "На выборах победила партия. Избиратели пришли рано."),
    "ja-mizu": ("ja", "洪水", "東京都で洪水が発生しました。住民は避難した。NHKの天気予報。"),
    "ja-senkyo": ("ja", "選挙", "日曜日に選挙が行われ、市長が選ばれた。"),
}  # fmt: skip
QUERIES = {
    # English: forms, phrase, OR, NOT, title, beginning, accents that nobody typed
    "flood": {"en-flood"},
    "flooding river": {"en-flood"},
    "family": {"en-flood"},
    "rivers": {"en-flood", "en-fire"},
    '"unter Wasser"': {"de-haus"},
    '"cities of the valley"': {"en-flood"},
    "burned OR elections": {"en-fire", "en-vote", "fr-vote"},
    "river -flooded": {"en-fire"},
    "river NOT warehouse": {"en-flood"},
    "title:fire": {"en-fire"},
    "fire*": {"en-fire"},
    # German: umlauts typed, not typed and written out; ß; forms
    "Haus": {"de-haus"},
    "hauser": {"de-haus"},
    "Muenchen": {"de-haus"},
    "munchen": {"de-haus"},
    "strasse": {"de-haus"},
    "Wahl": {"de-wahl"},
    "Brände OR Brand": {"de-feuer"},
    # French
    "inondation": {"fr-eau"},
    "élection": {"fr-vote", "en-vote"},
    "oeuvre": {"fr-eau"},
    "maison": {"fr-eau"},
    # Spanish
    "niño": {"es-agua"},
    "inundacion": {"es-agua"},
    "casa bombero": {"es-agua"},
    # Russian
    "наводнение": {"ru-voda"},
    "дом город": {"ru-voda"},
    "партии": {"ru-vybor"},
    # Japanese: without blanks
    "東京": {"ja-mizu"},
    "洪水 避難": {"ja-mizu"},
    "選挙 -洪水": {"ja-senkyo"},
}
LANGUAGES = ("en", "de", "fr", "es", "ru", "ja")


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    directory: Path = tmp_path_factory.mktemp("search") / "six"
    with CollectionWriter.create_or_open(directory, 'name = "six"\n') as writer, writer.commit():
        for name, (language, title, text) in TEXTS.items():
            writer.save(
                page_record(f"http://{name}.example/", title=title, text=text, language=language, links=0)
            )
    with Collection.open(directory) as opened:
        yield opened


def found(collection, typed: str, **more) -> set[str]:
    results = collection.search.find(typed, JUDGED, languages=LANGUAGES, **more)
    return {hit.url.removeprefix("http://").removesuffix(".example/") for hit in results.hits}


def test_there_are_thirty_queries():
    assert len(QUERIES) >= 30


@pytest.mark.parametrize("typed", QUERIES)
def test_a_query_finds_its_pages(collection, typed):
    """All of them, and no other."""
    assert found(collection, typed) == QUERIES[typed]


def test_the_form_that_was_found_is_marked(collection):
    """Whoever asks for a family sees families."""
    hit = collection.search.find("family", JUDGED).hits[0]
    assert f"{MARK}Families{END_MARK}" in hit.snippet


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("warehuose", "warehouse"), ("evacuatde family", "evacuated family"), ("Feurwehr", "feuerwehr"), ("xqzwvy", "")],
)  # fmt: skip
def test_a_misspelt_word_has_a_suggestion_that_finds(collection, typed, meant):
    """The most alike word that a page contains; none where nothing is."""
    results = collection.search.find(typed, JUDGED, languages=LANGUAGES)
    assert (results.total, results.instead) == (0, meant)
    if meant:
        assert found(collection, meant)


def test_words_that_are_not_wanted_alone(collection):
    """Without any word that is wanted, all other pages are listed."""
    assert found(collection, "-выборы NOT flood -inondation", limit=50) == set(TEXTS) - {
        "ru-vybor",
        "en-flood",
        "fr-eau",
    }


def test_the_most_uncertain_come_first(collection):
    """Order by the distance of the score from 0.5."""
    hits = collection.search.find("", JUDGED, order=Order.UNCERTAIN).hits
    distances = [abs((hit.score or 0) - 0.5) for hit in hits]
    assert distances == sorted(distances)


@pytest.mark.parametrize("typed", ['"', "OR", "NOT", "-", "a OR", "OR a", "title:", 'title:"', "*", "-*", "((", "NEAR(a b)", "a:b", "\x00", "'; --"])  # fmt: skip
def test_nothing_that_is_typed_is_an_error(collection, typed):
    """Operators of SQLite's own language are words like others."""
    collection.search.find(typed, JUDGED, languages=LANGUAGES)


def test_the_index_merges_its_segments_seldom(opened):
    """Every commit adds a segment; SQLite merges them after SEGMENTS."""
    collection = opened()
    for number in range(SEGMENTS - 1):
        with collection.commit():
            collection.save(page_record(f"http://a.test/{number}", text=f"the owl of night {number}"))
    sql = "SELECT count(DISTINCT segid) FROM texts_idx"
    assert collection.connection.execute(sql).fetchone() == (SEGMENTS - 1,)
    for number in range(SEGMENTS):
        with collection.commit():
            collection.save(
                page_record(f"http://a.test/{SEGMENTS + number}", text=f"the owl of day {number}")
            )
    assert collection.connection.execute(sql).fetchone()[0] < SEGMENTS + 2
    matching = collection.search.matching(collection.search.understood("owl"))
    assert matching is not None
    assert len(matching) == 2 * SEGMENTS - 1
