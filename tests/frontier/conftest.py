"""The frontiers that ship and a small one of the tests, opened with the same arguments."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.queued import QueuedFrontier
from lycosa.frontier.sqlite import SqliteFrontier
from tests.frontier.shelf import ShelfFrontier

Open = Callable[..., QueuedFrontier]


@pytest.fixture(params=["memory", "sqlite", "shelf"])
def open_frontier(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens a frontier; the arguments are those that all have."""
    connection = sqlite3.connect(":memory:")
    shelves: list[ShelfFrontier] = []

    def build(**arguments: Any) -> QueuedFrontier:
        policy = Policy(**{"max_waiting": 1000, **arguments})
        if request.param == "memory":
            return MemoryFrontier(policy)
        if request.param == "sqlite":
            return SqliteFrontier(connection, policy, now=0.0, restart_rest_s=5.0)
        while shelves:
            shelves.pop().close()
        shelves.append(ShelfFrontier(tmp_path / "shelf", policy, now=0.0, restart_rest_s=5.0))
        return shelves[0]

    yield build
    connection.close()
    while shelves:
        shelves.pop().close()


class Reopen(Protocol):
    """Ends the run before, as a crash would, and opens the same frontier again."""

    def __call__(self, now: float = 0.0, restart_rest_s: float = 5.0, **policy: Any) -> QueuedFrontier: ...


@pytest.fixture(params=["sqlite", "shelf"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reopen]:
    """Opens a durable frontier, again and again."""
    connection = sqlite3.connect(tmp_path / "catalogue.db")
    shelves: list[ShelfFrontier] = []

    def build(now: float = 0.0, restart_rest_s: float = 5.0, **arguments: Any) -> QueuedFrontier:
        policy = Policy(**{"max_waiting": 1000, **arguments})
        if request.param == "sqlite":
            connection.commit()
            return SqliteFrontier(connection, policy, now=now, restart_rest_s=restart_rest_s)
        while shelves:
            shelves.pop().close()
        shelves.append(ShelfFrontier(tmp_path / "shelf", policy, now=now, restart_rest_s=restart_rest_s))
        return shelves[0]

    yield build
    connection.close()
    while shelves:
        shelves.pop().close()
