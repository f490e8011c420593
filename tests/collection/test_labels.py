"""Labels are stored next to the catalogue."""

from __future__ import annotations

from lycosa.collection.labels import Label, clear_label, labels_in, set_label


def test_the_last_label_of_a_page_holds(tmp_path):
    """A later label replaces an earlier one, and clearing deletes it."""
    assert labels_in(tmp_path) == {}
    first, chosen = Label(1, "http://a.test/", True, 5.0), Label(2, "http://b.test/", False, 6.0, asked=False)
    for label in (Label(1, "http://a.test/", False, 4.0), first, chosen):
        set_label(tmp_path, label)
    assert list(labels_in(tmp_path).values()) == [chosen, first]
    clear_label(tmp_path, 2)
    assert labels_in(tmp_path) == {1: first}
