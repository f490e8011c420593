"""What the profile crawler gains, on made-up runs."""

from __future__ import annotations

from research.profile_figures import compared

from lycosa_lab.papers.profile.crawls import ProfileRun
from lycosa_lab.webs.web import Topic


def test_strategies_are_compared_by_harvest_capture_and_what_they_found():
    """Harvest is of items, capture of pages, the last a share of what there is; ours is compared with itself by no test."""
    topic = Topic("kites", {1: 2, 2: 2, 9: 2, 10: 2})
    ours = ProfileRun("profile", "kites", {}, [1, 2, 3], ["detail", "detail", "list"], [True, True, False])
    types, right = ["list", "detail", "detail", "list"], [False, False, True, False]
    theirs = ProfileRun("opic", "kites", {}, [3, 4, 1, 5], types, right)
    rows = compared({"profile": [ours], "opic": [theirs]}, [topic]).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [cells[0][at].split(" ")[0] for at in (1, 3, 5)] == ["1.000", ".667", ".500"]
    assert [cells[1][at].split(" ")[0] for at in (1, 3, 5)] == [".500", ".500", ".250"]
    assert cells[0][2::2] == ["", "", ""]
