"""Both frontiers, opened with the same arguments."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.queued import QueuedFrontier
from lycosa.frontier.sqlite import SqliteFrontier

Open = Callable[..., QueuedFrontier]


@pytest.fixture(params=["memory", "sqlite"])
def open_frontier(request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens a frontier; the arguments are those that both have."""
    connection = sqlite3.connect(":memory:")

    def build(**arguments: Any) -> QueuedFrontier:
        policy = Policy(**{"max_waiting": 1000, **arguments})
        if request.param == "memory":
            return MemoryFrontier(policy)
        return SqliteFrontier(connection, policy, now=0.0, restart_rest_s=5.0)

    yield build
    connection.close()
