"""The event model: made of pages, written by hand, saved, edited, shown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.errors import InputError, ModelError
from lycosa.methods.event.model import (
    OURS,
    PAPER,
    Facts,
    event_day,
    event_model,
    load_event,
    page_facts,
    save_event,
    scored_by,
    topic_only,
    with_topic_size,
)
from lycosa.methods.event.table import event_table
from lycosa.page.document import Document
from lycosa.values import PagePlace

ORLANDO = PagePlace("Orlando", "Orlando", "city", 28.54, -81.38, "US", "FL", 3)
FLORIDA = PagePlace("Fla.", "Florida", "state", 27.6, -81.5, "US", "FL", 1)
PAGES = [
    Facts({"shoot": 5, "club": 2, "said": 1}, (ORLANDO, FLORIDA), "2016-06-13", {"mina": 2}),
    Facts({"shoot": 3, "polic": 2}, (ORLANDO,), "2016-06-12", {}),
]


def test_the_model_counts_over_its_pages():
    """Terms and places carry summed frequencies, the most frequent first; the date is the pages'."""
    model = event_model(PAGES)
    assert [*model.terms.items()] == [("shoot", 8.0), ("club", 2.0), ("polic", 2.0), ("said", 1.0)]
    assert [(place.name, place.count, place.state) for place in model.places] == [
        ("Orlando", 6.0, "FL"),
        ("Florida", 1.0, "FL"),
    ]
    assert (model.date, model.names) == ("2016-06-12", {"mina": 2.0})


def test_terms_of_few_pages_can_be_left_out():
    """`min_pages` keeps only terms that occur on at least that many model pages."""
    assert [*event_model(PAGES, min_pages=2).terms] == ["shoot"]


def test_what_where_and_when_by_hand():
    """Words join the pages' terms in front; places and the date replace the pages'."""
    model = event_model(PAGES, what=["massacre"], where=["Paris, France"], date="2015-11-13")
    assert next(iter(model.terms)) == "massacr"
    assert model.terms["massacr"] == model.terms["shoot"]
    assert "Paris" in [place.name for place in model.places]
    assert "Orlando" not in [place.name for place in model.places]
    assert model.date == "2015-11-13"


def test_a_place_that_no_gazetteer_knows_stays_a_name():
    """A place by hand is kept even if nothing is known of it."""
    model = event_model([], what=["flood"], where=["xqzzyville"])
    assert [(place.name, place.lat) for place in model.places] == [("xqzzyville", None)]


def test_an_event_without_anything_is_refused():
    """The message names what to give."""
    with pytest.raises(InputError, match="Give \\[event\\] pages"):
        event_model([])


@pytest.mark.parametrize("day", ["2016-02-31", "yesterday", "2016-13-01"])
def test_impossible_days_are_refused(day):
    """A day that is not in the calendar is named, with how to write one."""
    with pytest.raises(ValueError, match="write it as 2016-06-12"):
        event_model(PAGES, date=day)


def test_an_end_before_the_beginning_is_refused():
    """The end date cannot lie before the date."""
    with pytest.raises(ValueError, match="lies before"):
        event_model(PAGES, end_date="2001-01-01")


@given(st.lists(st.one_of(st.just(""), st.dates().map(str)), max_size=8))
def test_the_event_day_is_one_of_the_dates(dates):
    """Whatever the pages' dates, the event's is one of them, or none."""
    assert event_day(dates) in ({*dates} - {""} or {""})


def test_models_are_saved_as_json_that_people_can_edit(tmp_path):
    """What was saved comes back; an edit counts; a wrong edit is named."""
    path = tmp_path / "event.json"
    model = scored_by(event_model(PAGES), "ours")
    save_event(path, model)
    assert load_event(path) == model
    path.write_text(path.read_text().replace("2016-06-12", "2016-06-11"))
    assert load_event(path).date == "2016-06-11"
    path.write_text(path.read_text().replace("2016-06-11", "2016-06-31"))
    with pytest.raises(ModelError, match="2016-06-31"):
        load_event(path)
    with pytest.raises(ModelError, match="lycosa train event"):
        load_event(tmp_path / "missing.json")


