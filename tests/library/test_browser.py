"""The library in a real browser. Skipped, visibly, where playwright or chromium is not installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lycosa.collection.labels import clear_label, labels_in
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.catch_up.relearn import history
from lycosa.testing import Site
from tests.collection.records import NOW, page_record
from tests.crawling import KEYWORDS, crawling, small_web, spec_text
from tests.library import sample_library

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright"
)
pytestmark = pytest.mark.skipif(
    not Path(CHROMIUM).exists(), reason="chromium is not installed: apt install chromium"
)


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    context = chromium.new_context()
    context.set_default_timeout(600_000)
    playwright.expect.set_options(timeout=600_000)
    yield context.new_page()
    context.close()


@contextmanager
def served(directory: Path, *more: str) -> Iterator[str]:
    """`lycosa serve`, as a user starts it; the address that it prints."""
    command = [sys.executable, "-m", "lycosa", "serve", str(directory), "--port", "0", *more]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        yield process.stderr.readline().partition(": ")[2].strip()
    finally:
        process.terminate()
        process.communicate(timeout=600)


@pytest.fixture(scope="module")
def served_library(tmp_path_factory) -> Iterator[tuple[Path, str]]:
    directory = sample_library.make(tmp_path_factory.mktemp("browser") / "storm")
    with served(directory) as address:
        yield directory, address


@pytest.fixture
def library(served_library) -> Iterator[tuple[Path, str]]:
    """The served collection, without labels again when a test is over, however it ended."""
    directory, _ = served_library
    yield served_library
    for label in labels_in(directory).values():
        clear_label(directory, label.key)


def press(page, key: str) -> None:
    """Presses a key once the page listens: its script runs last, so a key before that goes nowhere."""
    page.wait_for_load_state("load")
    page.keyboard.press(key)


def press_and_arrive(page, key: str) -> None:
    """Presses a key that leads to another page, and waits until that one listens."""
    with page.expect_navigation():
        press(page, key)


def base(address: str) -> str:
    return address.partition("/?")[0]


def test_a_reader_searches_filters_and_walks_along_the_hits(library, page):
    """By keyboard: / to the box, j and Enter to a page; the filter narrows."""
    _, address = library
    page.goto(address)
    assert page.title().startswith("storm")
    press(page, "/")
    page.keyboard.type("storm")
    press_and_arrive(page, "Enter")
    assert page.locator(".hit").count() == 2
    with page.expect_navigation():
        page.locator(".facet bdi:text-is('English')").click()
    playwright.expect(page.locator(".hit")).to_have_count(1)
    press(page, "j")
    press(page, "Enter")
    page.wait_for_selector("h1:has-text('Storm hits Rome')")


def test_a_reader_labels_along_the_list_and_reads_on_by_keys(library, page):
    """j and y mark hit after hit without leaving the list; on a page j goes on to the next hit, b back to all."""
    directory, address = library
    page.goto(address)
    page.goto(base(address) + "/c/storm/search?relevant=all")
    press(page, "j")
    for at in range(3):
        playwright.expect(page.locator(".hit").nth(at)).to_have_class("hit here")
        press(page, "y")
        button = page.locator(".hit").nth(at).locator("button[value=yes]")
        playwright.expect(button).to_have_attribute("aria-pressed", "true")
    assert [label.relevant for label in labels_in(directory).values()] == [True] * 3
    page.goto(base(address) + "/c/storm/search?relevant=all")
    with page.expect_navigation():
        page.locator(".hit .title a").first.click()
    first = page.inner_text("h1")
    press_and_arrive(page, "j")
    assert page.inner_text("h1") != first
    press_and_arrive(page, "k")
    assert page.inner_text("h1") == first
    press_and_arrive(page, "b")
    page.wait_for_selector(".hits")


def test_a_span_of_the_timeline_is_dragged(library, page):
    """The columns under the brush become since and until, and everything narrows."""
    _, address = library
    page.goto(address)
    page.goto(base(address) + "/c/storm/search")
    columns = page.locator("[data-brush] .column")
    box = page.locator("[data-brush] svg").bounding_box()
    last = columns.nth(columns.count() - 1).bounding_box()
    page.mouse.move(last["x"] - 8, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(last["x"] + 2, box["y"] + 22, steps=4)
    page.mouse.move(last["x"] + last["width"], box["y"] + 22, steps=4)
    page.mouse.up()
    page.wait_for_url("**since=2024-06**")
    playwright.expect(page.locator(".hit")).to_have_count(1)


def test_map_and_timeline_lead_to_pages(library, page):
    """A click on a dot, and on a column, shows the pages behind it."""
    _, address = library
    page.goto(address)
    page.goto(base(address) + "/c/storm/map?view=near")
    page.locator(".map a[aria-label^='Rome']").click(force=True)
    page.wait_for_selector(".hit >> text=Storm hits Rome")
    page.goto(base(address) + "/c/storm/timeline")
    page.locator(".columns a").first.click(force=True)
    page.wait_for_selector(".hit >> text=Storm hits Rome")


def test_the_reasons_of_a_page_are_shown(library, page):
    """Evidence, rule, parent and path, one click from the text."""
    _, address = library
    page.goto(address)
    page.goto(base(address) + "/c/storm/page/2")
    page.click("text=Reasons")
    page.wait_for_selector("text=Path from the seed")
    assert "cosine" in page.inner_text("main")


def test_an_archived_script_reaches_nothing(library, page):
    """A crawled page with scripts is shown in its frame; nothing of it runs, asks or leads away."""
    _, address = library
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append("a dialog: " + dialog.message))
    page.goto(address)
    page.goto(base(address) + "/c/storm/page/2?view=archived")
    page.frame_locator("iframe").locator("h1:has-text('evil page')").wait_for()
    assert not [
        url for url in asked if "evil.example" in url.split("/")[2] or "/api/" in url or "dialog" in url
    ]
    frame = page.frames[1]
    with pytest.raises(playwright.Error):
        frame.evaluate(
            f"fetch('{base(address)}/api/collections', {{credentials: 'include'}}).then(a => a.text())"
        )


def test_a_label_goes_to_the_page_that_is_shown(library, page):
    """Following a link inside the archived view changes header and buttons too; what is not here is explained."""
    directory, address = library
    page.goto(address)
    page.goto(base(address) + "/c/storm/page/2?view=archived")
    page.frame_locator("iframe").locator("#home").click()
    page.wait_for_url("**/page/1?view=archived")
    page.wait_for_selector("h1:has-text('Storm hits Rome')")
    assert sample_library.SEED in page.inner_text(".bar-of-page .url")
    page.click("button[value=yes]")
    page.wait_for_selector(".bar-of-page >> text=labelled relevant")
    assert [label.url for label in labels_in(directory).values()] == [sample_library.SEED]
    page.click("button[value=clear]")
    page.goto(base(address) + "/c/storm/page/2?view=archived")
    page.frame_locator("iframe").locator("a:text-is('b')").click()
    page.wait_for_url("**/why?url=**")


def test_a_reader_labels_a_page(library, page):
    """One key marks the page; the label is kept and shown."""
    directory, address = library
    page.goto(address)
    page.goto(base(address) + "/c/storm/page/1")
    press(page, "n")
    page.wait_for_selector("text=labelled not relevant")
    assert [label.relevant for label in labels_in(directory).values()] == [False]
    page.goto(base(address) + "/c/storm/labels")
    page.click("text=See what they would change")
    page.click("text=Back to the labels")
    page.wait_for_selector("h1:has-text('Labels')")


def test_ten_pages_are_labelled_in_eleven_actions(page, tmp_path):
    """One key to the first hit, then one a page, as fast as somebody types; nothing is lost, nothing labelled twice."""
    directory = tmp_path / "many"
    with CollectionWriter.create_or_open(directory, sample_library.SPEC, name="many") as collection:
        collection.catalogue.begin_run(NOW)
        for number in range(12):
            with collection.commit():
                url = f"http://news.example/{number}"
                collection.save(page_record(url, title=f"Storm {number}", text="A storm.", words=2))
    with served(directory) as address:
        page.goto(address)
        page.goto(f"{base(address)}/c/many/search?relevant=all")
        for key in ("j", *"ynyynyynyy"):
            press(page, key)
        playwright.expect(page.locator(".hit button[aria-pressed=true]")).to_have_count(10)
    playwright.expect(page.locator(".hit").nth(10)).to_have_class("hit here")
    assert sorted(label.relevant for label in labels_in(directory).values()) == [False] * 3 + [True] * 7


def test_a_map_is_zoomed_and_moved(page, library):
    """Buttons zoom, dragging moves, and the part that is shown is drawn anew by the library."""
    _, address = library
    page.goto(address)
    page.goto(f"{base(address)}/c/storm/map")
    page.wait_for_selector("html.scripted")
    with page.expect_response(lambda answer: "box=244.0" in answer.url):
        page.click("button[aria-label=Closer]")
    part = page.get_attribute("svg.map", "viewBox")
    assert part == "244.0 111.5 488.0 223.0"
    playwright.expect(page.locator("svg.map .dots circle")).to_have_count(2)
    where = page.locator("svg.map").bounding_box()
    page.mouse.move(where["x"] + 300, where["y"] + 200)
    page.mouse.down()
    with page.expect_response(lambda answer: "box=" in answer.url):
        page.mouse.move(where["x"] + 100, where["y"] + 200, steps=5)
    page.mouse.up()
    assert float(page.get_attribute("svg.map", "viewBox").split()[0]) > 300
    page.click("button[aria-label='Further away']")
    assert page.get_attribute("svg.map", "viewBox").split()[2] == "976.0"


def test_a_running_crawl_is_watched_labelled_and_stopped(tmp_path, page):
    """The monitor follows a crawl; labels make it learn anew and go on; Stop ends it."""
    out = tmp_path / "live"
    with Site(small_web(3, 400)) as site:  # more than any machine fetches before the browser has stopped it
        spec = tmp_path / "crawl.toml"
        fetch = {
            "per_host_delay_s": 1,
            "concurrency": 2,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        }
        topic = {"keywords": list(KEYWORDS)}
        text = spec_text(
            site,
            ["http://h0.test/"],
            top={"strategy": "best-first"},
            topic=topic,
            judge={"kind": "topic"},
            fetch=fetch,
        )
        spec.write_text(text)
        with crawling(spec, out) as crawl:
            wait_until((out / "control.sock").exists, "the crawl's socket")
            with served(out) as address:
                page.goto(address)
                page.goto(base(address) + "/c/live/monitor")
                page.wait_for_selector(".badge.live")
                before = page.inner_text(".tiles li:first-child b")
                pages = page.locator(".tiles li:first-child b")
                playwright.expect(pages).not_to_have_text(before)
                page.click("button[value=pause]")
                page.wait_for_selector("text=paused")
                page.goto(base(address) + "/c/live/search?relevant=all")
                page.locator(".hit a").first.click()
                page.click("button[value=yes]")
                page.wait_for_selector("text=labelled relevant")
                page.goto(base(address) + "/c/live/labels")
                page.click("text=See what they would change")
                page.click("text=Apply")
                page.wait_for_selector("text=/learns from the labels|judge version|forecasts your answers/i")
                page.goto(base(address) + "/c/live/monitor")
                page.wait_for_selector(".badge.live")
                wait_until(lambda: history(out)[-1].answers == 1, "a version that knows the answer")
                page.click("summary:has-text('Stop')")
                page.click("button[value=stop]")
                assert crawl.wait(600) is not None


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Until something is so; a busy machine may take its time."""
    end = time.monotonic() + 600
    while not holds():
        assert time.monotonic() < end, f"{what} never came"
        time.sleep(0.05)
