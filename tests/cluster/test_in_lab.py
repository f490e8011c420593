"""Shards in virtual time: the budget is one, and with the price they keep the focus that one shard has."""

from __future__ import annotations

from pathlib import Path

import pytest
from research.shard_focus import fetched_by, harvest

from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.protocol import Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

PAGES = 60


@pytest.fixture(scope="module")
def lab(demo_folder: Path) -> Laboratory:
    web = CachedWeb(VirtualWeb.open(demo_folder))
    laboratory = Laboratory(web, "owls", 1, Options(pages=PAGES))
    laboratory.prepare(["best-first"])
    return laboratory


@pytest.mark.parametrize("shards", [1, 3, 16])
def test_the_budget_is_one(lab: Laboratory, shards: int) -> None:
    for is_priced in (True, False):
        order = fetched_by(lab, "best-first", shards, is_priced=is_priced)
        assert len(order) == PAGES + len(lab.draw.seeds)
        assert len({link.key for link in order}) == len(order)


def test_the_price_keeps_the_focus(lab: Laboratory) -> None:
    alone = harvest(lab, "best-first", 1, is_priced=True)
    with_price, without = (harvest(lab, "best-first", 8, is_priced=is_priced) for is_priced in (True, False))
    assert with_price >= 0.9 * alone
    assert with_price > without
