"""Labels beside the catalogue."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from lycosa.collection.labels import FILE, Label, labels_in, set_label


def test_labels_of_an_earlier_version_are_answers(tmp_path):
    """It did not note whether it had asked; its judges learned from all of them, and a resumed crawl has the same judge."""
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute(
            "CREATE TABLE labels "
            "(key INTEGER PRIMARY KEY, url TEXT NOT NULL, relevant INTEGER NOT NULL, at REAL NOT NULL)"
        )
        connection.execute("INSERT INTO labels VALUES (1, 'http://a.test/', 1, 5.0)")
    chosen = Label(2, "http://b.test/", False, 6.0, asked=False)
    set_label(tmp_path, chosen)
    assert list(labels_in(tmp_path).values()) == [chosen, Label(1, "http://a.test/", True, 5.0, asked=True)]
