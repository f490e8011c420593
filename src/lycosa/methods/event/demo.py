"""`lycosa demo --event`: crawl the demo web for a whale in one river, among news of a whale in another."""

from __future__ import annotations

from pathlib import Path

from lycosa.collection.collection import Collection
from lycosa.demo.crawling import crawl_demo, program_name, where
from lycosa.demo.web import DemoTopic, demo_web
from lycosa.engine.watch.summary import Summary
from lycosa.spec.writing import toml
from lycosa.testing import Site
from lycosa.values import Say

EVENT, LOOK_ALIKE = "whale-bremen", "whale-glasgow"
PAGES = 30


def spec_of(event: DemoTopic, site: Site) -> str:
    """What a user would write: a sentence, a place, a day and two reports, plus where the demo web really is."""
    assert event.event is not None
    return f'''# The demo crawl of an event: {event.title}.
name = "{EVENT}"
strategy = "event"

[event]
about = {toml(f"{event.event.date}, {event.event.place}: {event.description}")}
pages = {toml(event.seeds)}

[judge]
kind = "event"

[limits]
pages = {PAGES}

{where(site)}'''


def run_demo(out: Path, say: Say, quiet: bool) -> tuple[Summary, str]:
    """Crawl the demo web for its event into `out`, and say what was found."""
    web = demo_web()
    summary = crawl_demo(web, lambda site: spec_of(web.topics[EVENT], site), out, say=say, quiet=quiet)
    return summary, _told(out, summary)


def _told(out: Path, summary: Summary) -> str:
    grades = {(url, topic): grade for url, topic, grade in demo_web().labels}
    with Collection.open(out) as collection:
        kept = [page for page in collection.reader.pages() if page.judgement and page.judgement.relevant]
    right = sum(bool(grades.get((page.link.url, EVENT))) for page in kept)
    alike = sum(bool(grades.get((page.link.url, LOOK_ALIKE))) for page in kept)
    everything = sum(bool(grade) for (_, topic), grade in grades.items() if topic == EVENT)
    program = program_name()
    lines = [
        f"{summary.pages} pages fetched, {len(kept)} kept: {right} of the {everything} reports on the whale of Bremen, and "
        f"{alike} on the whale of Glasgow, whose reports use the same words with another place and day.",
        "",
        "Try next:",
        f"  {program} report {out}",
        f"  {program} serve {out}     (the map and the timeline of the event)",
        f"  {program} lab reproduce event --out tables     (the paper's tables, on this web)",
    ]
    return "\n".join(lines)
