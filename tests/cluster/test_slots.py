"""Slots: every source has one owner, whatever the number of shards."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lycosa.cluster.division.slots import SLOTS, Slots, slot_of


def test_hosts_of_one_source_have_one_owner():
    """Politeness and limits of a site stay inside one shard."""
    slots = Slots.among(64)
    owners = {
        slots.owner_of(f"http://{host}.town.co.uk:{port}/a") for host in "abcdef" for port in (80, 8080)
    }
    assert len(owners) == 1


def test_sources_spread_evenly():
    """No shard gets much more than its share of the Web."""
    counts = Counter(slot_of(f"site{number}.example") for number in range(100 * SLOTS))
    assert len(counts) == SLOTS
    assert max(counts.values()) < 150


@given(st.lists(st.integers(1, 64), min_size=1, max_size=6))
def test_resizing_moves_no_more_than_it_must(sizes):
    """However often the number of shards changes: shares stay even, and slots move only to make them so."""
    slots = Slots.among(sizes[0])
    for shards in sizes[1:]:
        before, slots = slots, slots.among_others(shards)
        shares = Counter(slots.owners)
        assert sorted(shares) == list(range(shards))
        assert max(shares.values()) - min(shares.values()) <= 1
        moved = sum(old != new for old, new in zip(before.owners, slots.owners, strict=True))
        surplus = sum(max(0, count - shares[shard]) for shard, count in Counter(before.owners).items())
        assert moved == surplus
