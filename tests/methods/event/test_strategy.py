"""The event strategy: priorities, threshold, judge, sources, and what happens without an event."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lycosa.errors import SpecError
from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.methods.event.evidence import EventEvidence
from lycosa.methods.event.judge import EventJudge, event_judge
from lycosa.methods.event.model import EventModel, EventPlace, Facts, scored_by
from lycosa.methods.event.preparation import made_event, prepared_event
from lycosa.methods.event.section import EventSpec
from lycosa.methods.event.strategy import Event
from lycosa.methods.seam import Means
from lycosa.spec.sections import JudgeSpec
from lycosa.values import Judgement, Link, Score, fact_of
from tests.methods.conftest import analysed

MODEL = scored_by(
    EventModel(
        {"owl": 4.0, "night": 2.0}, (EventPlace("Paris", 2.0, "city", "", "FR", 48.85, 2.35),), "2016-06-12"
    ),
    "ours",
)
HTML = """<title>Owls in Paris</title><p>The owl flew at night over Paris, France.
<a href="/2016/06/13/owl-night">An owl by night in Paris</a> <a href="/bread">bread</a>"""


@pytest.fixture
def about(ready):
    return dataclasses.replace(ready, methods={"event": MODEL})


def test_priority_is_the_mean_of_link_and_page(about):
    """Equation by hand from the evidence that the page carries; ours gives the page 0.35, the paper one half."""
    strategy = Event().fit(about)
    page = analysed(strategy, HTML)
    decisions = strategy.rank(page, strategy.judge(page))
    of_page = fact_of(page.evidence, "event", Score).value
    expected = [0.65 * score + 0.35 * of_page for score in page.link_evidence["event"]]
    assert [one.priority for one in decisions] == pytest.approx(expected)
    assert decisions[0].priority > decisions[1].priority


def test_what_several_pages_link_to_goes_first(about, ready):
    """The best link counts, and how many there are; as in the paper, the best alone."""
    paper = dataclasses.replace(ready, methods={"event": scored_by(MODEL, "paper")})
    for given, more in ((about, 1 + 0.4 * np.log(2)), (paper, 1.0)):
        strategy = Event().fit(given)
        frontier = MemoryFrontier(Policy(max_waiting=10, records=strategy.records))
        page = analysed(strategy, HTML)
        good, _ = strategy.rank(page, strategy.judge(page))
        frontier.add([good], strategy.merge)
        frontier.add([good], strategy.merge)
        state = frontier.find(good.link.key)
        assert state is not None
        assert state.link.priority == pytest.approx(good.priority * more)


def test_below_the_threshold_links_are_refused(about):
    """With url_threshold a weak link is refused, with its reason."""
    strategy = Event(url_threshold=0.99).fit(about)
    page = analysed(strategy, HTML)
    assert all(
        one.refusal and "url_threshold" in one.refusal.detail
        for one in strategy.rank(page, strategy.judge(page))
    )


def test_sources_are_weighed_only_where_asked(about):
    """`weighs_sources` follows the setting; the keys are those of the function."""
    assert not Event().fit(about).weighs_sources
    strategy = Event(source="success-rate").fit(about)
    assert strategy.weighs_sources
    keys = strategy.host_weight(np.array([1.0]), np.array([0.0]), np.array([0.5]), 3)
    assert keys.tolist() == [2.0]
    with pytest.raises(SpecError, match="source"):
        Event(source="luck").fit(about)  # type: ignore[arg-type]


def test_pages_speak_for_their_source_by_score_or_verdict(about):
    """mean-score counts how good pages are, within 0 and 1; the paper's functions whether they are relevant."""
    near_miss, hit = Judgement(False, 0.4), Judgement(True, 1.5)
    verdict = Event(source="success-rate-best").fit(about)
    assert (verdict.credit(near_miss), verdict.credit(hit)) == (0.0, 1.0)
    score = Event(source="mean-score").fit(about)
    assert (score.credit(near_miss), score.credit(hit)) == (0.4, 1.0)


def test_what_is_expected_of_a_new_source_follows_the_crawl(about):
    """After good pages a new source is worth more than after bad ones."""
    keys = []
    for value in (0.9, 0.1):
        strategy = Event(source="mean-score").fit(about)
        for number in range(5):
            strategy.learn(Link(f"http://a.example/{number}", number), Judgement(value > 0.5, value), {})
        keys.append(strategy.host_weight(np.zeros(1), np.zeros(1), np.ones(1), 0)[0])
    assert keys == pytest.approx([0.75 * 4.6 / 6, 0.75 * 0.6 / 6])


def test_the_judge_and_the_strategy_share_their_evidence(about):
    """With the event judge nothing is computed twice, and a page with all of the event is relevant."""
    ready = dataclasses.replace(about, judge=event_judge(MODEL, JudgeSpec(kind="event")))
    strategy = Event().fit(ready)
    assert isinstance(ready.judge, EventJudge)
    assert len({kind.name for kind in strategy.needs}) == len(strategy.needs) == 6
    assert strategy.judge(analysed(strategy, HTML)).relevant


def test_another_topic_size(about):
    """`k` cuts the topic of pages and links."""
    strategy = Event(k=1).fit(about)
    (first, *_) = strategy.evidence_
    assert isinstance(first, EventEvidence)
    assert first.scorer.model.pages.k == 1


def test_without_an_event_the_topic_decides(ready):
    """A spec with a topic only: the strategy scores by it, without places and dates."""
    strategy = Event().fit(ready)
    page = analysed(strategy, HTML)
    assert fact_of(page.evidence, "event", Score).value == pytest.approx(
        fact_of(page.evidence, "event-topic", Score).value
    )


def test_an_event_judge_needs_an_event():
    """The message says what to give."""
    with pytest.raises(SpecError, match="Give it pages"):
        event_judge(None, JudgeSpec(kind="event"))


def test_outbreaks_ignore_place_and_date(tmp_path):
    """kind = outbreak leaves only the topic."""
    spec = EventSpec(what=("ebola",), where=("Monrovia, Liberia",), kind="outbreak")
    weights = made_event(spec, "english", [], tmp_path).pages.weights
    assert (weights.topic, weights.place, weights.date) == (1.0, 0.0, 0.0)


def test_an_event_ending_before_it_began_is_refused(tmp_path):
    """As a SpecError that names the section."""
    spec = EventSpec(what=("flood",), date="2016-06-12", end_date="2016-06-01")  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="\\[event\\] the end date"):
        made_event(spec, "english", [Facts({"flood": 1})], tmp_path)


async def test_model_pages_become_a_saved_model(tmp_path):
    """Files are read, the table is told, the model is saved and found again."""
    (tmp_path / "page.html").write_text(HTML)
    said: list[str] = []

    async def get(url):
        raise AssertionError(url)

    spec, means = EventSpec(pages=("page.html",)), Means(tmp_path, tmp_path / "models", get, said.append)
    model = await prepared_event(spec, means)
    assert model is not None
    assert "owl" in model.terms
    assert "No date was found" in said[0]
    again = await prepared_event(EventSpec(), means)
    assert again == model


async def test_where_without_what_is_refused(tmp_path):
    """An event needs pages or words."""
    with pytest.raises(SpecError, match="not what"):
        await prepared_event(EventSpec(where=("Paris",)), Means(tmp_path, None, None, print))  # type: ignore[arg-type]
