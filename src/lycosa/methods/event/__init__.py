"""Event crawling: what, where, when, and the importance of sources (Farag)."""

from __future__ import annotations

from lycosa.methods.seam import Method

_HERE = "lycosa.methods.event"

METHOD = Method(
    name="event",
    strategies={"event": f"{_HERE}.strategy:Event"},
    section=f"{_HERE}.section:EventSpec",
    prepare=f"{_HERE}.preparation:prepare",
    when={"event": "something that happened, at one place and time"},
    judges={"event": f"{_HERE}.judge:event_judge"},
    judges_learn=True,
    link_evidence=f"{_HERE}.evidence:link_evidence",
    link_words={
        "event-share-of-topic": "what the links to it are about, by the event",
        "event-share-of-place": "where the links to it are about, by the event",
        "event-share-of-date": "when the links to it are about, by the event",
        "event-share-of-who": "who the links to it are about, by the event",
    },
    models=f"{_HERE}.model:refuse_to_judge",
    train=f"{_HERE}.commands:register",
    draft=f"{_HERE}.drafting:draft",
    start=f"{_HERE}.section:START",
    demo=f"{_HERE}.demo:run_demo",
)
