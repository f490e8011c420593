"""What a version costs beside another one: the table."""

from __future__ import annotations

from research.bench_versions import table

from lycosa.bench.run import Measured


def test_ratios_are_of_medians_and_of_each_round():
    """A round that a busy machine made dear shows, and does not decide."""
    before = [Measured(100, 1.0, 9.0, 100.0), Measured(100, 1.0, 9.0, 102.0), Measured(100, 4.0, 9.0, 104.0)]
    now = [Measured(100, 1.1, 9.0, 100.0), Measured(100, 0.9, 9.0, 101.0), Measured(100, 2.0, 9.0, 107.0)]
    rows = table({("deferred", "", "before"): before, ("deferred", "", "now"): now})
    assert rows[2:] == ["| deferred | default | 10.0 | 11.0 | 1.10 (1.10, 0.90, 0.50) | 102 | 101 |"]
