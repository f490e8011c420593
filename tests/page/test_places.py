"""Places in texts: found, told from persons and words, and put on the map."""

import random
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.errors import SpecError
from lycosa.page.document import Document
from lycosa.page.places import place_recognition as place_finder
from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.places.geocoding import Place, find_places, places_of_each, regions_of
from lycosa.page.places.place_recognition import PlaceMention, installed_finder, shipped_model
from lycosa.values import PagePlace
from tests.conftest import SHARED

NEWS = SHARED / "data/places/ecbplus.jsonl.gz"
GOLD = Path(__file__).with_name("places_gold.csv")


def places(text: str) -> dict[str, Place]:
    return {place.canonical: place for place in find_places(text, gazetteer())}


def test_a_place_has_coordinates_counts_and_offsets():
    """A found place says where it is, how often and where it is named."""
    text = "Riots in Athens went on. In Athens, shops closed; Athens was quiet later."
    place = places(text)["Athens"]
    assert (place.kind, place.country, place.count, place.sentences) == ("city", "GR", 3, 2)
    assert place.lat == pytest.approx(37.98, abs=0.1)
    assert place.lon == pytest.approx(23.72, abs=0.1)
    assert [text[start:end] for start, end in place.mentions] == ["Athens"] * 3


def test_aliases_meet():
    """Calif. and California, U.S. and United States are one place each."""
    found = places(
        "From Sacramento, Calif., to Nevada. California and the U.S. agreed; the United States paid."
    )
    assert found["California"].count == 2
    assert found["California"].name == "Calif."
    assert found["United States"].count == 2


@pytest.mark.parametrize(
    ("text", "country", "state"),
    [
        ("The rodeo in Paris, Texas, is over.", "US", "TX"),
        ("The museum in Paris is open.", "FR", ""),
        ("A storm hit London, Ontario. It came from Canada.", "CA", ""),
        ("He lives in Palmer. Anchorage is near, and the rest of Alaska far.", "US", "AK"),
        ("Police in Springfield, Mo., said so.", "US", "MO"),
        ("Shots were fired in Alexandria. Deputies from Louisiana were there.", "US", "LA"),
        ("He was in prison in Huntsville. That is in Texas.", "US", "TX"),
    ],
)
def test_namesakes_are_told_apart_by_the_other_places(text, country, state):
    """A city whose state or country is named, too, wins; else the largest does."""
    city = next(
        place
        for place in places(text).values()
        if place.canonical in ("Paris", "London", "Palmer", "Springfield", "Alexandria", "Huntsville")
    )
    assert (city.country, city.state) == (country, state)


def test_a_country_and_a_state_of_one_name():
    """Georgia is a country beside Tbilisi and a state beside Atlanta."""
    assert places("An earthquake in Tbilisi. Help came from all of Georgia.")["Georgia"].kind == "country"
    assert places("A fire in Atlanta, Georgia.")["Georgia"].kind == "state"


@pytest.mark.parametrize(
    "text",
    [
        "Michael Jordan scored 40 points.",
        "Mr. Washington was not amused.",
        "Of course it was.",
        "Mobile phones are sold everywhere.",
        "Reading is fun.",
        "It was a nice day in May.",
        "The French and the Iranian team met on Sunday.",
        "In March, Christine Monaco resigned.",
        "",
    ],
)
def test_persons_words_and_days_are_no_places(text):
    """Names of people, common words, months and nationalities are not found."""
    assert places(text) == {}


def test_unknown_names_count_by_their_form_and_context():
    """Streets, mountains and villages that no gazetteer has are found, without coordinates."""
    found = places("She lives on 117th Street. He fell on Mount Sefton. They fled the village of Zirbanak.")
    assert {name: place.kind for name, place in found.items()} == {
        "117th Street": "street",
        "Mount Sefton": "mountain",
        "Zirbanak": "place",
    }
    assert all(place.lat is None and place.lon is None for place in found.values())


def test_the_longest_name_counts():
    """The Gulf of Mexico is not Mexico, and New York City not York."""
    found = places("Oil in the Gulf of Mexico reached nobody in New York City.")
    assert set(found) == {"Gulf of Mexico", "New York City"}


def test_another_finder_can_be_plugged_in():
    """Any object with `find` says which names are places; the gazetteer places them."""

    class Everywhere:
        def find(self, text: str) -> list[PlaceMention]:
            return [PlaceMention(0, 5, "Paris", 0), PlaceMention(10, 16, "nowhere", 0)]

    found = find_places("Paris and nowhere", gazetteer(), Everywhere())
    assert [(place.canonical, place.country) for place in found] == [("Paris", "FR"), ("nowhere", "")]


@pytest.mark.parametrize("anchor", ["Orlando", "ORLANDO", "Charlotte", "Belgium", "San Bernardino"])
def test_an_anchor_that_is_only_a_place_is_that_place(anchor):
    """A bare name in an anchor has no sentence around it, and counts where a large place is called so."""
    (found,) = places_of_each([anchor], gazetteer())
    assert [place.canonical for place in found] == [anchor.title()]
    assert found[0].lat is not None


@pytest.mark.parametrize(
    "anchor", ["Home", "Reading", "Mobile", "Nice", "March", "Madison", "Obama", "", "Sale"]
)
def test_bare_words_first_names_and_villages_are_no_places(anchor):
    """What is also a word or a first name, or only a small town, is not taken for a place."""
    assert places_of_each([anchor], gazetteer()) == [()]


