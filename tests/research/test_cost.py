"""The guard of the cost of a page."""

from __future__ import annotations

from pathlib import Path

import msgspec
from research.cost import FILE, LIMIT, Cost, complaints, made_pages

ROOT = Path(__file__).parents[2]


def test_only_growth_beyond_the_limit_is_reported():
    """Report a more expensive crawl with its ratio; ignore a cheaper or hardly more expensive one."""
    before = Cost(analysis=10.0, crawl=30.0)
    assert complaints(Cost(analysis=1.14 * 10, crawl=20.0), before) == []
    (said,) = complaints(Cost(analysis=10.0, crawl=30.0 * LIMIT + 1), before)
    assert said.startswith("crawl:")


def test_the_guard_is_part_of_make_test():
    """Its figures are committed, and `make test` checks them."""
    assert msgspec.json.decode(FILE.read_bytes(), type=Cost).crawl > 1
    makefile = (ROOT / "Makefile").read_text()
    assert "check: format lint types tests cost" in makefile
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_its_pages_are_those_of_the_benchmark():
    pages = made_pages(12)
    assert len({page.link.key for page in pages}) == 12
    assert all(len(page.body) > 30_000 for page in pages)
