"""The demo web as a virtual web on disk: a WARC file, labels.csv and web.toml."""

from __future__ import annotations

import csv
import gzip
import io
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from lycosa.testing import CannedResponse

if TYPE_CHECKING:
    from lycosa_lab.demo_web import DemoWeb

DATE = "2025-01-01T00:00:00Z"
"""Date of every record; constant, so that the same web gives the same file."""


EVENT_COLUMNS = ("topic", "date", "place", "state", "lat", "lon")


def write_web(web: DemoWeb, folder: Path) -> None:
    """Write every page as a response record, the labels, and what the web is."""
    folder.mkdir(parents=True, exist_ok=True)
    write_warc(web, folder / "demo.warc.gz")
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("url", "topic", "grade"), *web.labels])
    with (folder / "page-types.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("url", "type"), *web.page_types])
    with (folder / "events.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([EVENT_COLUMNS, *_events(web)])
    (folder / "web.toml").write_text(_about(web), encoding="utf-8")


def _events(web: DemoWeb) -> Iterator[tuple[object, ...]]:
    for name, topic in web.topics.items():
        if topic.event:
            place, _, state = topic.event.place.partition(", ")
            yield name, topic.event.date, place, state, topic.event.lat, topic.event.lon


def write_warc(web: DemoWeb, path: Path) -> None:
    """Write the responses of a web as a compressed WARC file."""
    with path.open("wb") as file:
        for url, page in web.pages.items():
            record = io.BytesIO()
            _record(url, page).write(record, checksum_data=True)
            file.write(gzip.compress(record.getvalue(), mtime=0))  # one gzip member per record


def _record(url: str, page: CannedResponse) -> Any:
    from fastwarc.warc import WarcRecord, WarcRecordType

    record = WarcRecord()
    name = uuid.uuid5(uuid.NAMESPACE_URL, url)
    record.init_headers(record_type=WarcRecordType.response, record_urn=f"uuid:{name}".encode())
    record.headers["WARC-Target-URI"] = url
    record.headers["WARC-Date"] = DATE
    record.is_http = True
    record.set_bytes_content(page.plain)
    return record


def _about(web: DemoWeb) -> str:
    topics = {
        name: {
            "title": topic.title,
            "description": topic.description,
            "seeds": topic.seeds,
            "keywords": topic.keywords,
            "tags": topic.tags,
        }
        for name, topic in web.topics.items()
    }
    return tomli_w.dumps(
        {
            "title": "The demo web of Lycosa",
            "licence": "MIT",
            "source": "generated; texts written and images drawn for this project",
            "start": web.start,
            "topics": topics,
        }
    )
