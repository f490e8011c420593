"""A preview of what a judge would become if it learned what people have said; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from lycosa.collection.catalogue.progress import PageJudgement
from lycosa.collection.collection import Collection
from lycosa.errors import ModelError
from lycosa.learn.fitting.crawl_fitter import CrawlFitter
from lycosa.learn.fitting.fit_process import said_in
from lycosa.learn.history import saved_version
from lycosa.learn.judges.learning import saved_judge
from lycosa.learn.labels import verdicts_in
from lycosa.learn.refit import forecasts_worse
from lycosa.values import Judgement

EXAMPLES = 8
"""Pages of each kind that are shown."""


class Mover(msgspec.Struct, frozen=True):
    """A page that would change sides."""

    id: int
    url: str
    title: str
    before: float
    after: float


class Trial(msgspec.Struct, frozen=True):
    """What learning would do: pages kept before and after, and those that would join or leave, the most certain first.

    `is_worse`: the new version forecasts the answers worse than the one in use, so that only the answered pages change.
    """

    answers: int
    kept_before: int
    kept_after: int
    joining: int
    leaving: int
    joins: tuple[Mover, ...]
    leaves: tuple[Mover, ...]
    is_worse: bool


def tried(collection: Collection) -> Trial:
    """Fit the judge of a collection on what people said, and compare; nothing is written."""
    directory = collection.directory
    version, said = saved_version(collection), said_in(directory)
    if version is None:
        raise ModelError(
            f"The judge of {directory} cannot be read. Run its crawl again: it is fitted anew, and your labels count."
        )
    judge = saved_judge(directory / "models")
    fitter = CrawlFitter(
        judge.brief, lambda _, after: collection.reader.terms(after, evidence=judge.brief.evidence)
    )
    fit = fitter.fit(said, version.number + 1)
    verdicts = verdicts_in(directory)
    if is_worse := forecasts_worse(fit.version, version, collection.reader.scores):
        now: Mapping[int, Judgement] = verdicts
    else:
        judge.use(fit.version)
        now = {key: verdicts.get(key) or judge.judgement(key, p) for key, p, _ in fit.chances}
    before = list(collection.reader.judgements())
    joins = [
        _mover(page, now[page.key])
        for page in before
        if page.key in now and now[page.key].relevant and not page.relevant
    ]
    leaves = [
        _mover(page, now[page.key])
        for page in before
        if page.key in now and page.relevant and not now[page.key].relevant
    ]
    kept = collection.reader.counts().relevant
    return Trial(
        len(said.answers),
        kept,
        kept + len(joins) - len(leaves),
        len(joins),
        len(leaves),
        tuple(sorted(joins, key=lambda one: one.before - one.after)[:EXAMPLES]),
        tuple(sorted(leaves, key=lambda one: one.after - one.before)[:EXAMPLES]),
        is_worse,
    )


def _mover(page: PageJudgement, now: Judgement) -> Mover:
    return Mover(page.id, page.url, page.title, page.score, now.score)
