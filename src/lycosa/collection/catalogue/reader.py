"""Read everything that a catalogue holds, also while a crawl is writing it."""

from __future__ import annotations

from lycosa.collection.catalogue.lessons import LessonReader
from lycosa.collection.catalogue.progress import Progress


class Reader(LessonReader, Progress):
    """All named queries on pages, links, lessons and the course of a crawl."""
