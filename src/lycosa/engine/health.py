"""How far to trust a crawl. In: its collection. Out: how sure its judge is, five titles to look at, and what helps most."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from lycosa.engine.questions import Question, questions_in, scores_of
from lycosa.engine.refit import saved_version
from lycosa.engine.summary import Summary
from lycosa.store.collection import Collection
from lycosa.store.labels import labels_in

TITLES = 5
TITLE_CHARS = 90
MANY_ANSWERS = 20
"""From so many answers on, further ones change little unless much lies near the threshold."""
MUCH = 0.1
UNSURE = 0.2
"""An interval of the harvest that is wider than this leaves much open."""


class Health(msgspec.Struct, frozen=True):
    """The health of a crawl: what is believed of it, and what would help."""

    harvest: str
    near: float  # the share of pages that lie near the threshold
    look_at: list[Question]
    answers: int
    advice: str

    def __str__(self) -> str:
        """For people.

        >>> asked = Question(1, 1, "http://a.test/", "Owls", 0.5)
        >>> print(Health("0.31 (0.22–0.40)", 0.124, [asked], 0, "lycosa label c"))
        Health: harvest about 0.31 (0.22–0.40), no answers yet; 12 % of the pages lie near the threshold.
        Look at:
          0.50  Owls  http://a.test/
        What would help most: lycosa label c
        """
        answers = f"{self.answers} answers" if self.answers else "no answers yet"
        lines = [
            f"Health: harvest about {self.harvest}, {answers}; {self.near:.0%} of the pages lie near the threshold.".replace(
                "%", " %"
            ),
            *(["Look at:"] if self.look_at else []),
            *(
                f"  {page.probability:.2f}  {page.title[:TITLE_CHARS] or '(no title)'}  {page.url}"
                for page in self.look_at
            ),
            f"What would help most: {self.advice}",
        ]
        return "\n".join(lines)


def health_of(summary: Summary) -> Health | None:
    """The health of a crawl that has ended; None where nothing was judged by a score."""
    directory = Path(summary.collection)
    with Collection.open(directory) as collection:
        scores, answers = scores_of(collection), len(labels_in(directory))
        version = saved_version(collection)
        if version is None and {page.probability for page in scores.pages} <= {0.0, 1.0}:
            return None
        near = scores.near
        return Health(
            harvest=_interval(summary),
            near=near,
            look_at=questions_in(collection, TITLES),
            answers=answers,
            advice=_advice(summary, near, answers),
        )


def _interval(summary: Summary) -> str:
    if summary.harvest_low is None or summary.harvest_high is None:
        return f"{summary.harvest:.2f}"
    return f"{summary.harvest:.2f} ({summary.harvest_low:.2f}–{summary.harvest_high:.2f})"


def _advice(summary: Summary, near: float, answers: int) -> str:
    """The one command that would help most: answers while the judge is unsure, then more pages, then reading them."""
    where = shlex.quote(summary.collection)
    width = (summary.harvest_high or 0.0) - (summary.harvest_low or 0.0)
    if answers < MANY_ANSWERS and (near > MUCH or width > UNSURE or not summary.judge_version):
        return f"lycosa label {where}"
    if near > MUCH:
        return f"lycosa label {where} --count 10"
    if summary.waiting:
        return "the same crawl with a higher --max-pages: its judge is sure of what it found"
    return f"lycosa report {where}"
