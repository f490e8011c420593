"""The arithmetic of politeness."""

from __future__ import annotations

from email.utils import formatdate
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch.polite.turns import Faults, again_in_s, backoff_s, rest_s, retry_after_s

seconds = st.floats(0, 1e6)


@given(st.text(max_size=60), seconds, seconds)
def test_any_retry_after_is_read(value, now, at_most):
    """Whatever a server sends, the wait is between 0 and the cap."""
    assert 0 <= retry_after_s(value, now, at_most) <= at_most


@given(st.integers(0, 10**9), st.integers(-(10**6), 10**6))
def test_dates_and_seconds_mean_the_same(now, wait):
    """A Retry-After date says how long from now."""
    assert retry_after_s(formatdate(now + wait, usegmt=True), now, 1e9) == max(wait, 0)
    assert retry_after_s(str(max(wait, 0)), now, 1e9) == max(wait, 0)


@given(seconds, seconds, seconds, st.integers(0, 10**6))
def test_nobody_who_asks_for_rest_is_passed_over(delay, crawl_delay, wait, faults):
    """The rest is at least what the user, robots.txt, the server and back-off want."""
    rest = rest_s(delay, crawl_delay, wait, faults)
    assert rest == max(delay, crawl_delay, wait, backoff_s(delay, faults))


@given(seconds, st.integers(0, 50))
def test_back_off_grows_and_is_bounded(delay, faults):
    """More faults never mean less rest, and it ends at five minutes."""
    assert backoff_s(delay, faults) <= backoff_s(delay, faults + 1) <= 300


def test_retries_never_come_before_the_rest_is_over():
    """Chance only adds to the wait, and repeats from its seed."""
    waits = [again_in_s(4.0, 2.0, 0, Random(seed)) for seed in range(100)]
    assert all(4.0 <= wait <= 5.0 for wait in waits)
    assert len(set(waits)) > 90
    assert waits[7] == again_in_s(4.0, 2.0, 0, Random(7))


def test_faults_are_bounded():
    """The counts of the longest-known authorities are forgotten first."""
    faults = Faults(at_most=2)
    for name in "abc":
        faults.add(name)
    assert [faults.of(name) for name in "abc"] == [0, 1, 1]
