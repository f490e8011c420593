"""`lab reproduce genre` writes the tables and figures of Qian, Suebchua and Yamana."""

from __future__ import annotations

import csv
from pathlib import Path

from lycosa_lab.papers import reproduce_paper
from lycosa_lab.papers.genre import reproduce as genre


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_tables_and_figures(demo_folder: Path, tmp_path: Path, monkeypatch):
    """Tables 1 to 5 and figures 2 to 5, for the two largest topics, and what was found as JSON."""
    monkeypatch.setattr(genre, "PAGES", 25)
    monkeypatch.setattr(genre, "WEIGHTS", (0.0, 0.5, 1.0))
    monkeypatch.setattr(genre, "LATER_SEEDS", (2,))
    said: list[str] = []
    written = {path.name for path in reproduce_paper("genre", demo_folder, tmp_path, said.append)}

    (first, _, _), (second, _, _) = (row.values() for row in rows(tmp_path / "table-4-score-functions.csv"))
    assert written == {
        "genre.json",
        "table-1-graph.csv",
        f"table-2-{first}.csv",
        f"table-3-{second}.csv",
        "table-4-score-functions.csv",
        "table-5-harvest.csv",
        *(f"figure-2-coverage-{topic}.{end}" for topic in (first, second) for end in ("png", "svg")),
        *(f"figure-3-area-{topic}.{end}" for topic in (first, second) for end in ("png", "svg")),
        *(
            f"figure-{4 + n}-harvest-{t}.{end}"
            for n, t in enumerate((first, second))
            for end in ("png", "svg")
        ),
    }
    assert rows(tmp_path / f"table-2-{first}.csv")[-1]["genre"] == "all"
    assert {row["crawler"] for row in rows(tmp_path / "table-5-harvest.csv")} >= {"best-first (S = R)"}
    assert all(0 <= float(row["harvest rate"]) <= 1 for row in rows(tmp_path / "table-5-harvest.csv"))
    assert any("w_R 0.5" in line for line in said)
