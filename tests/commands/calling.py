"""A command of `lycosa train` called in this process, as users call it."""

from __future__ import annotations

from types import ModuleType

import typer
from typer.testing import CliRunner, Result

from lycosa.errors import LycosaError


def called(group: ModuleType, *arguments: object) -> Result:
    """What came of a command that a group registers; its errors are raised."""
    train = typer.Typer()
    group.register(train)
    result = CliRunner().invoke(train, list(map(str, arguments)))
    if isinstance(result.exception, LycosaError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result
