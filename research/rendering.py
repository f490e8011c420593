"""Measure what a browser costs and brings: a site written in six ways, crawled without it, where needed, and always.

Command line: python -m research.rendering [--pages N] [--draw NAME] [--modes MODE…] [--out FOLDER] [--write]     prints the tables of research/rendering.md; `--write`: puts them there
Expected time: about two seconds for each page that is rendered: a quarter of an hour with the default.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from lycosa.collection.collection import Collection
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.fetch.browser.processes import family_of
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import parse_spec
from lycosa.testing import Page, Site, html, text
from lycosa.urls import key_of
from research.measured import ROOT, arguments, table, write_part

MODES = ("never", "needed", "always")
WAYS = {"server": 8, "client": 3, "scroll": 4, "shadow": 2, "state": 2, "consent": 1}
"""Ways of writing a site, and their shares: servers still write most of the Web."""
RELEVANT = 0.25
TOPIC = "glacier summit granite ridge climber crevasse alpine rope avalanche icefall peak moraine piton couloir belay".split()
OTHERS = (
    "recipe dough oven flour butter yeast crust knead bake loaf sugar salt pan pastry bread".split(),
    "engine piston gearbox clutch brake wheel diesel torque axle exhaust motor fuel tyre chassis valve".split(),
    "budget tax minister vote parliament treaty senate reform ballot party law court mayor council deficit".split(),
    "guitar chord melody drummer concert album singer rhythm stage opera violin tempo band lyric tune".split(),
)
FILLER = "the a of and in that with for from this over after before many people day year place work part way time".split()
SCROLLED = 10
"""Stories that a scrolling list loads at a time."""

_CLIENT = """fetch("/api" + location.pathname).then(r => r.json()).then(page => {
  document.title = page.title; document.getElementById("root").innerHTML = page.html; });"""
_SHADOW = """customElements.define("site-story", class extends HTMLElement { async connectedCallback() {
  const page = await (await fetch("/api" + location.pathname)).json();
  this.attachShadow({mode: "closed"}).innerHTML = page.html; } });"""
_SCROLL = """let at = 0; const list = document.getElementById("list");
const more = async () => { for (const item of await (await fetch(`/api/list?from=${at}`)).json()) {
  list.insertAdjacentHTML("beforeend", item); at += 1; } };
const end = document.getElementById("end");
const watch = new IntersectionObserver(async seen => {
  if (!seen[0].isIntersecting) return;
  watch.unobserve(end); const before = at; await more(); if (at > before) watch.observe(end); });
watch.observe(end);"""


class Story(NamedTuple):
    """A page of the site, written in any way."""

    url: str
    way: str
    relevant: bool
    title: str
    body: str


class Measured(NamedTuple):
    """Results and costs of a crawl."""

    pages: int
    rendered: int
    found: Counter[str]  # relevant pages that were kept, by way
    seconds: float
    cpu_s: float
    browser_cpu_s: float


def stories(count: int, draw: str) -> list[Story]:
    """About `count` stories, spread over the ways; each links to others, mostly of its own subject."""
    chance, total = Random(draw), sum(WAYS.values())
    plain: list[tuple[str, str, bool, str]] = []
    for way, share in WAYS.items():
        for number in range(round(count * share / total)):
            is_relevant = chance.random() < RELEVANT
            words = TOPIC if is_relevant else chance.choice(OTHERS)
            title = " ".join(chance.sample(words, 3)).capitalize()
            plain.append((f"http://{way}.test/story/{number}", way, is_relevant, title))
    found = []
    for url, way, is_relevant, title in plain:
        words = TOPIC if is_relevant else chance.choice(OTHERS)
        sentences = (
            " ".join(chance.choices(FILLER, k=7) + chance.choices(words, k=5)) + "." for _ in range(12)
        )
        near = chance.sample([one for one in plain if one[2] == is_relevant and one[0] != url], 3)
        links = "".join(f'<li><a href="{one[0]}">{one[3]}</a></li>' for one in (*near, chance.choice(plain)))
        body = (
            f"<h1>{title}</h1>"
            + "".join(f"<p>{sentence}</p>" for sentence in sentences)
            + f"<ul>{links}</ul>"
        )
        found.append(Story(url, way, is_relevant, title, body))
    return found


def web_of(found: list[Story]) -> dict[str | tuple[str, str], Page]:
    """The six sites. Each has a home page that leads to its stories."""
    web: dict[str | tuple[str, str], Page] = {"/robots.txt": text("")}
    for way in WAYS:
        host, own = f"{way}.test", [story for story in found if story.way == way]
        items = [f'<li><a href="{story.url}">{story.title}</a></li>' for story in own]
        home = Story(
            f"http://{host}/", way, False, f"The {way} site", f"<h1>Stories</h1><ul>{''.join(items)}</ul>"
        )
        for story in (home, *own):
            web.update(_written(story, host))
        web[host, "/app.js"] = text(_SHADOW if way == "shadow" else _CLIENT, "text/javascript")
        if way == "scroll":
            web.update(_scrolled(host, items))
    return web


def _written(story: Story, host: str) -> Iterator[tuple[tuple[str, str], Page]]:
    path = story.url.partition(host)[2]
    head = f"<!doctype html><title>{story.title}</title>"
    data = json.dumps({"title": story.title, "html": story.body})
    yield (host, f"/api{path}"), text(data, "application/json")
    frame = '<body><noscript>Please enable JavaScript.</noscript><div id="root"></div><script src="/app.js"></script>'
    state = f'<body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{data}</script>'
    forms: Mapping[str, str] = {
        "server": f"{head}<body>{story.body}<script>window.counted = 1</script>",
        "scroll": f"{head}<body>{story.body}",
        "client": f"<!doctype html><title>App</title>{frame}",
        "shadow": f"{head}<body><site-story></site-story><script src='/app.js'></script>",
        "state": f"{head}{state}<script src='/app.js'></script>",
        "consent": "<title>Before you continue</title><h1>Before you continue</h1><p>We use cookies.</p><button>Accept all</button>",
    }
    yield (host, path), html(forms[story.way])


def _scrolled(host: str, items: list[str]) -> Iterator[tuple[tuple[str, str], Page]]:
    """A home page that loads its list while it is scrolled."""
    page = f'<title>Scroll</title><body><h1>Stories</h1><ul id="list"></ul><p id="end">&nbsp;</p><script>{_SCROLL}</script>'
    yield (host, "/"), html(page)
    for start in range(0, len(items) + SCROLLED, SCROLLED):
        batch = json.dumps(items[start : start + SCROLLED])
        yield (host, f"/api/list?from={min(start, len(items))}"), text(batch, "application/json")


class _Cpu:
    """CPU of this process and all its children, sampled often."""

    def __init__(self) -> None:
        self._own, self._begun = time.process_time(), self._children()
        self._most, self._ended = 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> tuple[float, float]:
        """Seconds of this process, and of the browser."""
        self._ended.set()
        self._thread.join()
        return time.process_time() - self._own, self._most - self._begun

    def _watch(self) -> None:
        while not self._ended.wait(0.3):
            self._most = max(self._most, self._children())

    @staticmethod
    def _children() -> float:
        # The usage of an ended process is added to its parent's, up to ourselves.
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = used.ru_utime + used.ru_stime
        for pid in family_of(os.getpid())[1:]:
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        return total


def measure(mode: str, found: list[Story], out: Path, ways: Sequence[str] = tuple(WAYS)) -> Measured:
    """Crawl some or all of the six sites, and compare what was kept with the labels."""
    with Site(web_of(found)) as site:
        connect = ", ".join(f'"{name}" = "{to}"' for name, to in site.connect_to.items())
        spec = f"""
