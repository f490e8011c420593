"""Crawls of a local web, written briefly: a spec for a site, a crawl of it, and what the catalogue says.

`python -m tests.crawling SPEC OUT [POINT NTH]` crawls in a process of its own, which kills itself when
its commit passes a pause point for the nth time.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.collection import Collection
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.summary import Summary
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import parse_spec
from lycosa.spec.sections import Spec
from lycosa.testing import Site, SiteProcess
from lycosa.urls import key_of

ROOT = Path(__file__).parents[1]
KEYWORDS = ("granite", "summit", "glacier", "ridge")
TOPIC: dict[str, Any] = {
    "top": {"strategy": "best-first"},
    "topic": {"keywords": list(KEYWORDS)},
    "judge": {"kind": "topic"},
}
"""Sections of a focused crawl of `small_web`."""
WORDS = [
    f"{first}{second}" for first in ("ka", "lo", "mi", "nu", "pe") for second in ("rt", "sk", "lm", "nd")
]


def spec_text(site: Site | SiteProcess, start: list[str], **sections: dict[str, Any]) -> str:
    """A crawl.toml for a local web: quick, in one process, every page wanted; sections override."""
    tables: dict[str, dict[str, Any]] = {
        "seeds": {"urls": start},
        "judge": {"kind": "all"},
        "fetch": {
            "per_host_delay_s": 0,
            "per_ip_concurrency": 64,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        },
        "process": {"workers": 0},
    }
    top = sections.pop("top", {"strategy": "breadth-first"})
    for name, table in sections.items():
        tables[name.replace("_", "-")] = tables.get(name, {}) | table
    lines = [f"{key} = {_toml(value)}" for key, value in top.items()]
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def spec_of(text: str) -> Spec:
    return parse_spec(text, all_settings())


def crawl(text: str, directory: Path, **more: Any) -> Summary:
    """Crawl in this process, in an event loop of its own."""
    return asyncio.run(run_crawl(CrawlRequest(spec_of(text), text, directory.parent, directory), **more))


@contextmanager
def crawling(spec: Path, out: Path, *pause: str) -> Iterator[subprocess.Popen[bytes]]:
    """A crawl in a process of its own, killed at the end if it still runs."""
    process = subprocess.Popen([sys.executable, "-m", "tests.crawling", spec, out, *pause], cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def pages_of(directory: Path) -> dict[str, StoredPage]:
    """All that was answered, by URL, in the order of commits."""
    with Collection.open(directory) as collection:
        return {page.link.url: page for page in collection.reader.pages()}


def refusal_of(directory: Path, url: str) -> str:
    """Name of the reason why a URL was refused; '' if it was kept or is unknown."""
    with Collection.open(directory) as collection:
        page, outcome = collection.reader.page(key_of(url)), collection.reader.outcome(key_of(url))
    refusal = page.refusal if page else outcome.refusal if outcome else None
    return refusal.reason.name if refusal else ""


def kept(directory: Path) -> list[str]:
    """The URLs of the pages that were analysed and not refused, in the order of commits."""
    found = pages_of(directory).items()
    return [url for url, page in found if page.judgement is not None and page.refusal is None]


def small_web(hosts: int, pages: int) -> dict[str | tuple[str, str], str]:
    """A web of small pages, all different, every one reachable from http://h0.test/."""
    web: dict[str | tuple[str, str], str] = {}
    for host in range(hosts):
        for number in range(pages):
            path = f"/p{number}" if number else "/"
            web[f"h{host}.test", path] = _small_page(host, number, hosts, pages)
    return web


def _small_page(host: int, number: int, hosts: int, pages: int) -> str:
    chance = Random(f"{host}/{number}")
    words = chance.choices(WORDS, k=40) + chance.choices(KEYWORDS, k=chance.randrange(8))
    chance.shuffle(words)
    below = [(host, child) for child in (2 * number + 1, 2 * number + 2) if child < pages]
    beside = [((2 * host + step) % hosts, 0) for step in (1, 2)] if not number else []
    anywhere = [(chance.randrange(hosts), chance.randrange(pages)) for _ in range(4)]
    links = "".join(
        f'<li><a href="http://h{to}.test/{f"p{at}" if at else ""}">{" ".join(chance.sample(words, 3))}</a>'
        for to, at in dict.fromkeys([*below, *beside, *anywhere])
    )
    title = f"Page {number} of house {host}"
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{' '.join(words)}</p><ul>{links}</ul>"


def _main(spec: str, out: str, point: str = "", nth: str = "0") -> None:
    left = int(nth)

    def pause(name: str) -> None:
        nonlocal left
        left -= name == point
        if name == point and not left:
            os.kill(os.getpid(), signal.SIGKILL)

    import uvloop

    text = Path(spec).read_text(encoding="utf-8")
    uvloop.run(run_crawl(CrawlRequest(spec_of(text), text, Path(spec).parent, Path(out)), pause_points=pause))


if __name__ == "__main__":
    _main(*sys.argv[1:])
