"""Store and read labels: what people, or an assistant (a language model), say about pages, relevant or not.

The library never writes to the catalogue, so labels have a database of their own, `labels.db`. A person's label and an
assistant's answer on the same page are both kept; the person's holds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from lycosa.collection.catalogue.schema import plain_errors
from lycosa.wording import counted

FILE = "labels.db"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS labels "
    "(key INTEGER PRIMARY KEY, url TEXT NOT NULL, relevant INTEGER NOT NULL, at REAL NOT NULL, "
    "asked INTEGER NOT NULL DEFAULT 1)"
)
_ANSWERS = (
    "CREATE TABLE IF NOT EXISTS answers "
    "(key INTEGER PRIMARY KEY, url TEXT NOT NULL, relevant INTEGER, reason TEXT NOT NULL, model TEXT NOT NULL, "
    "at REAL NOT NULL, for_people INTEGER NOT NULL)"
)
TAKEN_BACK = "taken back by a person"


class Label(msgspec.Struct, frozen=True):
    """An answer about a page (by its key). `asked`: Lycosa asked; otherwise the person chose the page.

    `model` is the assistant that answered, with its reason; '' for a person.
    """

    key: int
    url: str
    relevant: bool
    at: float
    asked: bool = True
    model: str = ""
    reason: str = ""


class Answer(msgspec.Struct, frozen=True):
    """An assistant's answer about a page (by its key). `relevant` is None if it was no answer: `reason` says why."""

    key: int
    url: str
    relevant: bool | None
    reason: str
    model: str
    at: float
    for_people: bool = False
    """Whether a person is asked about the page too."""


class Agreement(msgspec.Struct, frozen=True):
    """How often an assistant and a person said the same of a page."""

    agreeing: int
    both: int

    def __str__(self) -> str:
        """For people.

        >>> print(Agreement(9, 10))
        The assistant agrees with you on 9 of 10 pages.
        """
        return f"The assistant agrees with you on {self.agreeing} of {counted(self.both, 'page')}."


def labels_in(directory: Path) -> dict[int, Label]:
    """Return all labels of a collection by key, newest first: a person's, else the assistant's."""
    answers = answers_in(directory).values()
    found = [
        *people_labels_in(directory).values(),
        *(
            Label(
                answer.key, answer.url, answer.relevant, answer.at, model=answer.model, reason=answer.reason
            )
            for answer in answers
            if answer.relevant is not None
        ),
    ]
    first = {label.key: label for label in reversed(found)}
    return {label.key: label for label in sorted(first.values(), key=lambda label: -label.at)}


def people_labels_in(directory: Path) -> dict[int, Label]:
    """Return the labels by people, by key."""
    query = "SELECT key, url, relevant, at, asked FROM labels"
    return {
        key: Label(key, url, bool(relevant), at, bool(asked))
        for key, url, relevant, at, asked in _rows(directory, "labels", query)
    }


def answers_in(directory: Path) -> dict[int, Answer]:
    """Return all answers of assistants by key, oldest first, also refusals."""
    query = "SELECT key, url, relevant, reason, model, at, for_people FROM answers ORDER BY at, key"
    return {
        key: Answer(
            key, url, None if relevant is None else bool(relevant), reason, model, at, bool(for_people)
        )
        for key, url, relevant, reason, model, at, for_people in _rows(directory, "answers", query)
    }


def agreement_in(directory: Path) -> Agreement | None:
    """Return how often the assistant and people agree; None without a page that both answered."""
    people = people_labels_in(directory)
    both = [
        answer.relevant is people[answer.key].relevant
        for answer in answers_in(directory).values()
        if answer.relevant is not None and answer.key in people
    ]
    return Agreement(sum(both), len(both)) if both else None


def told_of_labels(directory: Path) -> str:
    """Return sentences on who labelled pages of a collection, and their agreement; '' without an assistant."""
    answers = answers_in(directory).values()
    if not answers:
        return ""
    refused = sum(answer.relevant is None for answer in answers)
    models = ", ".join(sorted({answer.model for answer in answers}))
    told = [
        f"{counted(len(answers) - refused, 'answer')} by the assistant {models}, "
        f"{counted(len(people_labels_in(directory)), 'label')} by people."
    ]
    if refused:
        told.append(f"{counted(refused, 'response')} of the assistant did not count.")
    if agreement := agreement_in(directory):
        told.append(str(agreement))
    return " ".join(told)


def set_answer(directory: Path, answer: Answer) -> None:
    """Store an assistant's answer; it replaces an earlier one on the same page."""
    with _opened(directory) as connection:
        connection.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", msgspec.structs.astuple(answer)
        )


def set_label(directory: Path, label: Label) -> None:
    """Store a label; it replaces an earlier one on the same page."""
    with _opened(directory) as connection:
        row = (label.key, label.url, label.relevant, label.at, label.asked)
        connection.execute("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?)", row)


def clear_label(directory: Path, key: int) -> None:
    """Delete a person's label of a page; if there is none, withdraw the assistant's answer."""
    with _opened(directory) as connection:
        if not connection.execute("DELETE FROM labels WHERE key = ?", (key,)).rowcount:
            connection.execute(
                "UPDATE answers SET relevant = NULL, reason = ? WHERE key = ?", (TAKEN_BACK, key)
            )


def _rows(directory: Path, table: str, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query. Nothing is written: the folder may be read-only."""
    path = directory / FILE
    if not path.is_file():
        return []
    with plain_errors(path), closing(sqlite3.connect(path)) as connection:
        exists = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return connection.execute(query).fetchall() if exists else []


@contextmanager
def _opened(directory: Path) -> Iterator[sqlite3.Connection]:
    path = directory / FILE
    with plain_errors(path):
        connection = sqlite3.connect(path)
        try:
            with connection:
                connection.execute(_TABLE)
                connection.execute(_ANSWERS)
                yield connection
        finally:
            connection.close()
