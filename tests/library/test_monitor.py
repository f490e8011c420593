"""The monitor of a crawl: what was kept last with its images, and the shards of a crawl that has some."""

from __future__ import annotations

from pathlib import Path

from lycosa.cluster.division import Division, note_division, shard_directory
from lycosa.collection import Record
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.library.views.monitor import watched
from lycosa.values import Kind
from tests.collection.records import NOW, fetched, link_to, page_record
from tests.library import sample_library


def _write(directory: Path, *records) -> Path:
    with CollectionWriter.create_or_open(directory, sample_library.SPEC, name="storm") as writer:
        with writer.commit():
            writer.catalogue.begin_run(NOW)
        for record in records:
            with writer.commit():
                writer.save(record)
    return directory


def _page(url: str, title: str, at: float, *, relevant: bool = True):
    return page_record(
        url, fetched=fetched(url, link=link_to(url), at=at), title=title, text=title, relevant=relevant
    )


def test_the_latest_pages_have_their_images(tmp_path):
    """A page that was kept is shown with the first of its archived images, one without an image without."""
    image = "http://news.example/flood.jpg"
    link = link_to(image, kind=Kind.IMAGE, parent=link_to("http://news.example/a").key)
    answer = fetched(image, b"no matter", link=link, at=NOW + 3, headers=(("Content-Type", "image/jpeg"),))
    directory = _write(
        tmp_path / "storm",
        _page("http://news.example/a", "Flood", NOW + 1),
        _page("http://news.example/b", "Storm", NOW + 2),
        Record(NOW + 3, answer),
    )
    with sample_library.client(directory) as browser:
        text = browser.get("/c/storm/monitor").text

    assert (
        '<img src="/c/storm/thumbnail/3" alt="" width="64" height="48"><span dir="auto"><a href="/c/storm/page/1">Flood'
        in text
    )
    assert text.count("/thumbnail/") == 1


def test_shards_are_watched_before_they_are_brought_together(tmp_path):
    """Figures, titles and refusals are those of all shards, the newest first; only pages of the whole have links."""
    directory = _write(tmp_path / "storm", _page("http://a.example/1", "First of one", NOW + 1))
    note_division(directory, Division(3))  # the third has not begun
    _write(
        shard_directory(directory, 0),
        _page("http://a.example/1", "First of one", NOW + 1),
        _page("http://a.example/3", "Second of one", NOW + 3),
    )
    _write(
        shard_directory(directory, 1),
        _page("http://b.example/2", "First of the other", NOW + 2),
        _page("http://b.example/4", "Not kept", NOW + 4, relevant=False),
    )

    with Collection.open(directory) as collection, watched(collection) as monitor:
        now = monitor.status()
        lately = monitor.lately(now)
        assert (now["pages"], now["relevant"], now["last_pages"], now["last_relevant"]) == (4, 3, 4, 3)
        assert [(shard.shard, shard.pages, shard.relevant) for shard in monitor.shards(now)] == [
            (0, 2, 2),
            (1, 2, 1),
        ]
        assert [page.title for page in lately.latest] == [
            "Second of one",
            "First of the other",
            "First of one",
        ]
        assert [page.id for page in lately.latest] == [None, None, 1]
        assert monitor.harvest_curve(10)[-1] == (4, 3)
    with sample_library.client(directory) as browser:
        text = browser.get("/c/storm/monitor").text
        told = browser.get("/api/c/storm/status").json()
    assert "<h2>Shards</h2>" in text
    assert [shard["pages"] for shard in told["shards"]] == [2, 2]
