"""`crawl --ask N`: questions while the crawl goes on, in a terminal; elsewhere it is said how to answer."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, TextIO

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.ask_meanwhile import Asking
from lycosa.learn.judges.version import load_version
from lycosa.testing import Site
from tests.crawling import KEYWORDS, small_web, spec_of, spec_text

SECTIONS: dict[str, Any] = {
    "top": {"strategy": "best-first"},
    "topic": {"keywords": list(KEYWORDS)},
    "judge": {"kind": "topic"},
    "limits": {"pages": 120},
    "fetch": {"per_host_delay_s": 0.05, "concurrency": 4},
}


def crawled(out: Path, count: int, terminal: TextIO) -> list[str]:
    """What was said during a crawl that asks."""
    said: list[str] = []
    asking = Asking(out, count, said.append, terminal)

    async def show() -> None:
        await asyncio.sleep(1000)

    with Site(small_web(4, 40)) as site:
        text = spec_text(site, ["http://h0.test/"], **SECTIONS)
        work = run_crawl(CrawlRequest(spec_of(text), text, out.parent, out), watch=lambda crawl: asyncio.ensure_future(asking.watch(crawl, show)))  # fmt: skip
        asyncio.run(work)
    return said


def test_the_crawl_asks_in_a_terminal_and_goes_on(tmp_path):
    """The answers are labels, and the last version has heard of them."""
    ours, theirs = os.openpty()
    os.write(ours, b"y\nn\nnonsense\ny\n")
    with os.fdopen(theirs, "r") as terminal:
        said = crawled(tmp_path / "c", 3, terminal)
    os.close(ours)
    assert sum("relevant? y / n" in line for line in said) == 4
    assert "3 answers; they count when the judge is next fitted." in said
    assert sorted(label.relevant for label in labels_in(tmp_path / "c").values()) == [False, True, True]
    with Collection.open(tmp_path / "c") as collection:
        newest = max(collection.reader.judge_version(), *collection.reader.set_aside().versions, 0)
        assert collection.reader.counts().judged == 120
    assert len(load_version(tmp_path / "c" / "models", newest).said) == 3


def test_a_crawl_that_ends_first_waits_for_nobody(tmp_path):
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r") as terminal:
        said = crawled(tmp_path / "c", 3, terminal)
    os.close(ours)
    assert sum("relevant? y / n" in line for line in said) == 1
    assert not labels_in(tmp_path / "c")


@pytest.mark.parametrize("count", [0, 7])
def test_without_a_terminal_it_is_said_how_to_answer(tmp_path, count):
    with (tmp_path / "empty").open("w+") as nobody:
        said = crawled(tmp_path / "c", count, nobody)
    assert any(f"lycosa label {tmp_path / 'c'} --count 7" in line for line in said) is bool(count)
