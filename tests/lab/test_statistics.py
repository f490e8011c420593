"""What the lab concludes from runs: topics are independent, draws of one topic are not."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lycosa.errors import InputError
from lycosa_lab import metrics, results
from lycosa_lab.grids.comparing import compare
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run

TOPICS = ("bread", "comets", "kites", "owls", "tides", "whales")


def runs_of(strategy: str, found: list[int], draws: int = 10, topics: tuple[str, ...] = TOPICS) -> list[Run]:
    """Runs of ten pages that find so many relevant pages of each topic."""
    none = (0.0, 0.0, 0.0)
    return [
        Run(
            strategy,
            {},
            topic,
            seed,
            10,
            10,
            [*range(1, count + 1)],
            [*map(str, range(count))],
            [],
            0.0,
            none,
            none,
            {},
            [0.5] * count,
            None,
        )
        for topic, count in zip(topics, found, strict=True)
        for seed in range(draws)
    ]


BETTER, WORSE = runs_of("better", [6, 7, 8, 9, 10, 9]), runs_of("worse", [5, 5, 5, 5, 5, 5])


def on_recall(tests: list[dict[str, Any]], strategy: str) -> dict[str, Any]:
    return next(one for one in tests if (one["strategy"], one["measure"]) == (strategy, "recall"))


def test_more_draws_of_the_same_topics_prove_nothing():
    """Six topics that all agree reach 2 / 2^6, with one draw or with ten."""
    for draws in (1, 10):
        runs = [*runs_of("worse", [5] * 6, draws), *runs_of("better", [6, 7, 8, 9, 10, 9], draws)]
        found = on_recall(results.paired_tests(runs), "better")

        assert found["p"] == found["least_p"] == metrics.least_p(6) == 0.03125
        assert found["topics"] == 6


def test_standard_errors_are_over_topics():
    """They are those of the topics' means, so that they do not shrink with draws; one topic has none."""
    expected = metrics.mean_and_error([0.6, 0.7, 0.8, 0.9, 1.0, 0.9])
    assert results.mean_of(BETTER, "recall") == expected
    assert expected.se == pytest.approx(0.06009, abs=1e-5)

    alone = results.mean_of(runs_of("better", [6], topics=("owls",)), "recall")
    assert math.isnan(alone.se)
    assert str(alone) == "0.600"


def test_the_reference_is_the_one_named_before():
    """By default the first; every other strategy is compared with it, and corrected for their number."""
    runs = [*runs_of("oracle", [10] * 6), *WORSE, *BETTER, *runs_of("same", [5] * 6)]
    tests = results.paired_tests(runs)
    assert {test["baseline"] for test in tests} == {"worse"}, "an oracle is no candidate"
    assert {test["strategy"] for test in tests} == {"better", "same"}
    assert on_recall(tests, "better")["p_holm"] == 2 * 0.03125
    assert on_recall(tests, "same")["p_holm"] == 1.0

    named = results.paired_tests(runs, "better")
    assert {test["baseline"] for test in named} == {"better"}
    assert on_recall(named, "worse")["difference"] == pytest.approx(-0.31667, abs=1e-5)


def test_a_baseline_that_is_not_compared_is_refused_before_the_work(demo_folder: Path):
    with pytest.raises(InputError, match=r"--baseline opic: .* Choose one of: best-first"):
        compare(demo_folder, ["best-first"], baseline="opic")


def test_every_table_says_what_so_few_topics_can_show(tmp_path: Path):
    """Terminal, JSON and CSV."""
    found = results.summary([*WORSE, *BETTER], Options(pages=10))
    results.write_json(tmp_path / "lab.json", found)
    results.write_csv(tmp_path / "lab.csv", BETTER, found["tests"])
    said = " ".join(results.table_text(found).split())

    assert "6 topics. p: paired permutation test over topics, Holm-corrected for 1 comparison" in said
    assert "with 6 topics it cannot be below 0.031" in said
    assert "p (recall, against worse)" in said
    assert msgspec.json.decode((tmp_path / "lab.json").read_bytes())["least_p"] == 0.03125
    with (tmp_path / "lab-tests.csv").open() as lines:
        assert {row["least_p"] for row in csv.DictReader(lines)} == {"0.03125"}


def test_one_topic_shows_neither_errors_nor_chances():
    runs = [*runs_of("a", [5], topics=("owls",)), *runs_of("b", [9], topics=("owls",))]
    said = results.table_text(results.summary(runs, Options(pages=10)))

    assert said.count("±") == 2, "in the titles alone"
    assert "Standard errors and p values need more topics." in said


def test_many_topics_are_tested_by_resampling():
    """Above the limit random signs are drawn, the same ones every time."""
    first = [0.5 + 0.01 * n for n in range(metrics.MAX_EXACT + 1)]
    p = metrics.paired_test(first, [0.0] * len(first))

    assert p == metrics.paired_test(first, [0.0] * len(first))
    assert metrics.least_p(len(first)) == pytest.approx(1e-5, rel=1e-4)
    assert metrics.least_p(len(first)) <= p < 1e-4