def test_the_table_shows_the_aspects_and_what_is_missing():
    """All entries as shares of the largest, under headings; a model without place or date says so."""
    shown = event_table(scored_by(event_model(PAGES), "ours"))
    assert "When   2016-06-12" in shown
    assert "What (word stems)" in shown
    assert re.search(r"shoot +1\.00 +Orlando \(FL\) +1\.00", shown)
    assert re.search(r"Florida +0\.17", shown)
    assert "what 0.5, where 0.3, when 0.2" in shown
    assert "about the event from 0.45 on" in shown
    bare = event_table(event_model([Facts({"flood": 2})]))
    assert "No place was found" in bare
    assert "No date was found" in bare
    assert "The topic alone counts" in event_table(topic_only(event_model(PAGES)))


@pytest.mark.parametrize(
    ("date", "where", "hint"),
    [
        ("2999-01-01", [], "in the future"),
        ("1906-04-18", [], "before the Web"),
        ("2016-06-12", ["Zzyzzville"], "None of the places is on the map"),
    ],
)
def test_odd_events_are_made_and_explained(date, where, hint):
    """What can be meant is accepted; the table says what will come of it."""
    assert hint in event_table(event_model(PAGES, date=date, where=where))


def test_pages_without_words_make_no_event():
    """Empty pages, or none of whose terms is on enough of them."""
    with pytest.raises(InputError, match="have no words"):
        event_model([Facts({})])
    with pytest.raises(InputError, match="--min-pages"):
        event_model(PAGES, min_pages=3)


def test_ways_of_scoring():
    """The paper's, ours, another topic size, and the topic alone."""
    model = event_model(PAGES)
    assert scored_by(model, "paper").matching == PAPER.matching
    assert scored_by(model, "ours").pages == OURS.pages
    assert scored_by(model, OURS).terms == model.terms
    assert with_topic_size(model, 7).links.k == 7
    alone = topic_only(model).pages.weights
    assert (alone.topic, alone.place, alone.date) == (1.0, 0.0, 0.0)


def test_facts_of_a_page_and_of_a_text():
    """What, where, when and who are read from a page."""
    html = (
        "<title>Shooting in Orlando</title><meta property='article:published_time' content='2016-06-12'>"
        "<p>A gunman opened fire in Orlando, Florida, the officer John Mina said to reporters there.</p>"
    )
    facts = page_facts(Document(html.encode(), "http://a.example/", "text/html"), names=True)
    assert facts.terms["shoot"] == 1
    assert "Orlando" in [place.canonical for place in facts.places]
    assert facts.date == "2016-06-12"
    assert "mina" in facts.names


def test_words_of_an_event_tell_it_from_others():
    """Numbers and the commonest words of the language are none; the paper's way keeps them."""
    facts = Facts({"said": 9, "2016": 5, "second": 4, "gunman": 3, "nightclub": 2})
    ours = scored_by(event_model([facts]), "ours")
    assert [*ours.telling_terms] == ["gunman", "nightclub"]
    assert [*scored_by(ours, "paper").telling_terms][:1] == ["said"]
    assert "said" not in event_table(ours)


def test_names_stay_whole_and_people_are_no_places():
    """A first name that is also a town is a person's where the pages name that person as often."""
    text = (
        "<html lang=en><h1>Boy killed</h1><p>Police in Marksville, Louisiana, said Jeremy Mardis, 6, died on Tuesday. "
        "Jeremy Mardis was in the car of his father, Chester Few. Chester Few was wounded. Marksville mourns. "
        "Officers of Marksville were arrested in Louisiana.</p></html>"
    )
    model = event_model([page_facts(Document(text.encode(), "http://a.example/", "text/html"), names=True)])
    assert "Jeremy Mardis" in model.people
    assert "Louisiana" in {place.name for place in model.places}
    assert "Chester" not in {place.name for place in model.places}
    assert "Jeremy Mardis" in event_table(scored_by(model, "ours"))
