"""A simulated user who answers the program's questions from a topic's labels.

The questions are the product's own (`judge.asking`): half of the answers are given while the crawl goes on, from its
first 50 pages on, the others when it has ended.
"""

from __future__ import annotations

from random import Random

import numpy as np

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
from lycosa_lab.runs.memory_sink import MemorySink
from lycosa_lab.webs.web import Topic

FIRST_AT = 50
AT_ONCE = 5
"""Questions per batch; the judge is refitted after each."""


class SimulatedUser:
    """Answers from the labels; pages without a label are not relevant.

    With `careless`, one answer in ten is wrong.
    """

    def __init__(self, topic: Topic, patience: int, careless: str = "") -> None:
        self.patience = patience
        self.careless = careless
        self.answers: dict[int, bool] = {}
        self.unasked: set[int] = set()
        self._relevant = topic.relevant()

    @property
    def left(self) -> int:
        """Questions left."""
        return self.patience - len(self.answers)

    def answer(self, key: int, *, asked: bool = True) -> None:
        """Say whether a page is relevant."""
        ten, at = divmod(len(self.answers), 10)
        is_slip = bool(self.careless) and Random(f"{self.careless}/{ten}").randrange(10) == at
        self.answers[key] = (key in self._relevant) is not is_slip
        if not asked:
            self.unasked.add(key)

    def forget(self) -> None:
        """Withdraw all answers."""
        self.answers.clear()
        self.unasked.clear()

    def said(self) -> Said:
        """All answers."""
        return Said(self.answers, frozenset(self.unasked))

    def verdicts(self) -> dict[int, Judgement]:
        """The answers as judgements of their pages."""
        return {key: Judgement(yes, float(yes), "answered") for key, yes in self.answers.items()}


class AskingRefits(Refits):
    """Refits a judge on schedule and asks a simulated user about pages."""

    def __init__(
        self, judge: LearningJudge, conclusions: Conclusions, store: MemorySink, user: SimulatedUser
    ) -> None:
        fits = InlineFits(judge.brief, store, user.said)
        super().__init__(judge, conclusions, store, fits, Keeping(verdicts=user.verdicts))
        self.judgements = store.judgements
        self.user = user

    def during(self) -> None:
        """Apply a version that is due, then ask a few questions and learn from the answers."""
        before = self.number
        super().during()
        some = min(max(2, self.user.patience // 6), self.user.patience // 2 - len(self.user.answers))
        if self.number > before and self.conclusions.tally.pages >= FIRST_AT and self.ask(some):
            self._begin()
            super().during()

    async def finish(self) -> None:
        """Apply one version and ask all remaining questions."""
        await super().finish()
        while self.ask(min(AT_ONCE, self.user.left)):
            await super().finish()

    def ask(self, count: int) -> bool:
        """Ask about the most informative pages; return False if there are none."""
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
    judge: Judge, conclusions: Conclusions, store: MemorySink, user: SimulatedUser
) -> AskingRefits:
    """Return the refits of a judge that asks; raise InputError for one that cannot learn from answers."""
    if judge.learning is None:
        raise InputError(
            "labels: the judge of this crawl does not learn from answers. Leave labels out of --given."
        )
    return AskingRefits(judge.learning, conclusions, store, user)
