"""Memory and SQLite, driven with the same calls, give the same answers, also across reopening and where one of them gathers."""

import sqlite3
from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.values import Decision, Floats, Kind, Link, Merge, Notes, Outcome, Reason, Refusal
from tests.frontier.offers import key, link

HOSTS = ("x.a", "y.a", "b", "c")
NAMES = tuple(f"{host}/{page}" for host in HOSTS for page in range(12))
HOLDS = ("h", "g", "f")
NUMBERED = b"\x82\xa4type\xa1n\xa1n\x01"  # a memo: {"type": "n", "n": 1}
names = st.sampled_from(NAMES)
times = st.integers(0, 12)
links = st.builds(
    link,
    names,
    anchor=st.sampled_from(["", "words"]),
    depth=st.integers(0, 2),
    trail=st.sampled_from([0, 0, 1]),
    kind=st.sampled_from([Kind.PAGE, Kind.PAGE, Kind.IMAGE]),
    noted=st.sampled_from([None, Notes(memo=NUMBERED), Notes(NUMBERED, via=(5,))]),
)
priorities = st.integers(0, 9).map(lambda tenths: tenths / 10)
offers = st.builds(Decision, links, priority=priorities)
waits = st.lists(names.map(key), max_size=3).map(tuple)
holdings = st.builds(Decision, links, hold=st.sampled_from(HOLDS), waits_for=waits)
refusals = st.builds(Decision, links, refusal=st.just(Refusal(Reason.PATH)))
batches = st.lists(st.one_of(offers, offers, offers, holdings, refusals), max_size=20)


def by_success(good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
    return (good + 1) / (bad + 1) * best


def by_lot(good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
    return np.random.default_rng(step).integers(0, 3, len(best)).astype(float)


class SameAnswers(RuleBasedStateMachine):
    """Any sequence of calls."""

    @initialize(
        weigh=st.sampled_from([None, by_success, by_lot]),
        per_host_concurrency=st.integers(1, 2),
        max_waiting=st.sampled_from([5, 30, 1000]),
        pages_per_host=st.sampled_from([None, None, 1, 3]),
        pages_per_site=st.sampled_from([None, None, 2, 4]),
        site_share=st.sampled_from([None, 1, 2]),
        named=st.sampled_from([frozenset(), frozenset({"a.example"})]),
        remembered=st.sampled_from([1, 5, 1000]),
    )
    def open(self, remembered: int, **arguments: Any) -> None:
        self.remembered = mock.patch("lycosa.frontier.sqlite.REMEMBERED", remembered)
        self.remembered.start()
        self.policy = Policy(**arguments)
        self.connection = sqlite3.connect(":memory:")
        self.memory = MemoryFrontier(self.policy)
        self.now = 0.0
        self.taken: list[Link] = []
        self.reopen()

    @precondition(lambda self: not self.taken)
    @rule()
    def reopen(self) -> None:
        self.sqlite = SqliteFrontier(self.connection, self.policy, now=self.now, restart_rest_s=3.0)

    @rule(decisions=batches, merge=st.sampled_from(Merge))
    def add(self, decisions: list[Decision], merge: Merge) -> None:
        assert self.memory.add(decisions, merge) == self.sqlite.add(decisions, merge)

    @rule(
        pages=st.lists(batches, max_size=4),
        merge=st.sampled_from(Merge),
        gather=st.sampled_from([(True, False), (False, True), (True, True)]),
        rest=times,
    )
    def together(
        self, pages: list[list[Decision]], merge: Merge, gather: tuple[bool, bool], rest: int
    ) -> None:
        """What several pages say, each followed by the end of a lease, is the same whoever puts it off."""
        with ExitStack() as stack:
            for frontier, gathers in zip((self.memory, self.sqlite), gather, strict=True):
                if gathers:
                    stack.enter_context(frontier.together())
            for decisions in pages:
                self.add(decisions, merge)
                if self.taken:
                    ended, outcome = self.taken.pop(), Outcome(self.now + rest)
                    assert self.memory.done(ended, outcome) == self.sqlite.done(ended, outcome)

    @rule(later=st.integers(-1, 4))
    def take(self, later: int) -> None:
        self.now = max(0.0, self.now + later)
        taken = self.memory.take(self.now)
        assert self.sqlite.take(self.now) == taken
        if taken is not None:
            self.taken.append(taken)

    @precondition(lambda self: self.taken)
    @rule(
        which=st.integers(0, 100),
        rest=times,
        again=st.one_of(st.none(), st.none(), times),
        counts=st.booleans(),
        priority=priorities,
        instead=st.sampled_from([0, 0, *map(key, NAMES)]),
    )
    def done(
        self, which: int, rest: int, again: int | None, counts: bool, priority: float, instead: int
    ) -> None:
        ended = replace(self.taken.pop(which % len(self.taken)), priority=priority, noted=Notes(etag="e"))
        outcome = Outcome(self.now + rest, None if again is None else self.now + again, counts, instead)
        assert self.memory.done(ended, outcome) == self.sqlite.done(ended, outcome)

    @rule(hold=st.sampled_from(HOLDS))
    def release(self, hold: str) -> None:
        assert self.memory.release(hold) == self.sqlite.release(hold)

    @rule(source=st.sampled_from(["a.example", "b.example", "z.example"]), good=times, bad=times)
    def reweigh(self, source: str, good: int, bad: int) -> None:
        self.memory.reweigh(source, good, bad)
        self.sqlite.reweigh(source, good, bad)

    @invariant()
    def they_show_the_same(self) -> None:
        if not hasattr(self, "sqlite"):
            return
        memory, sqlite = self.memory, self.sqlite
        assert memory.counts() == sqlite.counts()
        assert memory.next_at() == sqlite.next_at()
        assert memory.holds() == sqlite.holds()
        assert memory.orphans() == sqlite.orphans()

    @invariant()
    def every_url_is_in_one_state(self) -> None:
        if not hasattr(self, "sqlite"):
            return
        found = [self.memory.find(key(name)) for name in NAMES]
        assert found == [self.sqlite.find(key(name)) for name in NAMES]
        states = [each.state for each in found if each is not None]
        counts = self.memory.counts()
        for state in ("waiting", "taken", "done", "held"):
            assert states.count(state) == getattr(counts, state)

    def teardown(self) -> None:
        if hasattr(self, "connection"):
            self.connection.close()
            self.remembered.stop()


TestSameAnswers = SameAnswers.TestCase
TestSameAnswers.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
