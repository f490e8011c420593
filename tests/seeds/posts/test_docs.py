"""docs/seeds.md tells the truth: its files and commands are tried."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.seeds.posts.forms import Form

PAGE = (Path(__file__).parents[3] / "docs" / "seeds.md").read_text(encoding="utf-8")
FILES = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
CONSOLE = "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = re.findall(r"^\$ lycosa (.*)\n((?:[^$].*\n)*)", CONSOLE, re.MULTILINE)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(autouse=True)
def _in_a_folder_with_the_files(tmp_path, monkeypatch):
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_commands_print_what_the_page_says(command, output):
    """Each example, run as written."""
    result = CliRunner().invoke(app, shlex.split(command))
    assert (result.exit_code, result.stdout) == (0, output)


@pytest.mark.parametrize("code", PYTHON)
def test_python_runs(code):
    """The notebook's example holds."""
    exec(compile(code, "docs/seeds.md", "exec"), {})


def test_every_format_is_described():
    """A format that is read is in the table."""
    assert all(f"| `{form.value}` |" in PAGE for form in Form)
    assert len(COMMANDS) == 4
