"""`judge.kind = "event"`: close enough to the event in what, where and when together."""

from __future__ import annotations

from lycosa.errors import SpecError
from lycosa.evidence import Evidence
from lycosa.methods.event.evidence import event_evidence
from lycosa.methods.event.model import EventModel
from lycosa.spec.sections import JudgeSpec
from lycosa.values import Judgement, Page, Score, fact_of


class EventJudge:
    """`event`: close enough to the event in what, where and when together."""

    def __init__(self, model: EventModel, threshold: float | None = None) -> None:
        self.needs: tuple[Evidence, ...] = event_evidence(model)
        self.threshold = model.pages.threshold if threshold is None else threshold

    def judge(self, page: Page) -> Judgement:
        """Relevant if the event score reaches the threshold."""
        score = fact_of(page.evidence, "event", Score).value
        return Judgement(score >= self.threshold, score, f"event score against {self.threshold:g}")


def event_judge(model: EventModel | None, spec: JudgeSpec) -> EventJudge:
    """The judge of a prepared event; a SpecError where the spec does not give one."""
    if model is None:
        raise SpecError(
            "[judge] kind is event, but [event] is empty. Give it pages, or what, where and date."
        )
    return EventJudge(model, spec.threshold)
