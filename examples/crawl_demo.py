"""A crawl from Python: the demo web is served on this machine, crawled for a topic, and read back.

Run it with: python examples/crawl_demo.py
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from lycosa.demo import demo_web
from lycosa.engine.session import crawl_spec
from lycosa.spec.reading import parse_spec
from lycosa.store.collection import Collection
from lycosa.methods import all_settings
from lycosa.spec.writing import toml

web = demo_web()
topic = web.topics["bread"]

with tempfile.TemporaryDirectory() as folder, web.serve() as site:
    text = f"""
        name = "bread"
        topic = {toml({"keywords": topic.keywords})}
        seeds = {toml({"urls": topic.seeds})}
        limits.pages = 60
        process.workers = 0

        [fetch]                 # the demo web is our own; on the live Web leave the defaults
        per_host_delay_s = 0
        connect_to = {toml(site.connect_to)}
        allow_private = {toml(site.allow_private)}
    """
    directory = Path(folder) / "bread"
    summary = asyncio.run(crawl_spec(parse_spec(text, all_settings()), text, Path(folder), directory))
    print(f"{summary.pages} pages, {summary.relevant} about bread (harvest {summary.harvest:.2f})")

    with Collection.read(directory) as collection:
        judged = [(page.judgement, page) for page in collection.reader.pages() if page.judgement]
    relevant = [(judgement.score, page) for judgement, page in judged if judgement.relevant]
    for score, page in sorted(relevant, key=lambda found: -found[0])[:5]:
        print(f"  {score:.2f}  {page.title}  {page.link.url}")
