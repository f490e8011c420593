"""The multimedia crawler end to end: air quality sites of the demo web, images that open links, pages looked through.

Run it with: python examples/air_quality.py [FOLDER]    (the collection stays in FOLDER, to be served and asked)
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from lycosa.demo import DemoWeb
from lycosa.demo.environment import TOPIC, environment_part
from lycosa.methods.multimedia.paper.crawls import demo_models
from lycosa.report.why import explain, explanation_text
from lycosa.engine.session import crawl_spec
from lycosa.spec.reading import parse_spec
from lycosa.store.collection import Collection
from lycosa.methods import all_settings
from lycosa.spec.writing import toml
from lycosa.values import Kind

part = environment_part(1)
topic = part.topics[TOPIC]

with tempfile.TemporaryDirectory() as temporary, DemoWeb((part,)).serve() as site:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
    folder.mkdir(parents=True, exist_ok=True)
    # T is learned from labelled links of another demo web. Your own: lycosa train links links.csv --out links.model
    links, _ = demo_models(101)
    links.save(folder / "links.model")
    text = f"""
        name = "air"
        strategy = "multimedia"
        topic = {toml({"keywords": topic.keywords, "description": topic.description})}
        seeds = {toml({"urls": topic.seeds})}
        scope.depth = 3
        process.workers = 0

        [multimedia]
        links = "links.model"
        t1 = 0.7
        t2 = 0.3
        exploration = "text"
        t3 = 0.2

        [fetch]                 # the demo web is our own; on the live Web leave the defaults
        per_host_delay_s = 0
        connect_to = {toml(site.connect_to)}
        allow_private = {toml(site.allow_private)}
    """
    spec = parse_spec(text, all_settings())
    asyncio.run(crawl_spec(spec, text, folder, folder / "air"))

    grades = {url: grade for url, _, grade in part.labels}
    with Collection.read(folder / "air") as collection:
        fetched = list(collection.reader.pages())
    pages = [page for page in fetched if page.kind is Kind.PAGE and page.judgement]
    kept = [page for page in pages if not page.explored]
    good = sum(grades.get(page.link.url, 0) == 2 for page in kept)
    images = sum(page.kind is Kind.IMAGE for page in fetched)
    opened = [why for page in kept if (why := explain(folder / "air", page.link.url)).image]
    print(f"{len(kept)} pages collected, {good} of them give air quality data")
    print(f"{len(pages) - len(kept)} pages looked through, {images} images looked at")
    print(f"{len(opened)} pages were collected only because an image opened the link, such as:")
    for why in opened[:1]:
        print(explanation_text(why))
