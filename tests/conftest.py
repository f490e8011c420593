"""What all tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from lycosa.cli import main
from lycosa.demo import demo_web

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


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Parsed pages and runs go to a temporary folder, not to the user's cache."""
    before = os.environ.get("LYCOSA_CACHE")
    os.environ["LYCOSA_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["LYCOSA_CACHE"]
    else:
        os.environ["LYCOSA_CACHE"] = before


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo web, written as a virtual web."""
    folder = tmp_path_factory.mktemp("web") / "demo"
    demo_web().write(folder)
    return folder
