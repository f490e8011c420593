"""The measurement of the frontier runs and says what it measured."""

from pathlib import Path

import pytest

from lycosa_lab.bench.frontier import measure


@pytest.mark.parametrize("with_records", [False, True])
def test_a_small_measurement_has_all_figures(with_records: bool, tmp_path: Path) -> None:
    """A row per size, each with the three costs; nothing is left behind."""
    figures = measure(1500, 20, at=(500,), folder=tmp_path, with_records=with_records)
    sizes = figures["sizes"]
    assert isinstance(sizes, list)
    assert [size["urls"] >= least for size, least in zip(sizes, (500, 1500), strict=True)] == [True, True]
    assert set(sizes[0]) == {"urls", "add_us_per_link", "take_done_us_per_url", "commit_us_per_page"}
    assert not list(tmp_path.iterdir())
