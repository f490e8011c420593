"""What only a frontier on disk promises: it survives, and leaves the transaction to its caller."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lycosa.frontier import Policy
from lycosa.frontier.inspection import rests_in, url_state_in
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.values import Kind, Notes, Outcome
from tests.frontier.offers import drain, held, key, link, name_of, offer, take


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


def test_leases_end_with_the_process(connection: sqlite3.Connection) -> None:
    """What was taken waits again as it was, and its host rests a full delay first."""
    frontier = reopen(connection)
    frontier.add([offer("a/1", 0.9, noted=Notes(etag="n")), offer("b/1", 0.1)])
    taken = take(frontier, 100.0)
    connection.commit()
    frontier = reopen(connection, now=101.0)
    assert frontier.counts().taken == 0
    assert frontier.counts().waiting == 2
    assert name_of(take(frontier, 101.0)) == "b/1"
    assert frontier.take(105.9) is None
    assert frontier.take(106.0) == taken


def test_the_last_known_rest_counts_if_it_is_longer(connection: sqlite3.Connection) -> None:
    """A host with a Crawl-delay of its own gets that after a crash."""
    frontier = reopen(connection)
    frontier.add([offer("a/1"), offer("a/2")])
    frontier.done(take(frontier, 100.0), Outcome(rest_until=130.0))
    take(frontier, 130.0)
    frontier = reopen(connection, now=131.0)
    assert frontier.next_at() == 161.0


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


def test_runs_that_end_at_once_do_not_look_like_a_clock_set_back(connection: sqlite3.Connection) -> None:
    """Each rests its hosts a full delay, whatever the run before it did."""
    frontier = reopen(connection, restart_rest_s=100.0)
    frontier.add([offer("a/1")])
    take(frontier, 1000.0)
    for _ in range(3):
        frontier = reopen(connection, now=1001.0, restart_rest_s=100.0)
        assert frontier.next_at() == 1101.0


def test_politeness_windows_survive(connection: sqlite3.Connection) -> None:
    """A host that rests goes on resting, neither shorter nor longer."""
    frontier = reopen(connection)
    frontier.add([offer("a/1"), offer("a/2"), offer("b/1", 0.1)])
    frontier.done(take(frontier, 100.0), Outcome(rest_until=300.0))
    frontier = reopen(connection, now=101.0)
    assert name_of(take(frontier, 101.0)) == "b/1"
    assert frontier.take(299.0) is None
    assert name_of(take(frontier, 300.0)) == "a/2"


def test_all_that_waits_survives(connection: sqlite3.Connection) -> None:
    """Queues in their order, retries with their time, holds, weights, counts."""
    frontier = reopen(connection, max_waiting=20)
    frontier.add([offer(f"a/{n}", n / 100) for n in range(25)])
    frontier.done(take(frontier), Outcome(rest_until=0.0, again_at=50.0))
    frontier.done(take(frontier), Outcome(rest_until=0.0))
    frontier.add([held("b/1", "h", "a/22"), held("b/2", "ripe")])
    before, holds, orphans = frontier.counts(), frontier.holds(), frontier.orphans()
    frontier = reopen(connection, now=1.0)
    assert (frontier.counts(), frontier.holds(), frontier.orphans()) == (before, holds, orphans)
    assert orphans == ("ripe",)
    first = take(frontier, 1.0)
    assert frontier.done(first, Outcome(rest_until=1.0)) == ("h",)
    assert frontier.release("ripe") == (link("b/2"),)
    assert drain(frontier, 1.0) == [f"a/{n}" for n in range(21, 4, -1)]
    assert frontier.next_at() == 50.0
    assert name_of(take(frontier, 50.0)) == "a/24"


def test_a_lower_limit_applies_at_once(connection: sqlite3.Connection) -> None:
    """Pages of hosts that are full by the new limits are dropped on opening."""
    frontier = reopen(connection)
    frontier.add([offer(f"a/{n}") for n in range(5)] + [offer("a/i", kind=Kind.IMAGE), offer("b/1")])
    for _ in range(2):
        frontier.done(take(frontier), Outcome(rest_until=0.0))
    frontier = reopen(connection, pages_per_host=2)
    assert frontier.counts().dropped == {"HOST_FULL": 3}
    assert drain(frontier) == ["a/i", "b/1"]


def test_choices_are_counted_across_restarts(connection: sqlite3.Connection) -> None:
    """No step is used twice, so that no random draw repeats."""
    steps: list[int] = []

    def weigh(good: Any, bad: Any, best: Any, step: int) -> Any:
        steps.append(step)
        return best

    frontier = reopen(connection, weigh=weigh)
    frontier.add([offer("a/1"), offer("b/1"), offer("c/1")])
    frontier.done(take(frontier), Outcome(rest_until=0.0, again_at=9.0))
    take(frontier)
    frontier = reopen(connection, weigh=weigh)
    take(frontier)
    assert steps == [0, 1, 2]


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


def test_records_survive(connection: sqlite3.Connection) -> None:
    """What is known of a URL is there after a crash."""
    frontier = reopen(connection)
    frontier.add([offer("a/1", record=b"known")])
    connection.commit()
    assert take(reopen(connection)).record == b"known"


def test_a_frontier_from_before_records_gets_a_place_for_them(connection: sqlite3.Connection) -> None:
    """It can be read as it is, and opened."""
    reopen(connection).add([offer("a/1", 0.7)])
    connection.execute("ALTER TABLE urls DROP COLUMN record")
    before = url_state_in(connection, key("a/1"))
    assert before is not None
    assert before.link.priority == 0.7
    frontier = reopen(connection)
    frontier.add([offer("a/2", 0.1, record=b"new")])
    assert drain(frontier) == ["a/1", "a/2"]
