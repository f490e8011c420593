"""The tables of the methods' pages are made of what `lycosa lab reproduce` writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from research.event import paper_tables as event_tables
from research.images import paper_tables as image_tables
from research.images.picture_topics import compared

from lycosa.lab.run import Run
from lycosa.lab.web import Topic
from lycosa.methods.multimedia.paper.comparison import TEXT_ONLY, VARIANTS
from lycosa.methods.multimedia.paper.crawls import Collected
from lycosa.methods.multimedia.paper.trials import candidates, papers_trials
from lycosa.methods.profile.paper.crawls import ProfileRun
from research import measured, profile_tables

GOOD = Collected({f"u{i}": (2 if i < 15 else 0, 1) for i in range(20)}, 3, 4, (20, 20))
POOR = Collected({f"u{i}": (2 if i < 5 else 0, 1) for i in range(20)}, 0, 0, (20, 20))


def cells(text: str) -> list[list[str]]:
    """The rows of the first table of a text, its heads left out."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.fixture
def crawls() -> image_tables.Crawls:
    """Text alone is poor on every web, all else is good."""
    names = [*papers_trials(), *(name for group in candidates().values() for name in group)]
    found = {name: [POOR if len(name.split()) == 2 and name[:2] == "f'" else GOOD] * 4 for name in names}
    return image_tables.Crawls(found, found)


def test_what_was_reproduced_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The folder says at which commit it was made."""
    made: list[str] = []
    monkeypatch.setattr(measured, "reproduce_paper", lambda paper, *_: made.append(paper))
    first = measured.reproduced("event", None, tmp_path)

    assert measured.reproduced("event", None, tmp_path) == first
    assert made == ["event"]


def test_what_either_half_of_the_events_learned_is_a_row():
    """Weights, and rates where they were learned and on the other half."""
    rates = {
        f"{name} ({on})": f"0.{at}00"
        for at, on in ((1, "learned"), (2, "tested"))
        for name in ("P", "R", "F1")
    }
    row = {"variant": "topic", "learned on": "half 1", "k": "20", "threshold": "0.750"}
    made = event_tables.learned_table([row | {"topic": "1", "place": "0", "date": "0"} | rates])

    assert cells(made) == [
        ["topic, half 1", "20", "0.750", "1 0 0", "0.100 0.100 0.100", "0.200 0.200 0.200"]
    ]


def test_crawlers_are_paired_by_event():
    """Ours has no p."""
    rows = [
        {"strategy": name, "event": str(n), "recall": recall, "auc": recall, "hosts": "5"}
        for name, recall in (("event", "0.8"), ("best-first", "0.5"))
        for n in range(6)
    ]
    ours, theirs = cells(event_tables.crawls_table(rows))

    assert ours == ["**event**", ".800 ± .000", "", ".800 ± .000", "", "5.0", ""]
    assert theirs[0] == "best-first"
    assert float(theirs[2]) < 0.05
    assert theirs[-1] == "1.000"


def test_seeds_are_told_by_selection_and_number():
    rows = [{"selection": "one each", "K": k, "recall": "0.5", "sources": "9.6"} for k in ("10", "50")]

    assert cells(event_tables.seeds_table(rows)) == [["one each", ".500, 10", ".500, 10"]]


def test_the_tables_of_the_demo_webs(crawls: image_tables.Crawls):
    """Text alone .250, with images .750; the paper's figures in brackets."""
    links = [
        {
            "page shows such an image": shows,
            "T from": "0.1",
            "links of a web": "100",
            "strict": "0.10",
            "lenient": "0.30",
        }
        for shows in ("yes", "no")
    ]
    parts = image_tables.demo_parts(crawls, links, "abc")

    assert cells(parts["table 3"])[0][1] == ".750 (.303)"
    assert cells(parts["table 3"])[-1][-1] == ".250 (.212)"
    assert cells(parts["best settings"])[0][1] == ".250 (t1 = 0.1)"
    assert (
        "Of the 100 links below 0.2 that an image opens on a web, about 10 lead to data, 20 to"
        in parts["links by T"]
    )
    assert cells(parts["skip-one"])[0][:3] == ["0.6", ".750", ".250"]
    assert [row[3] for row in cells(parts["fresh webs"])][:2] == ["", ".500"]


def run(strategy: str, found: int, fetched: int) -> Run:
    return Run(
        strategy=strategy,
        settings={},
        topic="storms",
        random_seed=1,
        budget=10,
        targets=9,
        curve=[found] * fetched,
        fetched=["u"] * fetched,
        collected=[],
        precision=0.0,
        strict=(0.0, 0.0, 0.0),
        lenient=(0.0, 0.0, 0.0),
        decided_by={},
        scores=[],
        threshold=None,
    )


def test_a_crawl_that_ended_early_says_so(crawls: image_tables.Crawls):
    """And the opening of the page has the means over all draws."""
    found = {("storms", name): [run(name, 3 if name == TEXT_ONLY else 5, 7)] * 6 for name in VARIANTS}
    rows = cells(compared(found, 10, "abc"))

    assert rows[0] == [TEXT_ONLY, "3.0 ± 0.0 (ends after 7)", "3.0", ""]
    assert "images find 5.0 relevant pages among 10, text alone 3.0 (p .031, one of 9" in image_tables.gained(
        crawls, found, 10
    )


def test_a_sharing_site_is_told_by_thousands_of_pages(monkeypatch: pytest.MonkeyPatch):
    """A baseline that knows no topic has one row of capture; where ours is below it is said."""
    monkeypatch.setattr(profile_tables, "STEP", 2)
    monkeypatch.setattr(profile_tables, "SHOWN", (2, 4))
    topic = Topic("kites", {1: 2, 2: 2, 9: 2})
    ours = ProfileRun(
        "profile", "kites", {}, [1, 7, 8, 2], ["detail", "list", "list", "detail"], [True, False, False, True]
    )
    opic = ProfileRun("opic", "kites", {}, [3, 4, 5, 1], ["detail", "detail", "list", "list"], [False] * 4)
    runs = [opic, opic.about(Topic("owls", {4: 2})), ours]
    relevant = {"kites": len(topic.relevant()), "owls": 1}

    captured = cells(profile_tables.over_pages(runs, ["profile", "opic"], ProfileRun.capture))
    assert captured == [["kites", "profile", ".500", ".500"], ["any", "opic", "1.000", ".500"]]
    blocks = cells(profile_tables.over_pages(runs, ["profile"], profile_tables.block))
    assert blocks == [["kites", "profile", "1.000", "1.000"]]
    assert profile_tables.beside_opic(runs) == "- kites: .500 after 4 pages, OPIC .500; below OPIC's after 2."
    assert cells(profile_tables.bounds(runs, relevant)) == [["kites", "2", "3", "2", "1.500", "1.000"]]
    assert cells(profile_tables.variants(runs, relevant))[-1] == [
        "kites",
        "profile",
        "1.000 / .500",
        "1.000 / .500",
        "2 of 3",
        "4",
    ]
