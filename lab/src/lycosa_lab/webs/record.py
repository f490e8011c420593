"""Record a virtual web by a breadth-first crawl of the live Web, and take its labels from the collection."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import tomli_w

from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.engine.run import crawl_file
from lycosa.engine.watch.summary import Summary
from lycosa.errors import InputError, LycosaError, StoppedEarly
from lycosa.files import write_file
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import load_spec, spec_path
from lycosa.urls import key_of
from lycosa.values import Say
from lycosa_lab.webs.web import VirtualWeb, rows_of


def record_web(spec: Path, web: Path, say: Say) -> Path:
    """Crawl as the spec says, breadth-first, and lay the archive out as a web without labels yet.

    The collection stays in the web's folder: run again, an interrupted recording goes on. There is no web before it has ended.
    """
    changes = ('strategy="breadth-first"',)
    spec = spec_path(spec)
    read, _ = load_spec(spec, all_settings(), changes)
    if (web / "labels.csv").exists():
        raise InputError(f"{web} is a web already. Choose another folder.")
    if (web / "catalogue.db").exists():
        raise InputError(
            f"{web} is a collection, and a web is a folder of its own. Name one that is not there yet."
        )
    summary = crawl_file(spec, web / "collection", changes, say=say)
    if summary.stopped_early:
        raise StoppedEarly("Stopped early; run the same command again and it goes on.")
    if not summary.pages:
        raise LycosaError(_nothing_recorded(summary))
    with Collection.open(web / "collection") as collection:
        start = collection.reader.seeds()
        for file in sorted(collection.archive.glob("*.warc.gz")):
            shutil.copy2(file, web / file.name)
    about: dict[str, object] = {
        "title": read.name,
        "source": "recorded with lycosa lab record, breadth-first",
        "licence": "pages belong to their publishers",
        "start": list(start),
    }
    if read.topic.keywords:
        about["topics"] = {read.name: {"keywords": read.topic.keywords}}
    (web / "web.toml").write_text(tomli_w.dumps(about), encoding="utf-8")
    # Written last: marks a finished recording.
    (web / "labels.csv").write_text("url,topic,grade\n", encoding="utf-8")
    say(
        f"{summary.pages} pages recorded. To measure on it, label pages (lycosa label {web / 'collection'}, then "
        f"lycosa lab labels {web}), or write url,topic,grade rows into {web / 'labels.csv'}"
    )
    return web


def take_labels(web: Path, topic: str = "") -> int:
    """Write what `lycosa label` was told of a recorded web into its labels.csv; return the number of pages.

    A relevant page gets grade 2, another 0. Rows that agree with the answer, and all other rows, stay.
    """
    opened, labels = VirtualWeb.open(web), labels_in(web / "collection").values()
    if not labels:
        raise InputError(
            f"{web / 'collection'} has no labels. Label pages of a recorded web with: lycosa label {web / 'collection'}"
        )
    name, file = topic or opened.title, web / "labels.csv"
    rows = {
        (row["topic"], key_of(row["url"], opened.folding)): (row["url"], row["topic"], int(row["grade"]))
        for row in rows_of(file, "url", "topic", "grade")
    }
    for label in labels:
        at = name, key_of(label.url, opened.folding)
        if at not in rows or (rows[at][2] > 0) != label.relevant:
            rows[at] = label.url, name, 2 if label.relevant else 0
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([("url", "topic", "grade"), *rows.values()])
    write_file(file, text.getvalue().encode())
    return len(labels)


def _nothing_recorded(summary: Summary) -> str:
    if summary.failed_seeds:
        url, reason = next(iter(summary.failed_seeds.items()))
        return (
            f"No page was recorded: no seed could be fetched ({url}: {reason}). "
            "Check [seeds] and the connection, then run the same command: they are tried again."
        )
    return (
        "No page was recorded: all that the seeds lead to was refused. "
        f"See why: lycosa why {summary.collection} SEED"
    )
