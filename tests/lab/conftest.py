"""What the tests of the lab share: the demo web as a virtual web, and a cache of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.demo import demo_web


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
