"""One crawl is answered in several ways."""

from __future__ import annotations

from pathlib import Path

import msgspec
from research.label_figures import ANSWERS, ASKED, CARELESS, WAYS, Interview

from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research import label_figures


def test_each_way_starts_with_the_same_collection(demo_folder: Path):
    """Answers of one way are forgotten before the next; the same way gives the same figures."""
    case = msgspec.structs.replace(label_figures.CASE, pages=60)
    interview = Interview(CachedWeb(VirtualWeb.open(demo_folder)), "owls", 1, case)
    found = [interview.answer(way) for way in (*WAYS, ASKED)]

    assert len({one.f1[0] for one in found}) == 1
    assert found[0].f1 == found[-1].f1
    assert {len(one.f1) for one in found[:2]} == {ANSWERS // 5 + 1}
    assert not interview.user.answers

    told = label_figures.summary(label_figures.Answering("abc", 60.0, found[:-1]))
    assert len(told.splitlines()) == 2 + len(WAYS) + 2
    assert f"| {CARELESS} | 1 |" in told
