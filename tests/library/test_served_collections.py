"""Views of a collection that are kept: made anew when it has changed, without the reader's waiting for what is costly."""

from __future__ import annotations

import math
import threading

from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.library import served_collections
from lycosa.library.served_collections import ServedCollections
from tests.collection.records import page_record
from tests.library import sample_library


def _change(directory, url: str = "http://more.example/") -> None:
    with (
        CollectionWriter.create_or_open(directory, sample_library.SPEC, name="storm") as writer,
        writer.commit(),
    ):
        writer.save(page_record(url, title="More", text="More of it."))


def test_what_costs_nothing_is_made_anew_at_once(tmp_path, monkeypatch):
    """A changed collection is seen by the next request."""
    # However long a busy machine takes for it, it is said to have cost nothing.
    monkeypatch.setattr(served_collections, "FRESH_S", 0.0)
    monkeypatch.setattr(served_collections, "COSTLY_S", math.inf)
    directory = sample_library.make(tmp_path / "storm")
    served, made = ServedCollections([directory]), []
    for _ in range(2):
        with served.open("storm") as collection:
            served.cached(collection, "view", lambda opened: made.append(opened.reader.counts().judged))
    assert made == [3], "Nothing had changed."
    _change(directory)
    with served.open("storm") as collection:
        served.cached(collection, "view", lambda opened: made.append(opened.reader.counts().judged))
    assert made == [3, 4]


def test_what_is_costly_is_made_behind_the_readers_back(tmp_path, monkeypatch):
    """Until the new view is there the last one is shown, and only one is made at a time; what is too old is not shown."""
    directory = sample_library.make(tmp_path / "storm")
    monkeypatch.setattr(served_collections, "COSTLY_S", -1.0)
    monkeypatch.setattr(served_collections, "FRESH_S", 0.0)
    served, begun, go_on, done = ServedCollections([directory]), [], threading.Event(), threading.Event()

    def view(opened: Collection) -> int:
        begun.append(threading.current_thread())
        if len(begun) > 1:
            go_on.wait()
            done.set()
        return opened.reader.counts().judged

    def shown() -> int:
        with served.open("storm") as collection:
            return served.cached(collection, "view", view)

    assert shown() == 3
    _change(directory)
    assert shown() == shown() == 3
    go_on.set()
    done.wait()
    begun[1].join()
    assert shown() == 4
    assert len(begun) == 2
    assert begun[1] is not threading.current_thread()
    monkeypatch.setattr(served_collections, "STALE_S", 0.0)
    _change(directory, "http://again.example/")
    assert shown() == 5
