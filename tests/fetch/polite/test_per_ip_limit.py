"""The limit of requests to one IP address."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from lycosa.fetch.polite import per_ip_limit as module
from lycosa.fetch.polite.per_ip_limit import PerIpLimit


async def test_rest_lies_between_two_requests():
    """The next request to an address starts no sooner than the delay after the last."""
    limit = PerIpLimit(2, 0.05)
    loop = asyncio.get_running_loop()
    starts = []
    for _ in range(3):
        async with limit.turn("192.0.2.1"):
            starts.append(loop.time())
    assert all(later - sooner >= 0.049 for sooner, later in itertools.pairwise(starts))


async def test_addresses_do_not_wait_for_each_other():
    """A full address stops only itself."""
    limit = PerIpLimit(1, 0.0)
    async with limit.turn("192.0.2.1"):
        async with asyncio.timeout(60):
            async with limit.turn("192.0.2.2"):
                pass


async def test_nothing_is_kept_of_addresses_at_rest():
    """Idle addresses cost no memory, also when a waiting request was cancelled."""
    limit = PerIpLimit(1, 0.0)

    async def wait() -> None:
        async with limit.turn("192.0.2.1"):
            raise AssertionError("there is no room")

    async with limit.turn("192.0.2.1"):
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert not limit._known


async def test_resting_addresses_are_bounded(monkeypatch):
    """With a delay, addresses whose rest is over are forgotten when they become many."""
    monkeypatch.setattr(module, "MAX_RESTING", 10)
    limit = PerIpLimit(1, 1e-9)
    for n in range(100):
        async with limit.turn(f"192.0.2.{n}"):
            pass
    assert len(limit._known) <= 12
