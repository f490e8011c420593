"""Every frontier on disk survives the end of its process."""

from typing import Any

from lycosa.values import Kind, Notes, Outcome
from tests.frontier.conftest import Reopen
from tests.frontier.offers import drain, held, link, name_of, offer, take


def test_leases_end_with_the_process(reopen: Reopen) -> None:
    """What was taken waits again as it was, and its host rests a full delay first."""
    frontier = reopen()
    frontier.add([offer("a/1", 0.9, noted=Notes(etag="n")), offer("b/1", 0.1)])
    taken = take(frontier, 100.0)
    frontier = reopen(now=101.0)
    assert frontier.counts().taken == 0
    assert frontier.counts().waiting == 2
    assert name_of(take(frontier, 101.0)) == "b/1"
    assert frontier.take(105.9) is None
    assert frontier.take(106.0) == taken


def test_the_last_known_rest_counts_if_it_is_longer(reopen: Reopen) -> None:
    """A host with a Crawl-delay of its own gets that after a crash."""
    frontier = reopen()
    frontier.add([offer("a/1"), offer("a/2")])
    frontier.done(take(frontier, 100.0), Outcome(rest_until=130.0))
    take(frontier, 130.0)
    frontier = reopen(now=131.0)
    assert frontier.next_at() == 161.0


def test_runs_that_end_at_once_do_not_look_like_a_clock_set_back(reopen: Reopen) -> None:
    """Each rests its hosts a full delay, whatever the run before it did."""
    frontier = reopen(restart_rest_s=100.0)
    frontier.add([offer("a/1")])
    take(frontier, 1000.0)
    for _ in range(3):
        frontier = reopen(now=1001.0, restart_rest_s=100.0)
        assert frontier.next_at() == 1101.0


def test_politeness_windows_survive(reopen: Reopen) -> None:
    """A host that rests goes on resting, neither shorter nor longer."""
    frontier = reopen()
    frontier.add([offer("a/1"), offer("a/2"), offer("b/1", 0.1)])
    frontier.done(take(frontier, 100.0), Outcome(rest_until=300.0))
    frontier = reopen(now=101.0)
    assert name_of(take(frontier, 101.0)) == "b/1"
    assert frontier.take(299.0) is None
    assert name_of(take(frontier, 300.0)) == "a/2"


def test_all_that_waits_survives(reopen: Reopen) -> None:
    """Queues in their order, retries with their time, holds, weights, counts."""
    frontier = reopen(max_waiting=20)
    frontier.add([offer(f"a/{n}", n / 100) for n in range(25)])
    frontier.done(take(frontier), Outcome(rest_until=0.0, again_at=50.0))
    frontier.done(take(frontier), Outcome(rest_until=0.0))
    frontier.add([held("b/1", "h", "a/22"), held("b/2", "ripe")])
    before, holds, orphans = frontier.counts(), frontier.holds(), frontier.orphans()
    frontier = reopen(now=1.0)
    assert (frontier.counts(), frontier.holds(), frontier.orphans()) == (before, holds, orphans)
    assert orphans == ("ripe",)
    first = take(frontier, 1.0)
    assert frontier.done(first, Outcome(rest_until=1.0)) == ("h",)
    assert frontier.release("ripe") == (link("b/2"),)
    assert drain(frontier, 1.0) == [f"a/{n}" for n in range(21, 4, -1)]
    assert frontier.next_at() == 50.0
    assert name_of(take(frontier, 50.0)) == "a/24"


def test_a_lower_limit_applies_at_once(reopen: Reopen) -> None:
    """Pages of hosts that are full by the new limits are dropped on opening."""
    frontier = reopen()
    frontier.add([offer(f"a/{n}") for n in range(5)] + [offer("a/i", kind=Kind.IMAGE), offer("b/1")])
    for _ in range(2):
        frontier.done(take(frontier), Outcome(rest_until=0.0))
    frontier = reopen(pages_per_host=2)
    assert frontier.counts().dropped == {"HOST_FULL": 3}
    assert drain(frontier) == ["a/i", "b/1"]


def test_choices_are_counted_across_restarts(reopen: Reopen) -> None:
    """No step is used twice, so that no random draw repeats."""
    steps: list[int] = []

    def weigh(good: Any, bad: Any, best: Any, step: int) -> Any:
        steps.append(step)
        return best

    frontier = reopen(weigh=weigh)
    frontier.add([offer("a/1"), offer("b/1"), offer("c/1")])
    frontier.done(take(frontier), Outcome(rest_until=0.0, again_at=9.0))
    take(frontier)
    frontier = reopen(weigh=weigh)
    take(frontier)
    assert steps == [0, 1, 2]


def test_records_survive(reopen: Reopen) -> None:
    """What is known of a URL is there after a crash."""
    frontier = reopen()
    frontier.add([offer("a/1", record=b"known")])
    assert take(reopen()).record == b"known"