def test_a_bare_anchor_may_name_a_place_of_its_page():
    """Also a small town, and one without coordinates, counts where the page itself speaks of it."""
    page = [
        PagePlace("Ferguson", "Ferguson", "city", 38.7, -90.3, "US", "MO", 4),
        PagePlace("Camp Tarn", "Camp Tarn", "place"),
    ]
    anchors = ["Ferguson", "Camp Tarn", "Ferguson mayor", "Police in Ferguson, Mo."]
    found = places_of_each(anchors, gazetteer(), page=page)
    assert [[(place.canonical, place.count) for place in places] for places in found[:2]] == [
        [("Ferguson", 1)],
        [("Camp Tarn", 1)],
    ]
    assert found[3][0].state == "MO"


def test_an_installed_package_can_offer_a_finder(monkeypatch):
    """An entry point's finder is made once and used for pages and anchors; an unknown name is refused."""

    class Shouted:
        def find(self, text: str) -> list[PlaceMention]:
            return [PlaceMention(text.index("xanadu"), text.index("xanadu") + 6, "xanadu", 0)]

    class Point:
        name = "shouted"

        def load(self) -> type[Shouted]:
            return Shouted

    monkeypatch.setattr(place_finder, "entry_points", lambda group: [Point()] if "place" in group else [])
    installed_finder.cache_clear()
    finder = installed_finder("shouted")
    assert installed_finder("shouted") is finder
    page = Document(
        b"<p>They went to xanadu.</p><a href=/x>to xanadu</a>", "http://a.example/", place_finder=finder
    )
    assert [place.canonical for place in page.places] == ["xanadu"]
    assert [[place.canonical for place in places] for places in page.link_places] == [["xanadu"]]
    with pytest.raises(SpecError, match=r"no installed package offers 'other'\. Known are: shouted"):
        installed_finder("other")
    assert installed_finder("") is None
    installed_finder.cache_clear()


def test_the_shipped_model_says_where_it_comes_from():
    """The weights carry their provenance."""
    assert "CC BY" in shipped_model().provenance


def test_every_region_lies_on_earth():
    """The coordinates written by hand are possible, and no name is empty."""
    names = gazetteer()
    for name in ("Middle East", "Gulf of Aden", "Surrey", "Sicily", "Mount Everest", "Midwest"):
        entry = names.named(name)[0]
        assert -90 <= entry.lat <= 90
        assert -180 <= entry.lon <= 180


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["Paris", ",", " ", ".", "’s", "Mt", "St.", "117th", "\n", "U. S.", "(D-Calif.)", "A"])
                | st.text(max_size=8), max_size=40).map("".join))  # fmt: skip
def test_no_text_raises(text):
    """Whatever a text holds, offsets point to what was found."""
    for place in find_places(text, gazetteer()):
        start, end = place.mentions[0]
        assert text[start:end] == place.name


@pytest.mark.parametrize(
    "text", ["A. " * 50_000, "Paris " * 20_000, "." * 200_000, "1," * 100_000, "A" + " " * 300_000]
)
def test_monsters_are_survived(text):
    """Long senseless texts end in reasonable time."""
    assert len(find_places(text, gazetteer())) <= 1


@pytest.mark.shared("data/places")
def test_places_of_real_news():
    """Recall of LOC_GEO is 0.80 and more, strict precision 0.80 and more on both labelled halves."""
    from research.places.measure import measure_precision, measure_recall, read_documents

    documents = read_documents(NEWS)
    recall = measure_recall(documents.values())
    assert recall.found / recall.all >= 0.80
    assert recall.found_named / recall.named >= 0.93
    assert recall.sentences_per_second > 1500  # 8,000 and more on an idle core
    halves = measure_precision(documents, GOLD)
    assert min(half.strict for half in halves.values()) >= 0.80
    assert min(half.recall for half in halves.values()) >= 0.85


@pytest.mark.shared("data/places")
def test_the_labelled_documents_were_drawn_at_random():
    """The hundred documents are the draw that the head of the file names."""
    from research.places.measure import read_documents

    drawn = random.Random(2016).sample(sorted(read_documents(NEWS)), 100)
    rows = [line.split(",")[0] for line in GOLD.read_text().splitlines() if not line.startswith("#")][1:]
    assert list(dict.fromkeys(rows)) == drawn


def test_a_finder_that_cannot_be_loaded_names_its_package(monkeypatch):
    """Only a spec that names it fails, in words."""
    broken = EntryPoint("broken", "a_module_that_is_nowhere:Finder", place_finder.FINDERS)
    monkeypatch.setattr(place_finder, "entry_points", lambda group: [broken])
    assert installed_finder("") is None
    with pytest.raises(SpecError, match=r"'broken' of the installed package a_module_that_is_nowhere:Finder"):
        installed_finder("broken")


def test_what_the_crawl_is_about_decides_where_the_page_says_nothing():
    """Alexandria is in Egypt, but in a collection on Louisiana it is the town there."""
    text = "Shots were fired in Alexandria on Monday."
    about = regions_of(find_places("It was in Marksville, Louisiana.", gazetteer()))
    alone, there = (find_places(text, gazetteer(), about=given)[0] for given in (frozenset(), about))
    assert (alone.country, round(alone.lon or 0)) == ("EG", 30)
    assert (there.country, there.state, round(there.lon or 0)) == ("US", "LA", -92)


def test_a_village_in_a_country_that_nobody_speaks_of_is_left_off_the_map():
    """Park Avenue is a suburb in Queensland; a text on New York does not mean it."""
    found = places("He lived on Park Avenue in Manhattan, New York, and liked the United States.")
    assert found["Park Avenue"].lat is None
    assert found["Park Avenue"].country == ""


def test_metro_is_no_town():
    """Newspapers have a Metro section; the town in Indonesia is seldom meant."""
    assert "Metro" not in places("He rode the bus to Metro. Police of Metro said so.")
