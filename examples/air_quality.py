"""The multimedia crawler end to end: air quality sites of the demo web, images that open links, pages looked through.

Run it with: python examples/air_quality.py [FOLDER]    (the collection stays in FOLDER, to be served and asked)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import lycosa

TOPIC = "air-quality"
web = lycosa.demo_web()
topic = web.topics[TOPIC]
grades = {url: grade for url, name, grade in web.labels if name == TOPIC}

with tempfile.TemporaryDirectory() as temporary, web.serve() as site:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
    summary = lycosa.crawl(
        name="air",
        strategy="multimedia",
        topic={"keywords": topic.keywords, "description": topic.description},
        seeds={"urls": topic.seeds},
        scope={"depth": 3},
        process={"workers": 0},
        # Links are scored by the topic's words. A classifier of your own: lycosa train links links.csv --out links.model
        multimedia={"t1": 0.4, "t2": 0.05, "exploration": "text", "t3": 0.02},
        fetch=site.fetch,  # the demo web is our own; on the live Web leave the defaults
        out=folder / "air",
    )
    with lycosa.Collection.open(summary.collection) as collection:
        judged = [page for page in collection.pages() if page.judgement]
        images = sum(page.kind == "image" for page in collection.pages())
    kept = [page for page in judged if not page.explored]
    good = sum(grades.get(page.link.url, 0) == 2 for page in kept)
    opened = [why for page in kept if (why := lycosa.explain(summary.collection, page.link.url)).image]
    print(f"{len(kept)} pages collected, {good} of them give air quality data")
    print(f"{len(judged) - len(kept)} pages looked through, {images} images looked at")
    print(f"{len(opened)} pages were collected only because an image opened the link, such as:")
    for why in opened[:1]:
        print(why)
