"""People and organisations in texts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.page.places.people_and_organisations import ENTITIES, find_entities


def named(text: str, places: tuple[str, ...] = ()) -> dict[str, str]:
    return {one.name: one.kind for one in find_entities(text, places)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It was Sgt. Pedersen of the night shift who came.", "Pedersen"),
        ("A neighbour, Keyshawn Odom, 19, was hurt.", "Keyshawn Odom"),
        ("The river rose, said Ulla Ravnsborg.", "Ulla Ravnsborg"),
        ("They met President John F. Kennedy in June.", "John F. Kennedy"),
        ("It was built by Queen Victoria in a year.", "Queen Victoria"),
        ("On Monday Police Chief Anna O'Neil spoke.", "Anna O'Neil"),
    ],
)
def test_people_are_told_by_what_stands_beside_them(text, name):
    """Title, age, speech and first name each make a person of a name, and stay out of it."""
    assert named(text) == {name: "person"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("He works at the Harris County Sheriff’s Office now.", "Harris County Sheriff's Office"),
        ("The Washington Post wrote about it.", "Washington Post"),
        ("She went to the Fish and Wildlife Service.", "Fish and Wildlife Service"),
        ("The church gave it to the University of Oslo.", "University of Oslo"),
        ("Members of the Tiber Bridge Trust came.", "Tiber Bridge Trust"),
        ("A report by NASA says so.", "NASA"),
    ],
)
def test_organisations_are_told_by_their_words(text, name):
    """A word such as Service, or a known acronym, makes an organisation."""
    assert named(text) == {name: "organisation"}


@pytest.mark.parametrize(
    "text",
    [
        "Police said so. Officials and Prosecutors agreed on Monday in May.",
        "It was the Highway Patrol, or some Elementary School, or the State Police.",
        "Mark Hopkins Hotel and the Stanley Cup are no people.",
        "Five Things To Know About Karen Smith And Bob Jones Today",
        "The American people and the English language.",
        "A Hurricane Watch was issued before Hurricane Dennis died over Georgia.",
    ],
)
def test_other_capitals_are_no_names(text):
    """Days, nations, roles, generic institutions and headlines are left out."""
    assert named(text) == {}


def test_places_are_neither():
    """What the page's places say is a place is not shown again as a person."""
    assert named("They drove to Santa Maria. Santa Maria said no.", ("Santa Maria",)) == {}


def test_a_last_name_counts_for_its_bearer():
    """Where two people share a last name, it counts for neither."""
    one = find_entities("Ann Lee came. Lee spoke, and Lee left.")
    assert [(entity.name, entity.count) for entity in one] == [("Ann Lee", 3)]
    two = find_entities("Ann Lee and Bob Lee came. Lee spoke.")
    assert [(entity.name, entity.count) for entity in two] == [("Ann Lee", 1), ("Bob Lee", 1)]


@given(st.text(alphabet=st.sampled_from("AbcD. ,'’ofthe&Lee0\n-éÉß中")) | st.text())
def test_any_text_is_read(text):
    """No text raises, and nothing found is empty or endless."""
    assert all(0 < len(one.name) < 400 for one in find_entities(text))


@pytest.mark.parametrize("piece", ["Ann Lee ", "A. ", "X and ", "Mr. ", "'s A", "Aa-Aa-"])
def test_a_hostile_text_does_not_stall(piece):
    """A text of names alone costs a second at most, and names are capped."""
    started = time.process_time()
    found = find_entities(
        piece * (200_000 // len(piece)) + " ".join(f"Ann L{n}ee, 40, x" for n in range(500))
    )
    assert len(found) <= ENTITIES
    assert time.process_time() - started < 5
