"""status, pause, resume and stop on the command line, with a crawl that runs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from lycosa.errors import CollectionError, LycosaError
from lycosa.testing import Site
from tests.commands.calling import said
from tests.crawling import crawling, small_web, spec_text


def status(out: Path) -> dict[str, Any]:
    return dict(json.loads(said("status", str(out), "--json")))


def test_a_crawl_is_paused_resumed_and_stopped(tmp_path):
    """Each command changes the running crawl, and status says so."""
    out = tmp_path / "c"
    with Site(small_web(2, 1000)) as site:
        (tmp_path / "crawl.toml").write_text(
            spec_text(site, ["http://h0.test/"], fetch={"per_host_delay_s": 0.2, "concurrency": 1})
        )
        with crawling(tmp_path / "crawl.toml", out) as process:
            while not (out / "control.sock").exists() or not status(out)["running"]:
                assert process.poll() is None
                time.sleep(0.05)
            assert said("status", str(out)).startswith("running")
            assert said("pause", str(out)).startswith("paused")
            assert status(out)["paused"] is True
            assert said("resume", str(out)).startswith("running")
            assert said("stop", str(out)).startswith("stopping")
            process.wait()
    assert said("status", str(out)).startswith("not running; the last run ended: interrupted")
    now = status(out)
    assert 0 <= now["last_relevant"] <= now["last_pages"] <= now["pages"]
    assert f"the last {now['last_pages']} pages brought {now['last_relevant']} of the kept ones" in said(
        "status", str(out)
    )
    with pytest.raises(LycosaError, match="No crawl is running"):
        said("pause", str(out))
    with pytest.raises(CollectionError, match="not a collection"):
        said("status", str(tmp_path))
