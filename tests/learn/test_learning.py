"""The learning judge in use: what it remembers of a version goes with it."""

from __future__ import annotations

import pytest

from lycosa.learn.judges import learning
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.judges.version import Brief, Version
from lycosa.page.text.terms import terms_of
from lycosa.values import Link

ANCHORS = ["Owls at night", "Ships", "", "Owls at night", "The harbour"]


def version_of(links: dict[str, float]) -> Version:
    """A version that likes links with these words."""
    return Version(
        number=1,
        pages=0,
        upto=0,
        language="english",
        given="keywords",
        parts={},
        constant=0.0,
        links=links,
    )


@pytest.mark.parametrize("remembered", [20_000, 2])
def test_links_are_scored_by_the_newest_version(monkeypatch, remembered):
    """Scores of anchors are remembered, but no longer than the version, and within a bound."""
    monkeypatch.setattr(learning, "CACHED_ANCHORS", remembered)
    judge = LearningJudge(Brief(keywords={"owl": 1.0}))
    links = [Link(f"http://a.example/{at}", at, anchor) for at, anchor in enumerate(ANCHORS)]
    for words in ({"owl": 1.0}, {"ship": 0.5, "harbour": 0.5}):
        judge.use(version_of(words))
        for _ in range(2):
            scores = judge.link_scores(links)
            assert [score > 0 for score in scores] == [
                not words.keys().isdisjoint(terms_of(anchor)) for anchor in ANCHORS
            ]
            assert [judge.link_scores([link])[0] for link in links] == scores
