"""The genre strategy."""

from __future__ import annotations

import pytest

from lycosa.errors import SpecError
from lycosa.evidence.topic import TopicEvidence
from lycosa.learn.judges.kinds import EveryPage
from lycosa.methods.genre.prior import GenrePrior
from lycosa.methods.genre.strategy import Genre
from lycosa.methods.preparation import Preparation
from lycosa.values import Category, Fact, Judgement, Link, Notes, Page

LINKS = (Link("http://a.example/1", 1), Link("http://a.example/2", 2))


def fitted(**settings) -> Genre:
    return Genre(**settings).fit(Preparation(EveryPage(), TopicEvidence({})))


def page(genre: str, confidence: float = 0.8) -> Page:
    evidence: dict[str, Fact] = {"genre": Category(genre, confidence)}
    return Page(Link("http://a.example/", 9), "http://a.example/", links=LINKS, evidence=evidence)


def priorities(strategy: Genre, genre: str, score: float = 0.6) -> set[float]:
    return {step.priority for step in strategy.rank(page(genre), Judgement(True, score))}


def test_the_priority_is_the_papers(tmp_path):
    """S = w_R·R + w_G·C·P(I, G), the same for all links of a page."""
    path = tmp_path / "prior.json"
    GenrePrior({"relevant/blog": (900_000, 1_000_000)}).save(path)
    (priority,) = priorities(fitted(w_r=0.75, prior=str(path), learn=False), "blog")
    assert priority == pytest.approx(0.75 * 0.6 + 0.25 * 0.8 * 0.9, abs=1e-4)


def test_with_all_weight_on_relevance_it_is_best_first():
    """w_R = 1 is the paper's baseline S = R."""
    assert priorities(fitted(w_r=1.0), "blog") == {0.6}


def test_it_learns_from_where_links_led():
    """Genres whose links lead to relevant pages rise, others fall; nothing else is needed than the memo."""
    strategy = fitted(w_r=0.5)
    before = priorities(strategy, "blog")
    for genre, relevant in (("blog", True), ("image", False)):
        for step in [s for _ in range(30) for s in strategy.rank(page(genre), Judgement(True, 0.6))]:
            strategy.learn(step.link, Judgement(relevant, 0.5), {})
    assert priorities(strategy, "blog") > before or max(priorities(strategy, "blog")) > max(before)
    assert max(priorities(strategy, "image")) < max(before)


def test_it_does_not_learn_where_told_not_to():
    """learn = false keeps the prior; a link without a memo (a seed) teaches nothing."""
    strategy = fitted(learn=False)
    (step, _) = strategy.rank(page("blog"), Judgement(True, 0.6))
    strategy.learn(step.link, Judgement(True, 1.0), {})
    assert not strategy.prior_.counts
    learning = fitted()
    learning.learn(
        Link("http://a.example/", 1, noted=Notes(b"\x81\xa5class\x03")),
        Judgement(True, 1.0),
        {},
    )
    learning.learn(Link("http://a.example/", 1), Judgement(True, 1.0), {})
    assert not learning.prior_.counts


def test_a_wrong_weight_is_refused():
    """w_r is a share."""
    with pytest.raises(SpecError, match=r"genre\.w_r"):
        fitted(w_r=1.5)


def test_it_asks_for_the_genre_of_pages():
    """The workers compute the genre; a page keeps it as evidence."""
    assert [kind.name for kind in fitted().needs] == ["genre"]
