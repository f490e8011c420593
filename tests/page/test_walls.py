"""Walls are told from honest pages that look like them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from lycosa.page.response import document_of
from lycosa.page.walls import wall_of
from lycosa.values import Fetched, Link, Refusal

SAMPLES = tomllib.loads((Path(__file__).parent / "walls.toml").read_text(encoding="utf-8"))
PROSE = (
    "the owl sat on the wall of the old barn and looked over the fields where the farmer had cut the hay a week ago "
    "when rain came from the west it turned its head and waited until a mouse moved in the stubble below then it flew "
    "without a sound and was gone before anybody in the village had noticed that the evening was over"
).split()
GOOD_ENOUGH = 0.95


def told(sample: dict[str, Any]) -> str:
    """What a sample is taken for."""
    markup = re.sub(
        r"\{prose (\d+)\}", lambda found: " ".join(islice(cycle(PROSE), int(found[1]))), sample["html"]
    )
    headers = tuple({"Content-Type": "text/html; charset=utf-8", **sample.get("headers", {})}.items())
    link = Link(sample.get("url", "http://www.a.test/page"), 1)
    fetched = Fetched(link, sample.get("status", 200), headers, markup.encode(), b"", b"", 0.0, 0.0)
    document = document_of(fetched)
    assert not isinstance(document, Refusal)
    return wall_of(document, fetched)


def shares(start: int) -> tuple[float, float]:
    """Of every other sample from `start` on: the walls that are found, and the honest pages that are left alone."""
    walls: Sequence[dict[str, Any]] = SAMPLES["wall"][start::2]
    pages: Sequence[dict[str, Any]] = SAMPLES["page"][start::2]
    return (
        sum(bool(told(sample)) for sample in walls) / len(walls),
        sum(not told(sample) for sample in pages) / len(pages),
    )


@pytest.mark.parametrize("start", [0, 1], ids=["developed on", "measured on"])
def test_walls_are_told_from_pages_like_them(start: int):
    found, left_alone = shares(start)

    assert found >= GOOD_ENOUGH
    assert left_alone >= GOOD_ENOUGH


def test_the_kind_of_wall_is_told():
    right = [told(sample) == sample["kind"] for sample in SAMPLES["wall"]]

    assert sum(right) / len(right) >= 0.85
