"""Time as an argument."""

from __future__ import annotations

import time

from lycosa.clock import SystemClock


def test_a_clock_that_is_set_changes_no_rest(monkeypatch):
    """Neither back nor forwards: a crawl counts the seconds that pass."""
    clock = SystemClock()
    before, wall = clock.now(), time.time()
    assert abs(before - wall) < 60
    for moved in (-3600.0, 3600.0):
        monkeypatch.setattr(time, "time", lambda moved=moved: wall + moved)
        assert 0 <= clock.now() - before < 1800
