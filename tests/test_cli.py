"""The command line: quick, helpful, and never a traceback."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from lycosa import __version__
from lycosa.cli import app
from lycosa.commands.reference import _commands
from lycosa.errors import LycosaError

RUN = CliRunner()
COMMANDS = [name for name, _ in _commands(app)]
PLAIN = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}


def lycosa(*arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """The program as a user runs it."""
    command = [sys.executable, "-W", "ignore", "-m", "lycosa", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=PLAIN, check=False, **more)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    """--help says what the command does and explains every option."""
    result = RUN.invoke(app, [*name.split(), "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output
    command = dict(_commands(app))[name]
    assert (command.help or "").strip().endswith((".", "?"))
    for param in command.params:
        assert getattr(param, "help", None), f"{name} {param.name} is not explained"


def test_version_and_no_arguments():
    """--version is one line; without arguments there is help."""
    assert RUN.invoke(app, ["--version"]).output == f"lycosa {__version__}\n"
    done = lycosa()
    assert "crawl" in done.stdout + done.stderr
    assert done.returncode in (0, 2)


def test_start_up_is_quick():
    """Half a second of processor time at most, for help that loads nothing heavy."""
    best = 9.0
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert lycosa("--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert best < 1.0, "start-up should take under half a second, and took twice that"


def test_help_loads_nothing_heavy():
    """What makes start-up quick: the engine is imported when a command runs."""
    code = "import sys, lycosa.cli; print([m for m in ('numpy', 'aiohttp', 'selectolax', 'pydantic') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["crawl", "none.toml"], 2, ["none.toml", "lycosa init"]),
        (["why", "none", "http://a.example/"], 1, ["none", "not a collection"]),
        (["report", "."], 1, ["not a collection"]),
        (["init", "x"], 2, ["--topic", "--site"]),
        (["init", "file/x", "--topic"], 2, ["cannot be written"]),
        (["crawl", "bad.toml"], 2, ["bad.toml, line 2", "'pages'"]),
        (["crawl", "empty.toml"], 2, ["topic is empty"]),
        (["crawl", "empty.toml", "--set", "nonsense"], 2, ["--set nonsense"]),
        (["crawl", "empty.toml", "--strategy", "best"], 2, ["--set strategy", "'best-first'"]),
        (["crawl", "empty.toml", "--max-pages", "0"], 2, ["limits.pages"]),
        (["cralw"], 2, ["cralw"]),
    ],
)
def test_wrong_use_is_one_clear_message(tmp_path, arguments, code, words):
    """The thing and the fix are named, the exit code is right, and there is no traceback."""
    (tmp_path / "bad.toml").write_text("[limits]\npage = 5\n")
    (tmp_path / "empty.toml").write_text("[seeds]\nurls = ['http://127.0.0.1:9/']\n")
    (tmp_path / "file").write_text("")
    done = lycosa(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def test_init_writes_a_spec_once(tmp_path):
    """Both kinds; an existing file is never overwritten."""
    for kind in ("--topic", "--site"):
        directory = tmp_path / kind.strip("-")
        assert RUN.invoke(app, ["init", str(directory), kind]).exit_code == 0
        assert (directory / "crawl.toml").exists()
        assert isinstance(RUN.invoke(app, ["init", str(directory), kind]).exception, LycosaError)


def test_groups_are_typer_apps():
    """Each group of commands registers itself."""
    assert isinstance(app, typer.Typer)
    assert {"init", "crawl", "why", "report", "demo", "bench"} <= set(COMMANDS)
