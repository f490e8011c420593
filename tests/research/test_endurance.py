"""A small part of each program of research/endurance."""

from __future__ import annotations

import shutil
from random import Random

import pytest
from research.endurance import dialogues, fuzz, kills, power


def test_ten_thousand_inputs_break_nothing():
    """None raises anything but an error for the user, and none takes more than two seconds of CPU."""
    found = fuzz.fuzz(10_000)
    assert [told for one in found.values() for told in one.broken] == []
    assert {name: one.slowest for name, one in found.items() if one.slowest_s > fuzz.SLOW_S} == {}


@pytest.mark.parametrize("strategy", ["selective", "event"])
def test_killed_crawls_end_like_others(strategy):
    """With images, requisites, revisits and faults of the web. `fused` is killed in tests/engine/test_kill.py."""
    found = kills.endure(strategy, pages=60, kills=2)
    assert found.pages == 60
    assert found.differing == ()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_power_cuts_leave_collections():
    """Every collection opens, and the resumed crawl ends the same way."""
    found = power.endure(pages=40, cuts=3, resumed=1)
    assert found.wrong == []
    assert found.cuts == 3
    assert found.resumed == 1


def test_only_unsynced_data_may_be_lost():
    """For any random seed the synced data are there, and nothing that was never written."""
    notes = [
        power.Note("C", "a", 0, b""),
        power.Note("W", "a", 0, b"safe"),
        power.Note("S", "a", 0, b""),
        power.Note("W", "a", 4, b"more"),
        power.Note("R", "a", 0, b"b"),
    ]
    found = {power.disk_after_a_cut(notes, Random(seed))["b"] for seed in range(50)}
    assert found == {b"safe", b"safemore"}
    assert power.disk_without_a_cut(notes) == {"b": b"safemore"}


async def test_dialogues_end_and_bring_their_own_bytes():
    """Hundreds of dialogues with servers that send what nobody asked for: none hangs, none gets another URL's bytes."""
    results, wrong = await dialogues.run_dialogues(range(300), at_once=50)
    assert wrong == []
    assert results["fetched"] > 500
