"""The equations of the event paper by hand, and the evidence that they make."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.methods.event.evidence import (
    Aspects,
    EventScorer,
    cosine,
    date_score,
    effective,
    event_evidence,
    event_score,
    link_evidence,
    saturating_date_score,
)
from lycosa.methods.event.model import (
    EventModel,
    EventPlace,
    Facts,
    Side,
    Weights,
    scored_by,
)
from lycosa.methods.lookup import link_words
from lycosa.page.document import Document
from lycosa.values import NotSaid, Score

CITY = EventPlace("Orlando", 4.0, "city", "FL", "US", 28.54, -81.38)
MODEL = EventModel(
    {"shoot": 8.0, "club": 2.0}, (CITY, EventPlace("Florida", 1.0, "state", "FL", "US")), "2016-06-12"
)
PAGE = """<title>Shooting at a club in Orlando</title>
<meta property="article:published_time" content="2016-06-14">
<p>The shooting at a club in Orlando was the worst, police said.</p>
<a href="/2016/06/13/club-shooting">Police on the shooting at a club in Orlando, Florida</a> <a href="/bread">Bread</a>"""

scores = st.floats(0, 1)
maybe = st.one_of(st.none(), scores)


@given(st.builds(Aspects, scores, maybe, maybe, maybe), st.sampled_from(["zero", "renormalise"]))
def test_the_score_is_a_mean(aspects, missing):
    """The event score lies in [0, 1], whatever is missing."""
    score = event_score(aspects, Weights(0.3, 0.3, 0.2, 0.2), missing, missing)
    assert -1e-9 <= score <= 1 + 1e-9


def test_missing_aspects():
    """A missing date scores 0, or its weight goes to the others."""
    weights = Weights(0.5, 0.25, 0.25)
    undated = Aspects(0.8, 0.8, None)
    assert event_score(undated, weights) == pytest.approx(0.6)
    assert event_score(undated, weights, missing_date="renormalise") == pytest.approx(0.8)


def test_both_ways_of_the_cosine_agree_with_the_equation():
    """Projected or not, short and long texts."""
    event = {"a": 3.0, "b": 4.0}
    assert cosine(event, {"a": 3, "b": 4}) == pytest.approx(1.0)
    assert cosine(event, {"a": 1, "b": 0, "c": 5, "d": 2}) == pytest.approx(0.6)
    assert cosine(event, {"a": 3, "b": 4, "c": 12}, projected=False) == pytest.approx(25 / (5 * 13))
    assert cosine(event, {"c": 1}) == 0.0


def test_dates_before_an_event_count_less_than_after():
    """The paper's score is even; the saturating one is not."""
    assert date_score(-20) == date_score(20)
    assert saturating_date_score(-20) == 0.0
    assert saturating_date_score(20) == pytest.approx(0.6)


def test_an_event_of_several_days():
    """Pages dated between date and end date are all equally near."""
    model = EventModel({"war": 1.0}, date="2016-01-01", end_date="2016-03-01")
    scorer = EventScorer(model)
    inside = scorer.of_page_facts(Facts({}, date="2016-02-10")).date
    after = scorer.of_page_facts(Facts({}, date="2016-03-31")).date
    assert inside == 1.0
    assert after == pytest.approx(1 - 30 / 365)


def test_what_the_event_lacks_does_not_count():
    """Without a place or date in the model, their weights go to what is known."""
    bare = EventModel({"flood": 3.0}, pages=Side(10, 0.4, Weights(0.4, 0.3, 0.3)))
    evidence = event_evidence(bare)[0]
    page = Document(b"<p>flood flood flood", "http://a.example/", "text/html")
    assert effective(bare.pages, bare).weights == Weights(0.4, 0.0, 0.0)
    assert evidence.of_page(page).value == pytest.approx(1.0)


@pytest.mark.parametrize("how", ["paper", "ours"])
def test_evidence_of_a_page_and_its_links(how):
    """Evidence holds the score and its aspects; the link about the event scores higher."""
    kinds = {kind.name: kind for kind in event_evidence(scored_by(MODEL, how))}
    assert [*kinds] == ["event", "event-topic", "event-place", "event-date"]
    page = Document(PAGE.encode(), "http://a.example/", "text/html")
    told = [kind.of_page(page) for kind in kinds.values()]
    assert all(isinstance(fact, Score) and 0 < fact.value <= 1 for fact in told)
    for kind in kinds.values():
        good, bad = kind.of_links(page)
        assert good > bad


def test_features_of_links_add_up_to_their_event_score():
    """What, where and when are told apart, each with its words; who only where it counts."""
    document = Document(PAGE.encode(), "http://a.example/", "text/html")
    shares = link_evidence(MODEL)
    whole = event_evidence(MODEL)[0].of_links(document)
    assert [
        sum(told) for told in zip(*(share.of_links(document) for share in shares), strict=True)
    ] == pytest.approx(whole)
    assert len(link_words([share.name for share in shares])) == len(shares) == 3


def test_undated_pages_say_so():
    """An aspect that the page tells nothing of is no score of 0."""
    date = next(kind for kind in event_evidence(MODEL) if kind.name == "event-date")
    assert date.of_page(Document(b"<p>shooting", "http://a.example/", "text/html")) == NotSaid()


def test_evidence_crosses_processes():
    """Pickled evidence shares one scorer still, and scores alike."""
    kinds = event_evidence(MODEL)
    page = Document(PAGE.encode(), "http://a.example/", "text/html")
    before = [kind.of_page(page) for kind in kinds]
    copies = pickle.loads(pickle.dumps(kinds))
    assert copies[0].scorer is copies[1].scorer
    assert [kind.of_page(page) for kind in copies] == before
