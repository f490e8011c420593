"""Genre-enhanced crawling (Qian, Suebchua and Yamana)."""

from __future__ import annotations

from lycosa.methods.seam import Method

_HERE = "lycosa.methods.genre"

METHOD = Method(
    name="genre",
    section=f"{_HERE}.section:GenreSpec",
    prepare=f"{_HERE}.preparation:prepare",
    wanted=f"{_HERE}.preparation:wanted_evidence",
    link_evidence=f"{_HERE}.preparation:link_evidence",
    link_words={"on-wanted-kind": "how surely the pages that link to it are of a wanted kind"},
    strategies={"genre": f"{_HERE}.strategy:Genre"},
    indexes={"genre": f"{_HERE}.evidence:built_in_evidence"},
    page_parts={"genre_features": f"{_HERE}.signs:genre_features"},
    train=f"{_HERE}.commands:register",
    report=f"{_HERE}.report:report_part",
)
