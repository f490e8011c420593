"""What all tests share."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import settings

from lycosa.cli import main

# A busy machine must not fail a test: nothing here is measured by the clock.
settings.register_profile("lycosa", deadline=None)
settings.load_profile("lycosa")


@pytest.fixture
def lycosa(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in this process: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lycosa", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run
