"""The `demo` command: serve the demo web, crawl it, report, and say what to try next."""

from __future__ import annotations

from pathlib import Path

from lycosa.collection.collection import Collection
from lycosa.demo.crawling import crawl_demo, program_name, where
from lycosa.demo.web import DemoTopic, demo_web
from lycosa.engine.watch.summary import Summary
from lycosa.report.html import write_report
from lycosa.spec.writing import toml
from lycosa.testing import Site
from lycosa.values import Say

TOPIC = "owls"
PAGES = 200
STRATEGY = "fused"


def spec_of(topic: DemoTopic, site: Site, pages: int = PAGES, strategy: str = STRATEGY) -> str:
    """The crawl.toml of the demo: what a user would write, plus where the demo web really is."""
    return f'''# The demo crawl: {topic.title}, on a small web served from this machine.
name = "{TOPIC}"
strategy = {toml(strategy)}

[topic]
keywords = {toml(topic.keywords)}
description = {toml(topic.description)}

[seeds]
urls = {toml(topic.seeds)}

[limits]
pages = {pages}

{where(site)}per_ip_concurrency = 32
'''


def run_demo(out: Path, say: Say, *, strategy: str = STRATEGY, quiet: bool = False) -> Summary:
    """Crawl the demo web into `out` and write the report."""
    web = demo_web()
    topic = web.topics[TOPIC]
    say(f"Serving the demo web: {len(web.pages)} URLs on {len({u.split('/')[2] for u in web.pages})} hosts.")
    say(f"Crawling it for: {topic.title}. Seeds: {', '.join(topic.seeds)}")
    return crawl_demo(web, lambda site: spec_of(topic, site, strategy=strategy), out, say=say, quiet=quiet)


def tell_demo(out: Path, summary: Summary, strategy: str = STRATEGY) -> str:
    """How it went, and the next commands to try."""
    report = write_report(out)
    program = program_name()
    labelled = {url for url, topic, grade in demo_web().labels if topic == TOPIC and grade}
    with Collection.open(out) as collection:
        taken = [page for page in collection.reader.pages() if page.judgement and page.judgement.relevant]
    right = sum(page.link.url in labelled for page in taken)
    best = max(taken, key=lambda page: page.judgement.score if page.judgement else 0.0, default=None)
    other = (
        "--strategy breadth-first --out blind     (the same web, links in their order)"
        if strategy == STRATEGY
        else "--out demo     (the same web, the best links first)"
    )
    lines = [
        f"{summary.pages} pages fetched, {summary.relevant} kept as relevant (harvest {summary.figures.harvest_told or 'not known'});",
        f"by the demo web's own labels {right} of these {len(taken)} are about the topic, out of {len(labelled)} in all.",
        "",
        f"The report:      {report}",
        "Try next:",
        f"  {program} why {out} {best.link.url if best else 'URL'}",
        f"  {program} serve {out}",
        f"  {program} demo {other}",
        f"  {program} init my-crawl --topic",
    ]
    return "\n".join(lines)
