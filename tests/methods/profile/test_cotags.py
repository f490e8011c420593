"""Co-tagging: identical tag sets once, two rounds, noise removed, φ with a minimum support."""

from __future__ import annotations

import pytest

from lycosa.errors import InputError
from lycosa.methods.profile.cotags import co_tags, read_tags, write_table

ITEMS = [
    *[("metal", "loud")] * 50,  # one user tags fifty items alike
    ("metal", "doom", "slow"),
    ("metal", "doom"),
    ("metal", "doom", "nikon"),
    ("doom", "sludge", "slow"),
    ("doom", "sludge"),
    ("doom", "sludge", "loud"),
    ("pop", "loud"),
    ("pop", "slow"),
]


def tags(**settings):
    return [row.tag for row in co_tags(ITEMS, "Metal", support=1, **settings)]


def test_identical_tag_sets_count_once():
    """Fifty items with the same tags are one vote."""
    rows = {row.tag: row for row in co_tags(ITEMS, "metal", support=1)}

    assert rows["loud"].together == 1
    assert rows["doom"].together == 3


def test_second_round():
    """A tag that never meets the start tag is found through one that does."""
    assert "sludge" in tags(starters=1)
    assert "sludge" not in tags(starters=0)


def test_stop_tags():
    """Noise tags never join."""
    assert "nikon" not in tags(stop=["Nikon"])


def test_phi_needs_support():
    """By φ a rare tag would win; support keeps it out."""
    assert co_tags(ITEMS, "metal", by="phi", support=1, starters=0)[1].tag in ("doom", "nikon")
    assert "nikon" not in [row.tag for row in co_tags(ITEMS, "metal", by="phi", support=2)]


def test_threshold_on_phi():
    """Tags that go with others more than with the start tag are left out."""
    closeness = {row.tag: row.phi for row in co_tags(ITEMS, "metal", support=1)}
    assert closeness["doom"] > closeness["loud"]
    assert "loud" not in tags(min_phi=closeness["doom"])
    assert "doom" in tags(min_phi=closeness["doom"])


def test_unknown_tag():
    """A start tag that nobody uses is told in words."""
    with pytest.raises(InputError, match="No item has the tag"):
        co_tags(ITEMS, "polka")


def test_table_can_be_edited(tmp_path):
    """The topic consists of the rows of the edited table."""
    path = tmp_path / "tags.csv"
    write_table(path, co_tags(ITEMS, "metal", support=1))
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:3]) + "\n")

    assert read_tags(path) == ("metal", "doom")
