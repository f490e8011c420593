"""The contract of a judge, as tests that a stranger's judge can run.

class TestMine(JudgeContract):
    def judge(self):
        return Mine()
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from math import isfinite
from typing import Any

from lycosa.engine.processes.analysis import Recipe, page_of
from lycosa.evidence import Need
from lycosa.learn.judges.custom import CustomJudge
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.topic import TopicModel
from lycosa.page.document import Document
from lycosa.urls import key_of
from lycosa.values import Judgement, Link, Page

HTML = {
    "owls": "<title>Owls</title><p>The owl hunts at night, and every mouse knows. <a href=/x>more owls</a>",
    "bread": "<title>Bread</title><p>Rye bread takes a day. <a href=/y>sourdough</a>",
    "no text": "<a href=/x></a><img src=y.png>",
    "nothing": "",
    "broken": "<td><a href=/x>owl<a href=/y>night<p></a><b <i>",
    "foreign": "<title>フクロウ</title><p>夜に狩りをする。",
}
"""Pages that every judge has to judge."""


def pages_for(judge: Judge) -> list[Page]:
    """Analysed pages with the evidence that a judge needs."""
    needed = frozenset[Need]().union(*(kind.needs for kind in judge.needs))
    recipe = Recipe(
        evidence=judge.needs,
        date=Need.DATE in needed,
        places=Need.PLACES in needed,
        entities=Need.ENTITIES in needed,
        terms=Need.TERMS in needed,
        encoder=next((kind.encoder for kind in judge.needs if kind.encoder), ""),
    )
    found = []
    for name, html in HTML.items():
        url = f"http://contract.test/{name.replace(' ', '-')}"
        found.append(page_of(Document(html.encode(), url, "text/html"), Link(url, key_of(url)), recipe))
    return found


class JudgeContract(ABC):
    """Derive from it in a test module and write `judge`; pytest runs the tests."""

    @abstractmethod
    def judge(self) -> Any:
        """A new judge: an instance, a class, or a function of a page."""

    def made(self) -> Judge:
        """The judge as a crawl calls it, for a topic about owls."""
        judge = self.judge()
        is_ours = type(judge).__module__.startswith("lycosa.")
        return judge if is_ours else CustomJudge(judge, TopicModel("english", {"owl": 1.0}), None)

    def test_every_page_gets_a_judgement(self) -> None:
        """With a finite score from 0 to 1, and a rule that says why."""
        judge = self.made()
        for page in pages_for(judge):
            found = judge.judge(page)
            assert type(found) is Judgement
            assert isfinite(found.score)
            assert 0 <= found.score <= 1
            assert found.rule

    def test_judging_changes_nothing(self) -> None:
        """The same page gets the same judgement, whatever was judged before."""
        judge = self.made()
        pages = pages_for(judge)
        first = [judge.judge(page) for page in pages]
        assert [judge.judge(page) for page in reversed(pages)] == first[::-1]

    def test_two_judges_of_the_same_topic_agree(self) -> None:
        """A resumed crawl makes a new judge, which has to judge as the one before."""
        one, other = self.made(), self.made()
        assert [*map(one.judge, pages_for(one))] == [*map(other.judge, pages_for(other))]

    def test_its_evidence_can_go_to_workers(self) -> None:
        """Each kind has a name of its own, and can be pickled."""
        needs = self.made().needs
        assert all(kind.name and callable(kind.of_page) for kind in needs)
        assert len({kind.name for kind in needs}) == len(needs)
        pickle.dumps(needs)

    async def test_many_pages_are_judged_as_each_alone(self) -> None:
        """If it judges many at once."""
        judge = self.made()
        if judge.judge_many is not None:
            pages = pages_for(judge)
            assert [*await judge.judge_many(pages)] == [*map(judge.judge, pages)]

    def test_what_it_learns_has_a_name(self) -> None:
        """The same labels give the same name, and every page can still be judged."""
        names = []
        for judge in (self.made(), self.made()):
            owls, bread, *_ = pages = pages_for(judge)
            names.append(judge.learn({owls.link.key: True, bread.link.key: False}, [owls, bread]))
            assert all(type(judge.judge(page)) is Judgement for page in pages)
        assert isinstance(names[0], str)
        assert names[0] == names[1]

    def test_explanations_are_words_with_amounts(self) -> None:
        """What moved a judgement, with how much."""
        judge = self.made()
        for page in pages_for(judge):
            for word, amount in judge.explain(page):
                assert isinstance(word, str)
                assert isfinite(amount)
