"""A crawl from Python: the demo web is served on this machine, crawled for a topic, and read back.

Run it with: python examples/crawl_demo.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import lycosa

web = lycosa.demo_web()
topic = web.topics["bread"]

with tempfile.TemporaryDirectory() as folder, web.serve() as site:
    summary = lycosa.crawl(
        name="bread",
        topic={"keywords": topic.keywords},
        seeds={"urls": topic.seeds},
        limits={"pages": 60},
        process={"workers": 0},
        fetch=site.fetch,  # the demo web is our own; on the live Web leave the defaults
        out=Path(folder) / "bread",
    )
    print(f"{summary.pages} pages, {summary.relevant} about bread (harvest {summary.harvest:.2f})")

    with lycosa.Collection.open(summary.collection) as collection:
        rows = sorted(collection.rows(), key=lambda row: -row["score"])
    for row in rows[:5]:
        print(f"  {row['score']:.2f}  {row['title']}  {row['url']}")
