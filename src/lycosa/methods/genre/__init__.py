"""Genre-enhanced crawling [Qian, Suebchua and Yamana]."""

from __future__ import annotations

from lycosa.methods.seam import (
    Commands,
    Facet,
    Index,
    Lazy,
    Method,
    MethodEvidence,
    Reporting,
    Start,
)

METHOD = Method(
    name="genre",
    strategies={"genre": Lazy(f"{__name__}.strategy:Genre")},
    section=Lazy(f"{__name__}.section:GenreSpec"),
    evidence=MethodEvidence(
        of_links=Lazy(f"{__name__}.preparation:link_evidence"),
        link_words={"on-wanted-kind": "the confidence that the pages that link to it are of a wanted kind"},
        wanted=Lazy(f"{__name__}.preparation:wanted_evidence"),
        indexes={
            "genre": Index(
                make=Lazy(f"{__name__}.evidence:built_in_evidence"),
                meaning="The genre of each page (news, blog, image, video, other), whatever the strategy.",
            )
        },
        page_parts={"genre_features": Lazy(f"{__name__}.signs:genre_features")},
    ),
    start=Start(prepare=Lazy(f"{__name__}.preparation:prepare")),
    commands=Commands(train=Lazy(f"{__name__}.commands:register")),
    report=Reporting(
        facets=(
            Facet(
                name="genre",
                plural="genres",
                missing='Crawl with strategy = "genre", or with [index] genre = "now".',
            ),
        ),
        section=Lazy(f"{__name__}.report:report_part"),
    ),
)
