"""Take pictures of every page of the library: light and dark, wide and narrow.

Command line: python -m research.screenshots OUT   (all of them)   or   python -m research.screenshots --docs   (those of docs/images)
Expected time: four minutes; it crawls the demo web and needs Chromium.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from tests.crawling import crawling
from tests.library.test_browser import CHROMIUM, FLAGS, base, served

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, set_label
from lycosa.demo.show import run_demo, spec_of
from lycosa.engine.catch_up.index import index_collection
from lycosa.engine.watch.control import ask
from lycosa.library.views.content import FIELDS
from lycosa.report.html import write_report
from lycosa_lab.demo_web import demo_web
from research.library import make_collection

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIZES = {"wide": (1400, 900), "medium": (820, 1100), "narrow": (390, 844)}
PAGES = {
    "overview": "",
    "explore": "search",
    "search": "search?q=barn+owl&since=2018&until=2023",
    "misspelt": "search?q=barm+owl",
    "found-one": "search?q=barn+owl&source=nosuch.test",
    "nothing": "search?q=nosuchword",
    **{field: f"browse/{field}" for field in FIELDS},
    "few-places": "map",
    "timeline": "timeline",
    "page": "page/{id}",
    "archived": "page/{id}?view=archived",
    "reasons": "page/{id}?view=reasons",
    "why": "why?url=http://www.nightbirds.test/reports/page07.html",
    "why-unknown": "why?url=http://www.nightbirds.test/owls/of/another/kind",
    "labels": "labels",
    "trial": "labels",
    "ended": "monitor",
    "error": "page/999999",
}
DOCS = ("overview", "search", "timeline", "reasons", "labels", "monitor")
"""Those of the documentation, with the report, the map, and Explore next to Reasons for the README."""
MADE_UP = {"map": "large/map", "map-near": "large/map?view=near&place=Tokyo", "explore-many": "large/search"}
"""Of a collection with more places than the demo has: made up, as `research.library` does."""


@contextmanager
def running(folder: Path) -> Iterator[Path]:
    """A crawl of the demo web that takes its time."""
    web, out = demo_web(), folder / "running"
    with web.serve() as site:
        text = spec_of(web.topics["owls"], site).replace("per_host_delay_s = 0.05", "per_host_delay_s = 1.5")
        (folder / "crawl.toml").write_text(text, encoding="utf-8")
        with crawling(folder / "crawl.toml", out):
            while (ask(out, "status") or {"pages": 0}).get("pages", 0) < 60:
                time.sleep(0.5)
            yield out


def collection(folder: Path) -> tuple[Path, int]:
    """The demo crawled, looked through and labelled, and the number of a good page of it."""
    out = folder / "owls"
    run_demo(out, lambda _: None, quiet=True)
    index_collection(out, 1)
    with Collection.open(out) as opened:
        pages = [page for page in opened.reader.pages() if page.judgement and page.link.depth > 2]
    pages.sort(key=lambda page: page.judgement.score if page.judgement else 0.0)
    for at, relevant in ((-1, True), (-5, True), (-9, True), (0, False), (len(pages) // 2, False)):
        set_label(out, Label(pages[at].link.key, pages[at].link.url, relevant, time.time() + at))
    return out, pages[-2].id


def take(
    browser: Any, address: str, pages: dict[str, str], out: Path, *, all_ways: bool, scheme: str = "light"
) -> None:
    """Pictures of some pages: in all ways, or as the documentation shows them."""
    name = base(address)
    for size, (width, height) in SIZES.items():
        for shade in ("light", "dark"):
            if not all_ways and (size, shade) != ("wide", scheme):
                continue
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=shade, device_scale_factor=1
            )
            page = context.new_page()
            page.goto(address)
            for picture, path in pages.items():
                page.goto(f"{name}/c/{path}")
                if picture == "trial":
                    page.click("form[action$='/try'] button")
                    page.wait_for_selector("h1:has-text('would change')")
                page.wait_for_timeout(300)
                overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if overflow > 0:
                    print(f"{picture} is {overflow} px too wide on a {size} screen")
                file = f"{picture}-{size}-{shade}.png" if all_ways else f"library-{picture}.png"
                page.screenshot(path=out / file, full_page=all_ways)
            context.close()


def take_pair(browser: Any, address: str, paths: tuple[str, str], file: Path) -> None:
    """Join the tops of two pages, side by side, into one picture."""
    width, height, gap = 820, 1000, 20
    pair = Image.new("RGB", (2 * width + gap, height), "#d9d5cc")
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=1)
    page = context.new_page()
    page.goto(address)
    for at, path in enumerate(paths):
        page.goto(f"{base(address)}/c/{path}")
        page.wait_for_timeout(300)
        page.screenshot(path=file)
        with Image.open(file) as shot:
            pair.paste(shot, (at * (width + gap), 0))
    context.close()
    pair.quantize(128).save(file, optimize=True)


def main(out: Path, *, all_ways: bool) -> None:
    """Make everything, take the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        directory, number = collection(folder)  # has an event loop of its own, as playwright has
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            _take_all(browser, folder, directory, number, out, all_ways=all_ways)
            browser.close()


def _take_all(browser: Any, folder: Path, directory: Path, number: int, out: Path, *, all_ways: bool) -> None:
    wanted = {name: path for name, path in PAGES.items() if all_ways or name in DOCS}
    with served(directory) as address:
        pages = {name: "owls/" + path.format(id=number) for name, path in wanted.items()}
        take(browser, address, pages, out, all_ways=all_ways)
        paths = (f"owls/{PAGES['search']}", f"owls/{PAGES['reasons'].format(id=number)}")
        take_pair(browser, address, paths, out / "explore-and-reasons.png")
    report = write_report(directory, folder / "report.html")
    for shade in ("light", "dark") if all_ways else ("light",):
        context = browser.new_context(viewport={"width": 1100, "height": 1250}, color_scheme=shade)
        page = context.new_page()
        page.goto(report.as_uri())
        name = f"report-{shade}.png" if all_ways else "report.png"
        page.screenshot(path=out / name, full_page=all_ways)
        context.close()
    make_collection(folder / "large", 5000)
    with served(folder / "large") as address:
        pages = MADE_UP if all_ways else {"map": MADE_UP["map"]}
        take(browser, address, pages, out, all_ways=all_ways, scheme="dark")
    with running(folder) as crawl, served(crawl) as address:
        take(browser, address, {"monitor": "running/monitor"}, out, all_ways=all_ways)
        if all_ways:
            ask(crawl, "pause")
            take(browser, address, {"paused": "running/monitor"}, out, all_ways=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(IMAGES if sys.argv[1] == "--docs" else Path(sys.argv[1]), all_ways=sys.argv[1] != "--docs")
