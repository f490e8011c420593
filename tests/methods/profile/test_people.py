"""Ranks follow what is known of users, whatever the order in which it comes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.methods.profile.people import People


def people(**settings) -> People:
    found = People(0.5, 0.5, **settings)
    found.set_topic(["metal"])
    return found


def test_contact_loops_and_empty_profiles():
    """Users who know each other, or themselves, or nothing, have a finite rank."""
    some = people()
    some.add_profile(1, ["metal"], [2, 1])
    some.add_profile(2, [], [1])

    assert some.rank(1) == 0.5
    assert some.rank(2) == 0.5
    assert some.rank(3) is None


def test_contacts_change_ranks():
    """A profile that arrives changes the ranks of those who know the user."""
    some = people()
    some.add_profile(1, ["pop"], [2])

    assert some.add_profile(2, ["metal"], []) == {1, 2}
    assert some.rank(1) == 0.5


def test_items_correct_the_profile():
    """Somebody whose items are off the topic sinks, whatever the profile says."""
    some = people(prior_items=1.0)
    some.add_profile(1, ["metal"], [])
    before = some.rank(1) or 0.0
    for _ in range(4):
        some.add_item(1, False)

    assert some.rank(1) == before / 5


def test_a_new_topic_ranks_anew():
    """After co-tagging everybody is ranked by the wider topic."""
    some = People(0.5, 0.5)
    some.set_topic(["metal"], is_final=False)
    some.add_profile(1, ["doom"], [2, 3])
    some.add_profile(2, ["doom", "pop"], [])
    before = some.rank(1)
    some.set_topic(["metal", "doom"])

    assert (some.rank(1) or 0.0) > 0.5 > (before or 0.0)


@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.lists(st.sampled_from(["metal", "pop"])), st.lists(st.integers(1, 5)))
    )
)
def test_ranks_stay_in_bounds(profiles):
    """Whatever profiles say, ranks are between 0 and 1."""
    some = people(prior_items=1.0)
    for key, tags, contacts in profiles:
        some.add_profile(key, tags, contacts)
        some.add_item(key, "metal" in tags)

    assert all(0 <= (some.rank(key) or 0) <= 1 for key in range(6))
