"""Every source has one owner, and a crawl keeps the number of its shards."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lycosa.cluster.division import Division, note_division
from lycosa.cluster.run import refuse_other_number
from lycosa.errors import CollectionError, InputError


def test_hosts_of_one_source_have_one_owner():
    """Politeness and limits of a site stay inside one shard."""
    division = Division(64)
    owners = {
        division.owner_of(f"http://{host}.town.co.uk:{port}/a") for host in "abcdef" for port in (80, 8080)
    }
    assert len(owners) == 1


@pytest.mark.parametrize("shards", [3, 64, 1024])
def test_sources_spread_evenly(shards: int):
    """No shard gets much more than its share of the Web."""
    counts = Counter(
        Division(shards).owner_of(f"http://site{number}.example/") for number in range(100 * shards)
    )
    assert len(counts) == shards
    assert max(counts.values()) < 150


def test_the_number_of_shards_is_fixed(tmp_path: Path):
    refuse_other_number(tmp_path, 4)
    (tmp_path / "catalogue.db").touch()
    with pytest.raises(InputError, match=r"in one process\. Continue it without --shards"):
        refuse_other_number(tmp_path, 4)
    note_division(tmp_path, Division(2))
    refuse_other_number(tmp_path, 2)
    with pytest.raises(InputError, match=r"has 2 shards, not 4\. Run the command again with --shards 2"):
        refuse_other_number(tmp_path, 4)


def test_an_earlier_division_is_refused(tmp_path: Path):
    (tmp_path / "shards.json").write_text('{"owners": [0, 1]}')
    with pytest.raises(
        CollectionError, match=r"earlier version of Lycosa.* lycosa import .*shards/\[0-9\]\* --out NEW"
    ):
        refuse_other_number(tmp_path, 2)
