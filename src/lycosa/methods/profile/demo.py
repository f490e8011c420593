"""`lycosa demo --profile`: crawl the sharing site of the demo web for handmade kites."""

from __future__ import annotations

from pathlib import Path

from lycosa.demo.crawling import crawl_demo, program_name, where
from lycosa.demo.web import ArchivedDemo, demo_web
from lycosa.engine.watch.summary import Summary
from lycosa.methods.profile.items import stored_items
from lycosa.methods.profile.site.page_types import save_page_types
from lycosa.methods.profile.site.type_training import TYPES, train_page_types
from lycosa.page.document import Document
from lycosa.spec.writing import toml
from lycosa.testing import Site
from lycosa.values import Say

TOPIC = "kites"
HOST = "http://tinderbox.test"
PAGES = 120
EXAMPLES = 3
"""Saved pages of each type: as many as a user would show."""


def spec_of(web: ArchivedDemo, site: Site, page_types: Path) -> str:
    """What a user would write, plus where the demo web really is."""
    topic = web.topics[TOPIC]
    return f'''# The demo crawl of a sharing site: {topic.title}.
name = "{TOPIC}"
strategy = "profile"

[profile]
page_types = {toml(str(page_types.resolve()))}
tag = {toml(topic.tags[0])}
cotag_items = 15            # the site is small; the default is 300
cotag_top = 4

[seeds]
urls = {toml([f"{HOST}/", f"{HOST}/fresh"])}

[limits]
pages = {PAGES}

{where(site)}'''


def run_demo(out: Path, say: Say, quiet: bool) -> tuple[Summary, str]:
    """Learn the site's page types from a few pages, crawl it into `out`, and say what was found."""
    web = demo_web()
    page_types = out.with_name(f"{out.name}-page-types.json")
    page_types.parent.mkdir(parents=True, exist_ok=True)
    save_page_types(page_types, train_page_types(_examples(web), name="Tinderbox"))
    say(f"Learned list, detail and profile pages of {HOST} from {EXAMPLES} examples each: {page_types}")
    summary = crawl_demo(web, lambda site: spec_of(web, site, page_types), out, say=say, quiet=quiet)
    return summary, _told(out, web, summary)


def _examples(web: ArchivedDemo) -> dict[str, list[Document]]:
    """Of each type pages from the middle of the site: the first ones are those of a maker without tags."""
    found = {}
    for kind in TYPES:
        urls = [url for url, each in web.page_types if each == kind]
        chosen = urls[len(urls) // 2 :][:EXAMPLES]
        found[kind] = [Document(web.pages[url].body, url, "text/html") for url in chosen]
    return found


def _told(out: Path, web: ArchivedDemo, summary: Summary) -> str:
    labelled = {url for url, topic, grade in web.labels if topic == TOPIC and grade}
    items = list(stored_items(out))
    right = [item for item in items if item.url in labelled]
    program = program_name()
    lines = [
        f"{summary.pages} pages fetched, {len(items)} of them items (capture {len(items) / (summary.pages or 1):.2f});",
        f"{len(right)} of these are of the topic (harvest {len(right) / (len(items) or 1):.2f}), of {len(labelled)} in all.",
        "",
        "Try next:",
        f"  {program} train items {out} --out items.jsonl",
        f"  {program} train cotags {out} --tag {web.topics[TOPIC].tags[0]} --out tags.csv",
        f"  {program} serve {out}",
    ]
    return "\n".join(lines)
