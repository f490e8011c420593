"""A simulated user who answers the program's questions. In: a topic's labels. Out: a judge that is fitted with answers.

The questions are the product's own (`judge.asking`): half of the answers are given while the crawl goes on, from its
first 50 pages on, the others when it has ended.
"""

from __future__ import annotations

from random import Random

import numpy as np

from lycosa.collection.memory import MemoryStore
from lycosa.engine.conclude import Conclusions
from lycosa.errors import InputError
from lycosa.learn.fitting.crawl_fitter import Said
from lycosa.learn.fitting.fit_process import InlineFits
from lycosa.learn.history import Keeping
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.questions import to_ask
from lycosa.learn.refit import Refits
from lycosa.values import Judgement
from lycosa_lab.webs.web import Topic

FIRST_AT = 50
AT_ONCE = 5
"""Questions that are chosen together; then the judge is fitted again."""


class SimulatedUser:
    """Says of every page that it is asked about what the labels say; pages without a label are not relevant.

    One who is careless answers one question in ten wrongly, drawn by `careless`.
    """

    def __init__(self, topic: Topic, patience: int, careless: str = "") -> None:
        self.patience = patience
        self.careless = careless
        self.answers: dict[int, bool] = {}
        self.unasked: set[int] = set()
        self._relevant = topic.relevant()

    @property
    def left(self) -> int:
        """How many questions are still answered."""
        return self.patience - len(self.answers)

    def answer(self, key: int, *, asked: bool = True) -> None:
        """Say whether a page is relevant."""
        ten, at = divmod(len(self.answers), 10)
        is_slip = bool(self.careless) and Random(f"{self.careless}/{ten}").randrange(10) == at
        self.answers[key] = (key in self._relevant) is not is_slip
        if not asked:
            self.unasked.add(key)

    def forget(self) -> None:
        """Take all answers back."""
        self.answers.clear()
        self.unasked.clear()

    def said(self) -> Said:
        """All that was answered."""
        return Said(self.answers, frozenset(self.unasked))

    def verdicts(self) -> dict[int, Judgement]:
        """What was answered, as it holds for the pages themselves."""
        return {key: Judgement(yes, float(yes), "answered") for key, yes in self.answers.items()}


class AskingRefits(Refits):
    """Fits a judge at the set points, and asks a simulated user about pages."""

    def __init__(
        self, judge: LearningJudge, conclusions: Conclusions, store: MemoryStore, user: SimulatedUser
    ) -> None:
        fits = InlineFits(judge.brief, store, user.said)
        super().__init__(judge, conclusions, store, fits, Keeping(verdicts=user.verdicts))
        self.judgements = store.judgements
        self.user = user

    def during(self) -> None:
        """Judge all pages by a version that is due; then ask a few questions, and learn from the answers."""
        before = self.number
        super().during()
        some = min(max(2, self.user.patience // 6), self.user.patience // 2 - len(self.user.answers))
        if self.number > before and self.conclusions.tally.pages >= FIRST_AT and self.ask(some):
            self._begin()
            super().during()

    async def finish(self) -> None:
        """Judge all pages by one version; ask all questions that are left."""
        await super().finish()
        while self.ask(min(AT_ONCE, self.user.left)):
            await super().finish()

    def ask(self, count: int) -> bool:
        """Ask about the most telling pages; False if there is nothing to ask."""
        if count <= 0 or self.version is None:
            return False
        keys = [page.key for page in self.store.page_terms(0, "")]
        given = {page.key for page in self.judge.brief.examples}
        known = {row for row, key in enumerate(keys) if key in self.user.answers or key in given}
        asked = to_ask(
            np.array([self.judgements[key].score for key in keys]),
            known,
            count,
            answered=len(self.user.answers),
            threshold=self.version.threshold,
        )
        for row in asked:
            self.user.answer(keys[row])
        return bool(asked)


def asking_refits(
    judge: Judge, conclusions: Conclusions, store: MemoryStore, user: SimulatedUser
) -> AskingRefits:
    """The fits of a judge that asks; an InputError for one that learns nothing from answers."""
    if judge.learning is None:
        raise InputError(
            "labels: the judge of this crawl does not learn from answers. Leave labels out of --given."
        )
    return AskingRefits(judge.learning, conclusions, store, user)
