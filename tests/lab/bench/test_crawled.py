"""An archived web as what a benchmark crawls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lycosa
from lycosa.errors import InputError
from lycosa.testing import CannedResponse
from lycosa_lab.bench.crawled import archived_pages, archived_web
from lycosa_lab.bench.run import as_installed, measured_crawl, spec_text


def test_every_archived_page_is_served_under_its_own_name(demo_folder: Path):
    """Host and path are those of the archive, and the body is not compressed a second time."""
    crawled, pages = archived_web(demo_folder), archived_pages(str(demo_folder))
    for url in crawled.starts:
        host, _, path = url.partition("://")[2].partition("/")
        page = pages[host, f"/{path}"]
        assert isinstance(page, CannedResponse)
        assert b"<html" in page.body.lower()


def test_no_request_of_it_leaves_the_machine(demo_folder: Path):
    """Whatever host a page links to, the crawl connects to the local server."""
    with archived_web(demo_folder).served() as site:
        text = spec_text(site, 10, "later", 0, crawled=archived_web(demo_folder))
    assert f'connect_to = {{ "*" = "127.0.0.1:{site.port}" }}' in text


def test_a_web_without_start_pages_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"web\.toml"):
        archived_web(tmp_path)


def test_a_measured_crawl_finds_its_byte_code(tmp_path):
    """What pip installs is compiled: a source tree that is not would be charged with compiling, in every process."""
    environment = as_installed(tmp_path, {"PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"]})
    environment["PYTHONPATH"] = str(Path(lycosa.__file__).parents[1])
    program = [sys.executable, "-v", "-c", "import lycosa.values"]
    for _ in range(2):
        told = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stderr
    read = [line for line in told.splitlines() if line.startswith("# code object from")]
    assert read
    assert all(line.rstrip("'").endswith(".pyc") for line in read)


def test_ctrl_c_while_a_measured_program_begins_leaves_none_behind(monkeypatch, tmp_path):
    """It would go on writing into the folder that is removed under it."""
    begun: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            begun.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        measured_crawl([sys.executable, "-c", "import time; time.sleep(600)"])
    assert [process.returncode for process in begun] == [-signal.SIGKILL]
