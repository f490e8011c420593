"""The section that the lab gives `event` for a topic of a virtual web."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.methods.event.section import EventSpec
from lycosa_lab.webs.web import Topic


def section(topic: Topic, pages: Sequence[str]) -> EventSpec | None:
    """Return the event of the training pages; None for topics that are not events."""
    return EventSpec(pages=tuple(pages)) if topic.is_event else None
