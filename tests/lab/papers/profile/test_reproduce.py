"""`lab reproduce profile` writes every table and figure, and its measures count what they say."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from lycosa.errors import InputError
from lycosa_lab.demo_web import DemoWeb
from lycosa_lab.demo_web.sharing import sharing_part
from lycosa_lab.demo_web.topics import topics_part
from lycosa_lab.papers import reproduce_paper
from lycosa_lab.papers.profile import reproduce as paper
from lycosa_lab.papers.profile.crawls import ProfileRun
from lycosa_lab.webs.web import Topic

RUN = ProfileRun(
    "profile", "kites", {}, [1, 2, 3, 4], ["list", "detail", "detail", "profile"], [False, True, False, False]
)


def test_measures():
    """Harvest is over detail pages, capture over all; a baseline's crawl can be counted for another topic."""
    assert (RUN.harvest(4), RUN.capture(4), RUN.blocks(2)) == (0.5, 0.5, [1.0, 0.0])
    assert RUN.pages_for(1.0) == 2
    other = RUN.about(Topic("lanterns", {3: 2}))
    assert (other.topic, other.relevant) == ("lanterns", [False, False, True, False])


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_tables_and_figures(tmp_path, monkeypatch):
    """All of them in one command, for each topic with tags."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(paper, "MAX_PAGES", 100)
    DemoWeb((sharing_part(1),)).write(tmp_path / "web")
    said: list[str] = []
    written = {
        path.name for path in reproduce_paper("profile", tmp_path / "web", tmp_path / "out", said.append)
    }

    assert {"table-1.csv", "table-2-kites.csv", "table-3-lanterns.csv"} <= written
    assert {"figures.csv", "summary.csv", "runs.json", "profile.png", "ablation.png"} <= written
    assert {
        f"figures-{n}.svg" for n in ("14-15-capture", "16-17-robustness", "12-13-harvest-opic")
    } <= written
    assert said[0] == "Page types from three examples each: 100.00% right."
    for row in table(tmp_path / "out" / "table-1.csv"):
        assert float(row["S"]) + float(row["V"]) == pytest.approx(float(row["T"]), rel=1e-3)
        assert float(row["INT"]) <= min(float(row["US"]), float(row["UV"]))
    rows = table(tmp_path / "out" / "figures.csv")
    assert {row["strategy"] for row in rows} == {*paper.BASELINES, *paper.VARIANTS}
    last = {(r["topic"], r["strategy"]): float(r["harvest"]) for r in rows if r["pages"] == "100"}
    for topic in ("kites", "lanterns"):
        assert last[topic, "profile"] > max(last[topic, name] for name in paper.BASELINES)


def test_a_web_without_page_types(tmp_path):
    """The error says what is missing."""
    DemoWeb((topics_part(1),)).write(tmp_path / "web")
    with pytest.raises(InputError, match=r"page-types\.csv"):
        reproduce_paper("profile", tmp_path / "web", tmp_path / "out", print)
