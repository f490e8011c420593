"""Labels are stored next to the catalogue."""

from __future__ import annotations

import sqlite3

from lycosa.collection.labels import (
    Agreement,
    Answer,
    Label,
    agreement_in,
    answers_in,
    clear_label,
    labels_in,
    set_answer,
    set_label,
)


def test_the_last_label_of_a_page_holds(tmp_path):
    """A later label replaces an earlier one, and clearing deletes it."""
    assert labels_in(tmp_path) == {}
    first, chosen = Label(1, "http://a.test/", True, 5.0), Label(2, "http://b.test/", False, 6.0, asked=False)
    for label in (Label(1, "http://a.test/", False, 4.0), first, chosen):
        set_label(tmp_path, label)
    assert list(labels_in(tmp_path).values()) == [chosen, first]
    clear_label(tmp_path, 2)
    assert labels_in(tmp_path) == {1: first}


def test_labels_can_be_read_in_a_file_without_answers(tmp_path):
    """A collection from before there were assistants, on a medium that cannot be written."""
    set_label(tmp_path, Label(1, "http://a.test/", True, 5.0))
    with sqlite3.connect(tmp_path / "labels.db") as connection:
        connection.execute("DROP TABLE answers")
    connection.close()
    before = (tmp_path / "labels.db").read_bytes()
    assert list(labels_in(tmp_path)) == [1]
    assert answers_in(tmp_path) == {}
    assert agreement_in(tmp_path) is None
    assert (tmp_path / "labels.db").read_bytes() == before


def test_a_person_wins_over_an_assistant(tmp_path):
    said = Answer(1, "http://a.test/", True, "owls", "m", 7.0)
    refused = Answer(2, "http://b.test/", None, "no answer", "m", 8.0)
    set_answer(tmp_path, said)
    set_answer(tmp_path, refused)
    assert labels_in(tmp_path) == {1: Label(1, "http://a.test/", True, 7.0, model="m", reason="owls")}
    person = Label(1, "http://a.test/", False, 6.0)
    set_label(tmp_path, person)
    assert labels_in(tmp_path) == {1: person}
    assert agreement_in(tmp_path) == Agreement(0, 1)
    clear_label(tmp_path, 1)
    assert labels_in(tmp_path)[1].model == "m"