[topic]
keywords = {json.dumps(TOPIC[:6])}
[seeds]
urls = {json.dumps([f"http://{way}.test/" for way in ways])}
[scope]
hosts = {json.dumps([f"{way}.test" for way in ways])}
[limits]
pages = 5000
rendered = 5000
[fetch]
render = "{mode}"
browser_sandbox = {json.dumps(os.geteuid() != 0)}
per_host_delay_s = 0
per_ip_concurrency = 32
allow_private = ["*.test"]
connect_to = {{ {connect} }}
[process]
workers = 0
"""
        cpu, begun = _Cpu(), time.monotonic()
        summary = asyncio.run(
            run_crawl(CrawlRequest(parse_spec(spec, all_settings()), spec, out.parent, out))
        )
        seconds, (own_s, browser_s) = time.monotonic() - begun, cpu.stop()
    right: Counter[str] = Counter()
    with Collection.open(out) as collection:
        for story in found:
            page = collection.reader.page(key_of(story.url))
            right[story.way] += bool(story.relevant and page and page.judgement and page.judgement.relevant)
    return Measured(summary.pages, summary.rendered, right, seconds, own_s, browser_s)


def kept_table(found: list[Story], told: Mapping[str, Measured]) -> str:
    """Relevant pages kept, by mode."""
    there = Counter(story.way for story in found if story.relevant)
    counts = {"there are": there, **{mode: one.found for mode, one in told.items()}}
    rows = [
        [name, *(str(each[way]) for way in WAYS), str(sum(each.values()))] for name, each in counts.items()
    ]
    return table(["relevant pages kept", *WAYS, "all"], rows)


def cost_table(head: str, told: Mapping[str, Measured]) -> str:
    """Cost of each crawl."""
    return table(
        [
            head,
            "pages",
            "rendered",
            "seconds",
            "seconds a page",
            "CPU a page, crawl",
            "CPU a rendered page, browser",
        ],
        [
            [
                name,
                str(one.pages),
                str(one.rendered),
                f"{one.seconds:.0f}",
                f"{one.seconds / one.pages:.2f}" if one.pages else "",
                f"{one.cpu_s / one.pages:.3f}" if one.pages else "",
                f"{one.browser_cpu_s / one.rendered:.2f}" if one.rendered else "",
            ]
            for name, one in told.items()
        ],
    )


def main() -> None:
    """Print the tables, or write them."""
    options = arguments(__doc__)
    options.add_argument("--pages", type=int, default=200)
    options.add_argument("--draw", default="six ways", help="another name, another site")
    options.add_argument("--out", type=Path)
    options.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    options.add_argument("--write", action="store_true", help="put the tables into research/rendering.md")
    chosen = options.parse_args()
    found = stories(chosen.pages, chosen.draw)
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.out or Path(temporary)
        told = {mode: measure(mode, found, folder / mode) for mode in chosen.modes}
        _show(kept_table(found, told), "kept", chosen.write)
        _show(cost_table("`fetch.render`", told), "costs", chosen.write)
        alone = {
            f"{way}, {mode}": measure(mode, found, folder / f"{way}-{mode}", [way])
            for way in WAYS
            for mode in chosen.modes
            if mode != "needed"
        }
        _show(cost_table("a way alone", alone), "costs of each way", chosen.write)


def _show(figures: str, part: str, is_written: bool) -> None:
    print(f"{figures}\n", flush=True)
    if is_written:
        write_part(ROOT / "research" / "rendering.md", part, figures)


if __name__ == "__main__":
    main()
