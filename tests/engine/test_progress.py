"""Progress: right on a terminal, plain lines elsewhere, silent when asked."""

from __future__ import annotations

import asyncio
import io
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from lycosa.clock import VirtualClock
from lycosa.engine.rules.limits import Limits, Tally
from lycosa.engine.watch import progress
from lycosa.engine.watch.progress import Progress
from lycosa.frontier import FrontierCounts
from lycosa.learn.figures import Figures
from lycosa.values import Reason


def a_crawl(
    limits: Limits | None = None, pages: int = 120, paused: bool = False, idle_until: float | None = None
) -> Any:
    refused = Counter({Reason.ROBOTS: 7, Reason.HTTP_ERROR: 3, Reason.DNS: 2, Reason.TLS: 1})
    tally = Tally(relevant=pages // 4, bytes=12_500_000, seconds=60.0, refused=refused)
    for number in range(pages):
        tally.count(number, relevant=number % 4 == 0)
        tally.name(number, f"Owl {number}\x1b[2J\n of the night")
    counts = FrontierCounts(waiting=4321, authorities=40, active_authorities=12)
    return SimpleNamespace(
        paused=paused,
        idle_until=idle_until,
        clock=VirtualClock(),
        tally=tally,
        limits=limits or Limits(pages=1000),
        frontier=SimpleNamespace(counts=lambda: counts),
        figures=Figures(0.25, 0.2, 0.3) if pages else Figures(),
        refits=SimpleNamespace(version=SimpleNamespace(number=7)),
    )


def shown(watch: Progress, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, record=True)
    watch.console = console
    console.print(watch.panel())
    return console.export_text()


def test_a_panel_shows_the_course_and_the_latest_titles():
    """The newest that are kept now, three at most, and nothing of a page commands the terminal; the bar is not red."""
    told = shown(Progress(a_crawl()), 80)
    assert [line.split()[-5:] for line in told.splitlines() if "of the night" in line] == [
        f"{number} [2J of the night".split() for number in (116, 112, 108)
    ]
    assert "course" in told
    crawl = a_crawl()
    crawl.tally.latest |= {116: False, 117: True}  # as a later version of the judge says
    assert "Owl 116" not in shown(Progress(crawl), 80)
    assert "Owl 117" in shown(Progress(crawl), 80)
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor")
    console.print(Progress(a_crawl()).panel())
    assert "249;38;114" not in console.file.getvalue()  # type: ignore[attr-defined]  # rich's own red


def test_a_line_has_all_of_it():
    """Pages, harvest, speed, hosts, queue, bytes and the commonest reasons, in one line."""
    line = Progress(a_crawl()).line()
    for words in ("120 of 1,000", "kept 30 (harvest about 25 % (20 % to 30 %); judge version 7)", "lately 30 of the last 120", "pages/s", "12 with work, 40 seen", "waiting 4,321", "12.5 MB",
                  "7 × robots.txt disallows it"):  # fmt: skip
        assert words in line
    assert "\n" not in line
    assert "secure" not in line


def test_a_crawl_that_has_to_wait_says_so():
    """A Retry-After of 47 minutes on the last URL is no riddle; a short rest is not worth a word."""
    assert (
        "resting nothing for 47 min: the hosts that are left asked for it"
        in Progress(a_crawl(idle_until=47 * 60)).line()
    )
    assert "resting" not in Progress(a_crawl(idle_until=3)).line()


def test_a_pause_is_shown():
    """Paused is said first, and nobody is told when a crawl ends that does not go on."""
    watch = Progress(a_crawl(Limits(hours=1), paused=True))
    assert watch.line().startswith("paused · pages 120")
    assert "paused" in shown(watch, 80)
    assert "time left" not in watch.line()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_panel_fits_the_terminal(width):
    """No line is wider than the terminal, and what is read at a glance stands in one."""
    text = shown(Progress(a_crawl()), width)
    assert all(len(line) <= width for line in text.splitlines())
    assert next(line for line in text.splitlines() if "━" in line).strip("━╸╺ ") == ""
    assert "120 of 1,000" in text


def test_without_a_page_limit_there_is_no_bar():
    """A bar that means nothing is not drawn."""
    assert "━" not in shown(Progress(a_crawl(Limits())), 80)


def test_time_left_is_the_nearest_end():
    """By pages at the speed so far, or by hours; none where nothing can be said."""
    crawl = a_crawl(pages=100)
    watch = Progress(crawl)
    for number in range(100, 120):
        crawl.tally.count(number, relevant=False)
    crawl.tally.seconds += 10
    assert "time left about 7 min" in watch.line()  # 880 pages, two a second
    crawl.limits = Limits(pages=100)
    assert "time left about 0 s" in watch.line()
    assert "time left about 59 min" in Progress(a_crawl(Limits(hours=1))).line()
    assert "time left" not in Progress(a_crawl(pages=0)).line()


def test_a_crawl_that_just_began_divides_by_nothing():
    """Zero pages are shown as zeros."""
    assert "kept 0 (judge version 7)" in Progress(a_crawl(pages=0)).line()


async def watched(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, **more: Any) -> str:
    monkeypatch.setattr(progress, "EVERY_S", {True: 0.0, False: 0.0})
    watch = Progress(a_crawl(), stream=stream, **more)
    task = asyncio.ensure_future(watch.run())
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return stream.getvalue()


async def test_elsewhere_it_is_plain_lines(monkeypatch):
    """No escape sequences in a file or a pipe."""
    text = await watched(io.StringIO(), monkeypatch)
    assert text.count("pages 120 of 1,000") >= 2
    assert "\x1b" not in text


async def test_on_a_terminal_it_is_redrawn_and_taken_away(monkeypatch):
    """The table is rewritten in place, and the screen left as it was found."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = await watched(Terminal(), monkeypatch)
    assert "crawling" in text
    assert "\x1b[?25h" in text


async def test_quiet_is_quiet(monkeypatch):
    """Nothing at all."""
    assert await watched(io.StringIO(), monkeypatch, quiet=True) == ""
