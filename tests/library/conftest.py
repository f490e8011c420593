from __future__ import annotations

from pathlib import Path

import pytest

from tests.library import sample_library


@pytest.fixture(scope="session")
def storm(tmp_path_factory) -> Path:
    """A small collection, made once; nobody may change it."""
    return sample_library.make(tmp_path_factory.mktemp("library") / "storm")


@pytest.fixture
def browser(storm):
    """A browser that has been let in."""
    with sample_library.client(storm) as one:
        yield one
