"""Runs of a user's own code: what is kept, what is run again, and what is said meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lycosa.errors import InputError, SpecError
from lycosa.files import cache_directory
from lycosa_lab.grids.comparing import compare
from lycosa_lab.grids.grid import Laboratory, run_grid
from lycosa_lab.grids.variants import variants
from lycosa_lab.papers import reproduce_paper
from lycosa_lab.runs.given import Given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.webs import cache

SMALL = Options(pages=12)
MINE = """
from lycosa.methods.baselines.breadth_first import BreadthFirst
import short_helper


class Mine(BreadthFirst):
    def rank(self, page, judgement):
        from more_help import SIGN

        found = super().rank(page, judgement)
        return [type(one)(one.link, SIGN * short_helper.score(n), rule=one.rule) for n, one in enumerate(found)]
"""


def in_a_process(folder: Path, web: Path, *more: str) -> str:
    """The URLs of a run of the strategy in that folder, by a process of its own."""
    code = (
        "import sys; from lycosa_lab import Options, compare\n"
        f"found = compare({str(web)!r}, ['mine.py:Mine'], topics=['owls'], options=Options(pages=12), runs=1{''.join(more)})\n"
        "print(*found.runs[0].fetched)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_changed_module_that_a_strategy_imports_is_run_again(
    web: object, demo_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Also one that is imported in a function, for a constant; and a file beside it that it does not import is not."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "short_helper.py").write_text("def score(n):\n    return n\n")
    (tmp_path / "more_help.py").write_text("SIGN = 1\n")
    kept = tmp_path / "cache" / "runs"
    kept.mkdir(parents=True)
    for path in cache_directory().glob("*.pages"):
        (kept.parent / path.name).symlink_to(path)
    monkeypatch.setenv("LYCOSA_CACHE", str(kept.parent))
    first, files = in_a_process(tmp_path, demo_folder), {*kept.iterdir()}
    (tmp_path / "unrelated.py").write_text("SIGN = 2\n")
    assert in_a_process(tmp_path, demo_folder) == first
    assert {*kept.iterdir()} == files

    (tmp_path / "short_helper.py").write_text("def score(n):\n    return -n\n")
    second = in_a_process(tmp_path, demo_folder)
    (tmp_path / "more_help.py").write_text("SIGN = -1\n")
    third = in_a_process(tmp_path, demo_folder)

    assert first != second
    assert third == first
    assert len({*kept.iterdir()} - files) == 2, "both were run, not read"


def test_fresh_runs_are_made_again(demo_folder: Path, monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    run = Laboratory.run

    def counted(self: Laboratory, variant: object) -> Run:
        made.append(self.topic.name)
        return run(self, variant)  # type: ignore[arg-type]

    monkeypatch.setattr(Laboratory, "run", counted)
    for fresh, expected in ((False, 1), (False, 1), (True, 2)):
        compare(demo_folder, ["opic"], topics=["tides"], options=SMALL, runs=1, random_seed=81, fresh=fresh)
        assert len(made) == expected


def test_progress_counts_runs(demo_folder: Path):
    """Two strategies on two draws are four runs."""
    heard: list[tuple[int, int]] = []
    wanted = variants(["breadth-first", "opic"], [])
    run_grid(
        demo_folder,
        ["owls"],
        wanted,
        SMALL,
        random_seeds=[1, 2],
        processes=1,
        progress=lambda *told: heard.append(told),
    )

    assert heard == [(0, 4), (2, 4), (4, 4)]


def test_what_is_given_can_be_text():
    """As on the command line; anything else is refused with how to write it."""
    assert Options(given="keywords,examples:3").given == Given(keywords=True, examples=3)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="keywords,examples:3"):
        Options(given="keyword")  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="write it as text"):
        Options(given=["keywords"])  # type: ignore[arg-type]


def test_ctrl_c_says_that_finished_runs_are_kept(demo_folder: Path):
    """One line, and the exit code of Ctrl-C."""
    command = [
        sys.executable,
        "-m",
        "lycosa",
        "lab",
        "run",
        str(demo_folder),
        "--runs",
        "500",
        "--workers",
        "1",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stderr
    while "runs: 0 of" not in (line := process.stderr.readline()):
        assert line, "it ended by itself"
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)

    assert process.returncode == 130
    assert [line for line in said.splitlines() if not line.startswith("runs:")] == [
        "Stopped. Finished runs are kept: the same command goes on from there."
    ]


def test_a_paper_about_events_needs_events(demo_folder: Path, tmp_path: Path):
    """It is refused before anything is parsed, with what to do."""
    for file in demo_folder.iterdir():
        if file.name != "events.csv":
            (tmp_path / file.name).symlink_to(file)
    with pytest.raises(InputError, match=r"has no events\.csv.*Write it, or leave --web out"):
        reproduce_paper("event", tmp_path, tmp_path / "out", lambda _: None)


def test_the_cache_says_its_size_and_can_be_emptied(
    lycosa: Callable[..., tuple[int, str, str]],
    demo_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    """The lab's files alone: what the crawler keeps there stays."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "MUCH_CACHED", 1)
    (tmp_path / "languages-1.npz").write_bytes(b"kept")
    command = ["lab", "run", demo_folder, "--topic", "owls", "--pages", "10", "--runs", "1", "--workers", "1"]
    code, _, said = lycosa(*command, "--strategy", "opic")
    assert code == 0
    assert f"The lab's cache in {tmp_path} has" in said
    assert "lycosa lab cache --clear" in said
    assert list((tmp_path / "runs").iterdir())

    code, told, _ = lycosa("lab", "cache", "--clear")
    assert code == 0
    assert "has 0 MB" in told
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {name.partition("-")[0] for name in left} == {"languages"}, "the crawler's own stays"
