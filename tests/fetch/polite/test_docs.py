"""docs/politeness.md says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lycosa.fetch.polite.robots import MAX_AGE_S
from lycosa.spec.sections import FetchSpec, Spec

PAGE = (Path(__file__).parents[3] / "docs" / "politeness.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`((?:[a-z]+\.)?[a-z]+(?:_[a-z]+)+)`", PAGE)))


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_it_names_exists(name):
    """A key is one of [fetch] unless its section is named."""
    section, _, key = name.rpartition(".")
    assert key in type(getattr(Spec(), section or "fetch")).model_fields


def test_the_numbers_are_the_defaults():
    """Two seconds, one request at a time, a robots.txt for a day."""
    page = " ".join(PAGE.split())
    assert "a rest of two seconds after each (`per_host_delay_s`)" in page
    assert "**One request at a time** goes to a host (`per_host_concurrency`)" in page
    assert "kept for at most 24 hours" in page
    spec = FetchSpec()
    assert (spec.per_host_delay_s, spec.per_host_concurrency, spec.obey_robots) == (2, 1, True)
    assert MAX_AGE_S == 24 * 3600
