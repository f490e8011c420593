"""What pywb shows of a page that was rendered is what was seen. Skipped, visibly, without a browser or without pywb."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lycosa.collection.archive.responses import response_of
from lycosa.collection.collection import Collection
from lycosa.page.document import Document
from lycosa.testing import Site
from tests.browsers import SANDBOX, needs_browser, rendering
from tests.collection.archives import responses_in_wacz
from tests.crawling import ROOT, crawl, pages_of, spec_text
from tests.engine.test_rendering import app_site

PYWB = ROOT / ".venv-pywb" / "bin"


@contextmanager
def replaying(archive: Path, home: Path) -> Iterator[str]:
    """pywb with these WARC files; its address."""
    (home / "collections").mkdir(parents=True)
    run = {"cwd": home, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([PYWB / "wb-manager", "init", "seen"], check=True, **run)  # type: ignore[call-overload]
    files = sorted(archive.glob("*.warc.gz"))
    subprocess.run([PYWB / "wb-manager", "add", "seen", *files], check=True, **run)  # type: ignore[call-overload]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([PYWB / "wayback", "-p", str(port), "-b", "127.0.0.1"], **run)  # type: ignore[call-overload]
    try:
        yield f"http://127.0.0.1:{port}/seen"
    finally:
        server.terminate()
        server.wait(60)


@needs_browser
@pytest.mark.skipif(
    not (PYWB / "wayback").exists(), reason="pywb is not installed in .venv-pywb: make .make/peers"
)
def test_pywb_shows_what_the_browser_saw(tmp_path: Path) -> None:
    """Its scripts run again on what they had asked for, and make the same text."""
    with Site(app_site(2)) as site:
        crawl(spec_text(site, ["http://h.test/"], fetch=rendering("needed")), tmp_path / "out")
    with Collection.open(tmp_path / "out") as collection:
        fetched = response_of(collection, pages_of(tmp_path / "out")["http://h.test/1"])
    assert fetched is not None
    seen = Document(fetched.rendered, "http://h.test/1").text
    with replaying(tmp_path / "out" / "archive", tmp_path / "pywb") as address:
        shown = _shown(f"{address}/2/http://h.test/1", "Peak 1")
    assert " ".join(shown.split()) == " ".join(seen.split())


@needs_browser
def test_replayweb_page_finds_a_rendered_page_and_what_its_scripts_ask_for(tmp_path: Path) -> None:
    """Of an export of the relevant pages too: without its data a frame would stay empty there."""
    with Site(app_site(2)) as site:
        crawl(spec_text(site, ["http://h.test/"], fetch=rendering("needed")), tmp_path / "out")
    with Collection.open(tmp_path / "out") as collection:
        assert collection.export(tmp_path / "out.wacz") == 2

    found = responses_in_wacz(tmp_path / "out.wacz")

    assert {"http://h.test/1", "http://h.test/app.js", "http://h.test/api/1"} <= {*found}
    assert not any(url.startswith("urn:") for url in found)


def _shown(url: str, awaited: str) -> str:
    """The text that a browser shows at an address, as soon as it has what is waited for."""
    from playwright.sync_api import sync_playwright

    _wait_for(url)
    with sync_playwright() as play:
        program = next(
            filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
        )
        browser = play.chromium.launch(executable_path=program, chromium_sandbox=SANDBOX)
        page = browser.new_page()
        page.goto(url, timeout=600_000)
        root = page.frame_locator("iframe").locator("#root")  # pywb shows pages in a frame of its own
        root.filter(has_text=awaited).wait_for(timeout=600_000)
        shown = root.inner_text()
        browser.close()
        return shown


def _wait_for(url: str) -> None:
    end = time.monotonic() + 600
    while True:
        try:
            urllib.request.urlopen(url, timeout=600).close()
            return
        except (ConnectionError, urllib.error.URLError) as error:
            if isinstance(error, urllib.error.HTTPError) or time.monotonic() > end:
                raise
            time.sleep(0.3)
