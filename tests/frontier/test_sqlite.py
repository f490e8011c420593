"""What only a frontier on disk promises: it survives, and leaves the transaction to its caller."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lycosa.frontier import Policy
from lycosa.frontier.rows import rests_in
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.values import Outcome
from tests.frontier.offers import drain, held, key, name_of, offer, take


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(tmp_path / "catalogue.db")
    opened.execute("PRAGMA journal_mode = WAL")
    opened.execute("PRAGMA synchronous = NORMAL")
    yield opened
    opened.close()


def reopen(
    connection: sqlite3.Connection, now: float = 0.0, restart_rest_s: float = 5.0, **arguments: Any
) -> SqliteFrontier:
    policy = Policy(**{"max_waiting": 1000, **arguments})
    return SqliteFrontier(connection, policy, now=now, restart_rest_s=restart_rest_s)


def test_runs_killed_at_once_do_not_ask_for_a_url_each_time(connection: sqlite3.Connection) -> None:
    """A hundred runs of half a second ask a host that never came to answer a few times; one that did, as ever."""
    frontier, asked = reopen(connection, restart_rest_s=0.0), []
    frontier.add([offer("a/1", 0.9), *(offer(f"b/{page}", 0.5) for page in range(200))])
    for half_seconds in range(100):
        now = half_seconds / 2
        frontier = reopen(connection, now=now, restart_rest_s=0.0)
        for moment in (now, now + 0.25):
            while (taken := frontier.take(moment)) is not None:
                asked.append(name_of(taken))
                if taken.url.startswith("http://b."):
                    frontier.done(taken, Outcome(rest_until=moment + 0.1))
        connection.commit()
    assert 5 <= asked.count("a/1") <= 10
    assert len({name for name in asked if name.startswith("b/")}) == 200
    frontier = reopen(connection, now=200.0)
    frontier.done(take(frontier, 300.0), Outcome(rest_until=300.0))
    assert not connection.execute("SELECT * FROM interrupted").fetchall()


def test_a_clock_set_back_between_two_runs_stalls_nothing(connection: sqlite3.Connection) -> None:
    """Hosts rest as long as they wanted to, and what waits for a time of its own waits as long as it had to."""
    frontier = reopen(connection)
    frontier.add([offer("a/1"), offer("a/2"), offer("b/1", 0.1)])
    frontier.done(take(frontier, 1e6), Outcome(rest_until=1e6 + 30))
    frontier.done(take(frontier, 1e6), Outcome(rest_until=1e6 + 2, again_at=1e6 + 100))
    assert rests_in(connection, 400.0, 5.0) == {"http://a.example": 430.0, "http://b.example": 402.0}
    frontier = reopen(connection, now=400.0)
    assert frontier.next_at() == 430.0
    assert name_of(take(frontier, 430.0)) == "a/2"
    assert frontier.next_at() == 500.0


def test_the_caller_owns_the_transaction(connection: sqlite3.Connection) -> None:
    """Nothing is committed behind its back: rolling back undoes all of it."""
    reopen(connection).add([offer("a/1")])
    connection.commit()
    frontier = reopen(connection)
    frontier.add([offer("a/2", 0.9), held("b/1", "h", "a/1")])
    frontier.done(take(frontier), Outcome(rest_until=77.0))
    frontier.reweigh("a.example", 3, 4)
    frontier.release("h")
    assert connection.in_transaction
    connection.rollback()
    frontier = reopen(connection)
    assert frontier.find(key("a/2")) is None
    assert drain(frontier) == ["a/1"]


def test_autocommit_connections_work_too(tmp_path: Path) -> None:
    """With explicit BEGIN and COMMIT by the caller (isolation_level None)."""
    opened = sqlite3.connect(tmp_path / "catalogue.db", isolation_level=None)
    frontier = reopen(opened)
    opened.execute("BEGIN")
    frontier.add([offer("a/1")])
    opened.execute("ROLLBACK")
    assert reopen(opened).counts().waiting == 0
    opened.close()
