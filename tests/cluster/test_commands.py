"""Commands on a crawl of shards: while it runs on Ray, and on the whole when it has stopped."""

from __future__ import annotations

import asyncio
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lycosa.cluster.division import merge_collection
from lycosa.collection.collection import Collection
from lycosa.collection.writer import lock_directory
from lycosa.engine.watch.control import ask
from lycosa.testing import Site
from tests.cluster.shards import contents, crawl_in_shards, of_shards
from tests.cluster.test_on_ray import command, pages, ray_is_there, until
from tests.cluster.test_shards import requests, text_for
from tests.crawling import ROOT, small_web
from tests.library.sample_library import client

__all__ = ["ray_is_there"]
HOSTS, PAGES = 8, 10


def lycosa(*arguments: object) -> str:
    asked = [sys.executable, "-m", "lycosa", *map(str, arguments)]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("ray_is_there")
def test_a_running_crawl_pauses_goes_on_and_stops(tmp_path: Path) -> None:
    with Site(small_web(HOSTS, 30 * PAGES)) as site:  # it has not ended when it is told to, however late
        spec, out = tmp_path / "crawl.toml", tmp_path / "web"
        spec.write_text(text_for(site).replace("per_host_delay_s = 0.02", "per_host_delay_s = 1"), "utf-8")
        with subprocess.Popen(command(spec, 2), cwd=ROOT, stdout=subprocess.PIPE) as process:
            try:
                until(lambda: pages(out) > 3, "the first pages")
                assert lycosa("pause", out).startswith("paused")
                # What was under way ends; then nothing is asked for.
                until(lambda: _is_at_rest(out), "all shards at rest")
                before = len(site.log)
                status = ask(out, "status")
                assert status is not None
                assert status["paused"]
                assert [one["shard"] for one in status["shards"]] == [0, 1]
                assert lycosa("status", out).startswith("paused")
                assert len(site.log) == before
                assert lycosa("resume", out).startswith("running")
                until(lambda: len(site.log) > before, "the crawl goes on")
                assert lycosa("stop", out).startswith("stopping")
                said, _ = process.communicate(timeout=600)
            finally:
                process.kill()
        summary = json.loads(said)
        assert process.returncode == 3  # stopped early, resumable
        assert summary["ended"] == "interrupted"
        assert summary["resumable"]
        assert set(requests(site).values()) == {1}
    assert lycosa("status", out).startswith("not running; the last run ended: interrupted")
    with Collection.open(out) as whole:
        assert whole.reader.counts().judged == summary["pages"] > 3
        assert whole.reader.seconds() == pytest.approx(
            summary["seconds"], abs=2
        )  # the pause is no part of it


def _is_at_rest(out: Path) -> bool:
    status = ask(out, "status")
    # A shard hears of a pause in the next round; what it said before is of no use.
    return bool(status and all(one["paused"] and not one["under way"] for one in status["shards"]))


def test_shards_that_begin_are_no_shards_to_be_merged(tmp_path: Path, lycosa) -> None:
    """Before they can answer there is nothing to bring together, and nothing to start."""
    (tmp_path / "shards.json").write_text("{}")
    for do in ("status", "pause", "stop"):
        with lock_directory(tmp_path):
            code, _, complaint = lycosa(do, tmp_path)
        assert code == 1
        assert complaint.strip().endswith("Ask again in a moment.")
        assert not complaint.strip().endswith(lycosa(do, tmp_path)[2].strip())


def served_labels(web: Path) -> list[dict[str, Any]]:
    """What the library says of the labels of a collection, after it has shown its pages and its monitor."""
    with client(web) as browser:
        for path in ("/c/web/", "/c/web/monitor", "/api/c/web/search?q=house", "/api/c/web/status"):
            assert browser.get(path).status_code == 200, path
        return list(browser.get("/api/c/web/labels").json())


@pytest.mark.parametrize("is_refused", [False, True])
async def test_the_whole_is_labelled_served_and_goes_on(
    tmp_path: Path, lycosa, monkeypatch, is_refused: bool
) -> None:
    """Answers teach the judge of the whole at once, and hold in the shards when the crawl goes on: in all of them, also
    where the version that has learned them is set aside."""
    if is_refused:
        monkeypatch.setattr("lycosa.learn.refit.forecasts_worse", lambda *_: True)
    web = tmp_path / "web"
    with Site(small_web(HOSTS, PAGES)) as site:
        text = text_for(site, pages=30).replace('kind = "all"', 'kind = "topic"')
        await crawl_in_shards(text, web, 2)
        merge_collection(web)
        monkeypatch.setattr(sys, "stdin", io.StringIO("y\nn\n"))
        code, said, complaint = await asyncio.to_thread(lycosa, "label", web, "--count", 2)
        assert code == 0, complaint
        assert re.search(
            r"kept \d+ → \d+", said
        )  # whether the version is used depends on how right these answers are
        labels = await asyncio.to_thread(served_labels, web)
        assert len(labels) == 2
        await crawl_in_shards(text.replace("pages = 30", "pages = 60"), web, 2)
        assert set(requests(site).values()) == {1}
    merge_collection(web)
    judged = contents(of_shards(web, 2))["pages"]
    for label in labels:
        assert judged[label["url"]][2].relevant == label["relevant"]
    assert len(judged) == 60
