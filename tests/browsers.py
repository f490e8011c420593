"""Whether a browser can be run here, and how. Tests that need one are skipped, visibly, where there is none."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest

from lycosa.fetch.browser.chromium import PROGRAMS

SANDBOX = os.geteuid() != 0
"""As root there is none; what tests render are their own pages."""

needs_browser = pytest.mark.skipif(
    importlib.util.find_spec("playwright") is None or not any(map(shutil.which, PROGRAMS)),
    reason="no browser: pip install 'lycosa[browser]' and apt install chromium",
)


def rendering(mode: str = "always", **more: object) -> dict[str, object]:
    """The keys of [fetch] for a crawl that renders."""
    return {"render": mode, "browser_sandbox": SANDBOX, "render_timeout_s": 600.0, **more}
