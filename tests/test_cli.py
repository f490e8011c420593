"""The command line: quick, helpful, and never a traceback."""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lycosa import __version__
from lycosa.cli import GROUPS, app
from lycosa.commands.reference import _commands
from lycosa.errors import LycosaError

RUN = CliRunner()
COMMANDS = [name for name, _ in _commands(app)]
PLAIN = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}


def in_a_process(*arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """The program as a user runs it."""
    command = [sys.executable, "-W", "ignore", "-m", "lycosa", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=600, env=PLAIN, check=False, **more
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    """--help says what the command does and explains every option."""
    result = RUN.invoke(app, [*name.split(), "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output
    command = dict(_commands(app))[name]
    told, _, example = (command.help or "").partition("Example: ")
    assert told.strip().endswith((".", "?"))
    program, *words = shlex.split(example)
    assert [program, *words[: len(name.split())]] == ["lycosa", *name.split()]
    command.make_context(name, words[len(name.split()) :]).close()  # it is an example of right use
    for param in command.params:
        assert getattr(param, "help", None), f"{name} {param.name} is not explained"


def test_init_makes_one_kind_of_crawl(tmp_path, lycosa):
    """Two kinds at once are named in the answer; so is that none was given."""
    code, _, complaint = lycosa("init", tmp_path / "a", "--event", "--topic")
    assert (code, complaint.count("\n")) == (2, 1)
    assert "one of --topic and --event" in complaint
    assert "which kind" in lycosa("init", tmp_path / "a")[2]


def test_version_and_no_arguments(lycosa, monkeypatch):
    """--version is one line; without arguments there is help, as there is with `help` and -h."""
    for version in ("--version", "-V"):
        assert RUN.invoke(app, [version]).output == f"lycosa {__version__}\n"
    assert "Usage" in RUN.invoke(app, ["-h"]).output
    monkeypatch.setenv("COLUMNS", "100")
    assert "Instead of the spec's strategy" in lycosa("help", "crawl")[1]
    assert "--train-share" in lycosa("help", "lab", "run")[1]
    done = in_a_process()
    assert "crawl" in done.stdout + done.stderr
    assert done.returncode in (0, 2)


def test_start_up_is_quick():
    """Half a second of processor time at most, for help that loads nothing heavy."""
    best = 9.0
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert in_a_process("--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert best < 1.0, "start-up should take under half a second, and took twice that"


@pytest.mark.parametrize(("given", "found"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_numpy_takes_one_thread_unless_told_otherwise(given, found):
    """A judge that is fitted in this process costs a tenth of the CPU on a busy machine."""
    code = "import atexit, os, sys; from lycosa.cli import main; sys.argv = ['lycosa', '--version']"
    code += "; atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS'])); main()"
    unset = {name: value for name, value in PLAIN.items() if name != "OPENBLAS_NUM_THREADS"}
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=unset | given, check=True
    )
    assert told.stdout.split()[-1] == found


def test_the_process_that_fits_loads_only_what_fits():
    """It is started for every crawl: the spec, the network and the archive's writer are no business of its."""
    code = "import sys, lycosa.learn.fitting.fit_process; print([m for m in ('pydantic', 'aiohttp', 'rich') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["crawl", "none.toml"], 2, ["none.toml", "lycosa init"]),
        (["why", "none", "http://a.example/"], 2, ["none", "not a collection"]),
        (["report", "."], 2, ["not a collection"]),
        (["serve", "."], 2, ["not a collection"]),
        (["index", "."], 2, ["not a collection"]),
        (["export", ".", "--jsonl", "x"], 2, ["not a collection"]),
        (["train", "genre-prior", ".", "--out", "x"], 2, ["not a collection"]),
        (["init", "x"], 2, ["--topic", "--site"]),
        (["init", "file/x", "--topic"], 2, ["cannot be written"]),
        (["init", "https://a.example/", "--site"], 2, ["Name a folder", "[seeds]"]),
        (["report", "made", "--out", "circle"], 2, ["circle cannot be written"]),
        (["crawl", "bad.toml"], 2, ["bad.toml, line 2", "'pages'"]),
        (["crawl", "empty.toml"], 2, ["topic is empty"]),
        (["crawl", "empty.toml", "--set", "nonsense"], 2, ["--set nonsense"]),
        (["crawl", "empty.toml", "--strategy", "best"], 2, ["--set strategy", "'best-first'"]),
        (["crawl", "empty.toml", "--max-pages", "0"], 2, ["--max-pages", "greater than or equal to 1"]),
        (["crawl", "."], 2, ["crawl.toml does not exist"]),
        (["crawl", "made"], 2, ["made is a collection", "--out"]),
        (["cralw"], 2, ["cralw", "'crawl'"]),
        (["help", "cralw"], 2, ["cralw"]),
        (["crawl", ".", "--pages", "5"], 2, ["--pages", "--max-pages"]),
        (["lab", "run", ".", "--max-pages", "5"], 2, ["--max-pages", "--pages"]),
        (["serve", ".", "--hots", "5"], 2, ["--hots", "--host"]),
        (["serve", ".", "--port", "65535"], 2, ["--port"]),
        (["lab", "run", ".", "--set", "x=abc"], 2, ["--set x=abc", "STRATEGY.key=value"]),
        (["lab", "run", ".", "--set", "best-first.k=abc"], 2, ["k: must be a whole number", "'abc'"]),
        (["lab", "run", ".", "--set", "best-first.kk=1"], 2, ["'kk'", "Did you mean 'k'?"]),
        (["lab", "run", ".", "--set", "best-first.page_threshold=inf"], 2, ["inf is not a finite number"]),
        (["lab", "run", ".", "--train-share", "2"], 2, ["--train-share 2", "share"]),
        (["lab", "run", ".", "--train-share", "nan"], 2, ["--train-share nan", "share"]),
        (["lab", "run", ".", "--runs", "0"], 2, ["--runs"]),
        (["lab", "run", ".", "--pages", "-3"], 2, ["--pages"]),
        (["lab", "run", ".", "--seeds", "0"], 2, ["--seeds"]),
        (["lab", "run", ".", "--workers", "0"], 2, ["--workers"]),
        (["lab", "run", ".", "--from", "nowhere"], 2, ["--from nowhere", "both"]),
        (["bench", "--pages", "0"], 2, ["--pages"]),
        (["bench", "--repeat", "-1"], 2, ["--repeat"]),
        (["index", ".", "--workers", "-1"], 2, ["--workers"]),
        (["train", "cotags", ".", "--tag", "x", "--out", "x", "--by", "y"], 2, ["--by y", "phi"]),
    ],
)
def test_wrong_use_is_one_clear_message(tmp_path, lycosa, monkeypatch, arguments, code, words):
    """The thing and the fix are named, the exit code is right, and there is no traceback."""
    (tmp_path / "bad.toml").write_text("[limits]\npage = 5\n")
    (tmp_path / "empty.toml").write_text("[seeds]\nurls = ['http://127.0.0.1:9/']\n")
    (tmp_path / "file").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "catalogue.db").touch()
    monkeypatch.chdir(tmp_path)
    ended, _, complaint = lycosa(*arguments)
    assert ended == code, complaint
    assert "Traceback" not in complaint
    assert all(word in " ".join(complaint.split()) for word in words), complaint


def test_init_writes_a_spec_once(tmp_path):
    """Both kinds; an existing file is never overwritten."""
    for kind in ("--topic", "--site"):
        directory = tmp_path / kind.strip("-")
        assert RUN.invoke(app, ["init", str(directory), kind]).exit_code == 0
        assert (directory / "crawl.toml").exists()
        assert isinstance(RUN.invoke(app, ["init", str(directory), kind]).exception, LycosaError)


def test_each_group_of_commands_is_known_by_its_names():
    """A known command loads only its group; a name that is not listed would load all."""
    added = {
        (command.callback.__module__, command.name or command.callback.__name__)
        for command in app.registered_commands
        if command.callback and command.callback.__module__.startswith("lycosa.commands.")
    }
    listed = {(f"lycosa.commands.{group}", name) for group, names in GROUPS.items() for name in names.split()}
    assert added == listed - {("lycosa.commands.training", "train")}
    assert "train" in {group.name for group in app.registered_groups}


def test_a_command_of_the_lab_names_its_package_where_it_is_missing(lycosa, monkeypatch):
    """Lycosa alone has no `lab` and no `bench`; whoever types them learns what to install."""
    monkeypatch.setattr("lycosa.cli.find_spec", lambda _: None)
    for command in ("lab", "bench"):
        code, _, said = lycosa(command)
        assert code == 1
        assert "pip install 'lycosa[lab]'" in said
