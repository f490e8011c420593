"""Event crawling: what, where, when, and the importance of sources [Farag]."""

from __future__ import annotations

from lycosa.methods.seam import Commands, Demo, Lazy, Method, MethodEvidence, OwnJudge, Reporting, Start

METHOD = Method(
    name="event",
    strategies={"event": Lazy(f"{__name__}.strategy:Event")},
    section=Lazy(f"{__name__}.section:EventSpec"),
    judges={"event": OwnJudge(make=Lazy(f"{__name__}.judge:event_judge"), learns=True)},
    evidence=MethodEvidence(
        of_links=Lazy(f"{__name__}.evidence:link_evidence"),
        link_words={
            "event-share-of-topic": "what the links to it are about, by the event",
            "event-share-of-place": "where the links to it are about, by the event",
            "event-share-of-date": "when the links to it are about, by the event",
            "event-share-of-who": "who the links to it are about, by the event",
        },
    ),
    start=Start(
        prepare=Lazy(f"{__name__}.preparation:prepare"),
        draft=Lazy(f"{__name__}.drafting:draft"),
        template=Lazy(f"{__name__}.section:START"),
    ),
    commands=Commands(
        train=Lazy(f"{__name__}.commands:register"),
        read_model=Lazy(f"{__name__}.model:refuse_to_judge"),
        demo=Demo(
            run=Lazy(f"{__name__}.demo:run_demo"),
            help="Something that happened there instead, by `event`.",
        ),
    ),
    report=Reporting(describe=Lazy(f"{__name__}.section:described")),
)
