"""The demo web's own event: found, and told from the one that looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.collection.collection import Collection
from lycosa.errors import SpecError
from lycosa.methods.event.demo import EVENT, LOOK_ALIKE, run_demo
from lycosa.methods.event.preparation import spread_out
from lycosa.methods.event.section import EventSpec
from lycosa_lab.demo_web import demo_web
from lycosa_lab.webs.web import VirtualWeb


def test_the_demo_finds_its_event_and_not_the_other_one(tmp_path: Path):
    """Both are whales in rivers: place and day tell them apart. The event is given in one line."""
    summary, told = run_demo(tmp_path / "whale", lambda _: None, True)
    labels = {(url, topic): grade for url, topic, grade in demo_web().labels}
    with Collection.open(tmp_path / "whale") as collection:
        kept = [
            page.link.url for page in collection.reader.pages() if page.judgement and page.judgement.relevant
        ]
    assert summary.pages == 30
    assert sum(labels.get((url, EVENT), 0) > 0 for url in kept) >= 6
    assert sum(labels.get((url, LOOK_ALIKE), 0) > 0 for url in kept) <= 1
    assert "whale of Bremen" in told


def test_the_written_web_has_its_events(tmp_path: Path):
    """events.csv names them, so that the lab and `reproduce event` take them for what they are."""
    demo_web().only(EVENT).write(tmp_path)
    topics = VirtualWeb.open(tmp_path).topics
    assert {name for name, topic in topics.items() if topic.is_event} == {EVENT, LOOK_ALIKE}


@pytest.mark.parametrize("line", ["a whale in Bremen", "2018-13-09, Bremen: a whale", "2018-10-09, Bremen"])
def test_a_line_that_is_no_event_says_how_to_write_one(line):
    """The message has an example."""
    with pytest.raises(SpecError, match="Orlando, Florida: a gunman"):
        spread_out(EventSpec(about=line))
