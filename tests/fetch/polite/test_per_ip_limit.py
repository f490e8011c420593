"""The limit of requests to one IP address."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from lycosa.fetch.polite import turns as module
from lycosa.fetch.polite.turns import PerIpLimit


async def test_rest_lies_between_two_requests():
    """The next request to an address starts no sooner than the delay after the last."""
    limit = PerIpLimit(2, 0.05)
    loop = asyncio.get_running_loop()
    starts = []
    for _ in range(3):
        await limit.enter("192.0.2.1")
        starts.append(loop.time())
        limit.leave("192.0.2.1")
    assert all(later - sooner >= 0.049 for sooner, later in itertools.pairwise(starts))


async def test_addresses_do_not_wait_for_each_other():
    """A full address stops only itself."""
    limit = PerIpLimit(1, 0.0)
    await limit.enter("192.0.2.1")
    await asyncio.wait_for(limit.enter("192.0.2.2"), 600)


async def test_nothing_is_kept_of_addresses_at_rest():
    """Idle addresses cost no memory, also when a waiting request was cancelled."""
    limit = PerIpLimit(1, 0.0)
    await limit.enter("192.0.2.1")
    waiting = asyncio.create_task(limit.enter("192.0.2.1"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    limit.leave("192.0.2.1")
    assert not limit._known


async def test_resting_addresses_are_bounded(monkeypatch):
    """With a delay, addresses whose rest is over are forgotten when they become many."""
    monkeypatch.setattr(module, "MAX_RESTING", 10)
    limit = PerIpLimit(1, 1e-9)
    for n in range(100):
        await limit.enter(f"192.0.2.{n}")
        limit.leave(f"192.0.2.{n}")
    assert len(limit._known) <= 12
