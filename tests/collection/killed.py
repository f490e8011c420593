"""A crawl's worth of commits in a process that kills itself: python -m tests.collection.killed DIR POINT NTH."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from lycosa.collection.writer import CollectionWriter
from tests.collection.records import failed, page_record

PAGES = 12


def crawl(directory: Path, point: str = "", nth: int = 0) -> None:
    """Save every page that is not there yet, two a commit; die when `point` is passed the nth time."""
    passed = 0

    def pause(name: str) -> None:
        nonlocal passed
        passed += name == point
        if name == point and passed == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    with CollectionWriter.create_or_open(directory, "", warc_bytes=4000, pause_points=pause) as collection:
        collection.connection.execute("CREATE TABLE IF NOT EXISTS frontier (url TEXT PRIMARY KEY)")
        done = {url for (url,) in collection.connection.execute("SELECT url FROM frontier")}
        urls = [f"http://a.example/{i}" for i in range(PAGES)]
        left = [url for url in urls if url not in done]
        while left:
            batch, left = left[:2], left[2:]
            with collection.commit():
                for url in batch:
                    collection.save(page_record(url))
                    collection.save(failed(url + "?lost"))
                    collection.connection.execute("INSERT INTO frontier VALUES (?)", (url,))


if __name__ == "__main__":
    crawl(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
