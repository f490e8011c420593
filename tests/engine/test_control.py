"""The control socket of a running crawl, and what labels do to it."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, set_label
from lycosa.engine.loop import Crawl
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.control import NAME, ask
from lycosa.engine.watch.summary import Summary
from lycosa.learn.judges.version import load_version
from lycosa.testing import Site
from lycosa.values import Judgement
from tests.crawling import KEYWORDS, small_web, spec_of, spec_text


@pytest.fixture
def site() -> Any:
    with Site(small_web(3, 40)) as local:
        yield local


UNHURRIED = {"per_host_delay_s": 60.0}
"""A crawl that is not over before the script is, however slow the machine."""


def run(site: Site, out: Path, script: Any, **sections: dict[str, Any]) -> Summary:
    """Run a crawl, and the script concurrently once the crawl has begun."""
    text = spec_text(site, ["http://h0.test/"], **sections)

    async def both() -> Summary:
        beside: list[
            asyncio.Task[None]
        ] = []  # not returned to the crawl: its end would cut off the answer to "stop"
        summary = await run_crawl(
            CrawlRequest(spec_of(text), text, out.parent, out),
            watch=lambda crawl: beside.append(asyncio.ensure_future(script(crawl))),
        )
        await asyncio.gather(*beside)
        return summary

    return asyncio.run(asyncio.wait_for(both(), 600))


async def asked(out: Path, do: str) -> dict[str, Any]:
    answer = await asyncio.to_thread(ask, out, do)
    assert answer is not None
    return answer


def test_a_crawl_pauses_goes_on_and_stops(site, tmp_path):
    """Paused, nothing more is taken; resumed, it goes on; stopped, it ends and can go on another time."""
    out = tmp_path / "c"
    seen: list[Any] = []

    async def script(crawl: Crawl) -> None:
        seen.append(await asked(out, "pause"))
        while crawl._flying:
            await asyncio.sleep(0.01)
        before = crawl.tally.pages
        await asyncio.sleep(0.1)
        seen.append(crawl.tally.pages == before)
        seen.append(await asked(out, "status"))
        seen.append(await asked(out, "nonsense"))
        seen.append(await asked(out, "resume"))
        seen.append(await asked(out, "stop"))

    summary = run(site, out, script, fetch=UNHURRIED)
    paused, still, status, nonsense, resumed, _ = seen
    assert paused["ok"]
    assert status["paused"]
    assert still
    assert nonsense["ok"] is False
    assert resumed["paused"] is False
    assert (summary.ended, summary.resumable) == ("interrupted", True)
    assert not (out / NAME).exists()


def test_a_pause_counts_for_no_limit(site, tmp_path):
    """The time of a pause is none of the crawl's: in its summary, its limits, and when it goes on another day."""
    out = tmp_path / "c"

    async def script(crawl: Crawl) -> None:
        crawl.pause()
        now = crawl.clock.now
        crawl.clock.now = lambda: now() + 3600  # type: ignore[method-assign]  # an hour later
        assert crawl.rested_s >= 3600
        crawl.resume()
        crawl.pause()
        crawl.stop("interrupted")

    summary = run(site, out, script, limits={"hours": 0.5})
    assert summary.ended == "interrupted"
    assert summary.seconds < 1800
    with Collection.open(out) as collection:
        (the_run,) = collection.reader.runs()
        assert the_run.ended - the_run.started > 3600
        assert collection.reader.seconds() < 1800


def test_nobody_answers_where_no_crawl_runs(tmp_path):
    """Without a socket, or with a dead one, there is simply no answer."""
    assert ask(tmp_path, "status") is None
    (tmp_path / NAME).write_text("not a socket")
    assert ask(tmp_path, "status") is None


def test_a_busy_crawl_is_not_taken_for_none(tmp_path):
    """Somebody listens but does not answer in time: it is running, and not done."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as busy:
        busy.bind(str(tmp_path / NAME))
        busy.listen()
        answer = ask(tmp_path, "pause", 0.1)
    assert answer is not None
    assert answer["ok"] is False
    assert "busy" in answer["error"]


def test_a_long_path_has_a_socket_too(site, tmp_path):
    """A collection deep in the folders is controlled like any other."""
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    answers: list[Any] = []

    async def script(_: Crawl) -> None:
        answers.append(await asked(deep / "c", "stop"))

    run(site, deep / "c", script, fetch=UNHURRIED)
    assert answers[0]["ok"]


def test_nonsense_on_the_line_is_answered_in_words(site, tmp_path):
    """What is not a command costs nothing: the crawl goes on."""
    out = tmp_path / "c"
    answers: list[Any] = []

    async def script(_: Crawl) -> None:
        reader, writer = await asyncio.open_unix_connection(str(out / NAME))
        for line in (b"\xff\xfe\n", b"[]\n", b'{"do": 5}\n', b"[" * 5000 + b"\n"):
            writer.write(line)
            answers.append(json.loads(await reader.readline()))
        writer.close()
        await asked(out, "stop")

    run(site, out, script, fetch=UNHURRIED)
    assert [answer["ok"] for answer in answers] == [False] * 4


def test_labels_teach_a_running_crawl(site, tmp_path):
    """Told of new labels, the crawl fits its judge again, judges its pages by it and goes on."""
    out = tmp_path / "c"
    told: list[bool] = []

    async def script(crawl: Crawl) -> None:
        if told:
            return
        while crawl.tally.pages < 3:
            await asyncio.sleep(0.005)
        crawl.pause()
        with Collection.open(out) as collection:
            page = next(page for page in collection.reader.pages() if page.judgement)
        set_label(out, Label(page.link.key, page.link.url, True, time.time()))
        told.append((await asked(out, "labels-changed"))["ok"])

    sections: dict[str, Any] = {
        "top": {"strategy": "best-first"},
        "topic": {"keywords": list(KEYWORDS)},
        "limits": {"pages": 30},
    }
    summary = run(site, out, script, judge={"kind": "topic", "threshold": 0.2}, **sections)
    assert told == [True]
    assert summary.pages >= 30 or summary.waiting == 0
    with Collection.open(out) as collection:
        version = load_version(out / "models", collection.reader.judge_version())
        assert list(version.said.values()) == [True]
        page = collection.reader.page(*version.said)
        assert page
        assert page.judgement == Judgement(True, 1.0, "labelled by a person")
        assert next(run.reason for run in collection.reader.runs()) == "labels have changed"
