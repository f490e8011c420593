"""`judge.kind = "event"`: a learning judge with the event score in place of keywords."""

from __future__ import annotations

from lycosa.errors import SpecError
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.judges.version import Brief
from lycosa.methods.event.evidence import AGREED, AgreedEvent, event_evidence
from lycosa.methods.event.model import EventModel
from lycosa.spec.sections import JudgeSpec

USUAL = (0.12, 0.085)
"""Mean and deviation of the event score on pages that are not about the event, with our scoring."""
USUAL_PROJECTED = (0.25, 0.15)
"""The same with the paper's scoring, which compares only the words of the event."""


class EventJudge(LearningJudge):
    """`event`: judges by the event score, the model pages, and the crawl's own pages."""

    def __init__(self, model: EventModel, threshold: float | None = None) -> None:
        self.evidence = event_evidence(model)
        brief = Brief(
            language=model.language,
            examples=model.examples,
            threshold=threshold,
            evidence=AGREED,
            usual=USUAL_PROJECTED if model.matching.projected else USUAL,
        )
        super().__init__(brief, (*self.evidence, AgreedEvent(self.evidence[0].scorer)))


def event_judge(model: EventModel | None, spec: JudgeSpec) -> EventJudge:
    """The judge of a prepared event. Raise SpecError if the spec describes none."""
    if model is None:
        raise SpecError(
            "[judge] kind is event, but [event] is empty. Give it pages, or what, where and date."
        )
    return EventJudge(model, spec.threshold)
