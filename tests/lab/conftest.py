"""What the tests of the lab share."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb


@pytest.fixture(scope="session")
def web(demo_folder: Path) -> CachedWeb:
    """The demo web, parsed."""
    return CachedWeb(VirtualWeb.open(demo_folder))
