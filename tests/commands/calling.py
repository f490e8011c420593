"""Commands called as users call them: one of `lycosa train` in this process, or several in one process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import typer
from typer.testing import CliRunner, Result

from lycosa.cli import app
from lycosa.errors import LycosaError

ONE_BY_ONE = """
import contextlib, io, json, sys
from lycosa.cli import main
told = []
for words, typed in json.load(sys.stdin):
    sys.argv, sys.stdin, out, err = ["lycosa", *words], io.StringIO(typed), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main()
        except SystemExit as ended:
            code = ended.code
    told.append([code or 0, out.getvalue(), err.getvalue()])
print(json.dumps(told))
"""


class Told(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


def said(*arguments: object, answers: str = "") -> str:
    """What a command prints, given these answers; its errors are raised."""
    return _called(app, *arguments, answers=answers).output


def called(group: ModuleType, *arguments: object) -> Result:
    """What came of a command that a group registers; its errors are raised."""
    train = typer.Typer()
    group.register(train)
    return _called(train, *arguments)


def _called(commands: typer.Typer, *arguments: object, answers: str = "") -> Result:
    result = CliRunner().invoke(commands, list(map(str, arguments)), input=answers)
    if isinstance(result.exception, LycosaError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def one_by_one(
    folder: Path, environment: dict[str, str], *commands: Sequence[object], typed: str = ""
) -> list[Told]:
    """Commands in a process of their own: its start takes longer than what most of them do. `typed` is for each."""
    told = [([str(word) for word in command], typed) for command in commands]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ONE_BY_ONE],
        cwd=folder,
        env=environment,
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Told(*each) for each in json.loads(done.stdout.splitlines()[-1])]
