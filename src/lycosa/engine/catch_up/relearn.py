"""Teaching the judge of a collection by answers, outside of its crawl. A running crawl is told, and learns itself.

Nothing is fetched or parsed: the terms of pages are stored.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from lycosa.collection import Rejudged
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.rules.limits import Tally
from lycosa.engine.start.opening import note_taught
from lycosa.engine.start.prepare import labels_are_answers
from lycosa.engine.watch.control import ask
from lycosa.errors import CollectionBusy, InputError, LycosaError, ModelError, SpecError
from lycosa.learn.figures import Figures
from lycosa.learn.fitting.fit_process import InlineFits, said_in
from lycosa.learn.history import jump_in, kept_in, labels_now, refused_version, saved_version
from lycosa.learn.judges.learning import LearningJudge, brief_path, saved_judge
from lycosa.learn.judges.version import Version, load_version, saved_versions
from lycosa.learn.labels import verdicts_in
from lycosa.learn.refit import Refits
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import stored_spec
from lycosa.values import Judgement
from lycosa.wording import CANNOT_TELL

PATIENCE_S = 120.0
"""Seconds to wait for a running crawl to learn."""
POLL_S = 0.2


class Standing(msgspec.Struct, frozen=True):
    """The version that judges a collection, and what it keeps."""

    version: int
    kept: int
    answers: int = 0
    agreeing: int = 0
    precision: float = 0.0
    precision_low: float = 0.0
    precision_high: float = 1.0
    unsure: str = ""


class Relearned(msgspec.Struct, frozen=True):
    """The state of a collection before answers were learned, and after; `refused` is a version that would have been worse."""

    before: Standing
    after: Standing
    refused: int = 0

    def __str__(self) -> str:
        """Describe the changes.

        >>> print(Relearned(Standing(3, 217), Standing(4, 64, 20, 19, 0.85, 0.75, 0.95)))
        Judge version 4: kept 217 → 64; of the 20 you answered 19 agree; precision now about 85 % (75 % to 95 %).
        >>> print(Relearned(Standing(3, 217), Standing(3, 216), refused=4))
        Version 4 forecasts your answers worse than version 3, so it is kept but not used: kept 217 → 216. Your answers hold for their own pages, and count again in the next fit.
        """
        before, after = self.before, self.after
        kept = f"kept {before.kept:,} → {after.kept:,}"
        if self.refused:
            return (
                f"Version {self.refused} forecasts your answers worse than version {after.version}, so it is kept but "
                f"not used: {kept}. Your answers hold for their own pages, and count again in the next fit."
            )
        if before.version == after.version:
            return f"Nothing new was learned: judge version {after.version} goes on judging, {kept}."
        figures = Figures(
            precision=after.precision, precision_low=after.precision_low, precision_high=after.precision_high
        )
        doubt = f" {CANNOT_TELL.capitalize()}: {after.unsure}." if after.unsure else ""
        return (
            f"Judge version {after.version}: {kept}; of the {after.answers} you answered {after.agreeing} agree; "
            f"precision now {figures.precision_told}.{doubt}"
        )


class PastVersion(msgspec.Struct, frozen=True):
    """A version that a collection keeps; one that cannot be read has no pages."""

    number: int
    status: str  # in use, earlier, set aside
    pages: int = 0
    answers: int = 0
    agreeing: int = 0
    threshold: float = 0.0
    figures: Figures = Figures()


def standing_of(collection: CollectionWriter | Collection) -> Standing:
    """The state of a collection."""
    version, kept = saved_version(collection), collection.reader.counts().relevant
    if version is None:
        return Standing(0, kept)
    told = version.estimate
    return Standing(
        version.number,
        kept,
        len(version.said),
        version.agreeing,
        told.precision,
        told.precision_low,
        told.precision_high,
        told.unsure,
    )


def learns(collection: Collection) -> bool:
    """Whether answers teach the judge of a collection without its crawl."""
    if not collection.reader.judge_version() or not brief_path(collection.directory / "models").exists():
        return False
    try:
        return labels_are_answers(stored_spec(collection.spec_text(), all_settings()))
    except SpecError:  # of another version, or of a strategy that is not here
        return False


def relearn(directory: Path, patience_s: float = PATIENCE_S) -> Relearned:
    """Teach a collection's judge from people's labels, here or in its running crawl. Return the changes."""
    with Collection.open(directory) as collection:
        before = standing_of(collection)
        if not learns(collection):
            raise InputError(
                f"The judge of {directory} does not learn by itself. Run its crawl again: labels hold for their pages."
            )
    until = time.monotonic() + patience_s
    answer = ask(directory, "labels-changed", patience_s)
    was_running = answer is not None
    while True:
        if answer is None:
            try:
                with _reopened(directory) as collection:
                    _learn(collection)
                    return _relearned(before, collection)
            except CollectionBusy:
                # A crawl that was running begins anew with what it has learned, and answers again in a moment.
                if not was_running or time.monotonic() > until:
                    raise
        else:
            with Collection.open(directory) as collection:
                if _knows_all(collection):
                    return _relearned(before, collection)
            if time.monotonic() > until or "shards" in answer:  # the whole knows when the shards have ended
                raise LycosaError(
                    "The running crawl has not learned yet; your answers are kept, and it will. See: lycosa judge "
                    f"--history {directory}"
                )
        time.sleep(POLL_S)
        answer = ask(directory, "status", patience_s)


def _refits(judge: LearningJudge, collection: CollectionWriter, fits: InlineFits) -> Refits:
    return Refits(judge, _AtRest(collection), collection, fits, kept_in(collection))


def history(directory: Path) -> list[PastVersion]:
    """All versions of a collection's judge, the first one first."""
    with Collection.open(directory) as collection:
        used, aside = collection.reader.judge_version(), collection.reader.set_aside().versions
    models, found = directory / "models", []
    for number in saved_versions(models):
        status = (
            "in use" if number == used else "set aside" if number in aside or number > used else "earlier"
        )
        try:
            found.append(_past(load_version(models, number), status))
        except ModelError:
            found.append(PastVersion(number, "unreadable"))
    return found


def undo(directory: Path) -> Relearned:
    """Go back to the version before: it judges all pages again, and none is fitted until people say more."""
    if ask(directory, "status") is not None:
        raise CollectionBusy(
            f"A crawl is running on {directory}. Stop it first (lycosa stop {directory}), then undo."
        )
    with Collection.open(directory) as reading:
        earlier = [past.number for past in history(directory) if past.status == "earlier"]
        if not reading.reader.judge_version() or not earlier:
            raise InputError(
                f"{directory} has no version before this one. See: lycosa judge --history {directory}"
            )
    with _reopened(directory) as collection:
        before = standing_of(collection)
        _go_back(collection, load_version(directory / "models", earlier[-1]))
        return Relearned(before, standing_of(collection))


def accept(directory: Path) -> Relearned:
    """Judge all pages by the version that was held because it changes much."""
    if ask(directory, "status") is not None:
        raise CollectionBusy(
            f"A crawl is running on {directory}. Stop it first (lycosa stop {directory}), then accept."
        )
    with Collection.open(directory) as reading:
        jump = jump_in(reading)
    if jump is None or not jump.is_held:
        raise InputError(f"No version of {directory} waits. See: lycosa judge --history {directory}")
    with _reopened(directory) as collection:
        before = standing_of(collection)
        _judge_all(collection, load_version(directory / "models", jump.version), 0, taken_up=jump.version)
        return Relearned(before, standing_of(collection))


def _go_back(collection: CollectionWriter, version: Version) -> None:
    _judge_all(collection, version, collection.reader.judge_version(), labels_now(collection.directory))


def _judge_all(
    collection: CollectionWriter, version: Version, aside: int, undone_with: str = "", *, taken_up: int = 0
) -> None:
    """Judge all pages by a version; another is set aside, or this one taken up."""
    judge = saved_judge(collection.directory / "models")
    judge.use(version)
    verdicts = verdicts_in(collection.directory)
    with collection.commit():
        evidence = judge.brief.evidence
        chances = judge.chances(collection.page_terms(0, evidence))
        chances += judge.chances(collection.unindexed_terms(evidence))
        collection.set_aside(aside, undone_with, taken_up=taken_up)
        collection.note_jump(b"")
        collection.judge_anew(judge.judgements(chances, verdicts), version.number)
        note_taught(collection)


def _learn(collection: CollectionWriter) -> None:
    directory = collection.directory
    judge = saved_judge(directory / "models")
    fits = InlineFits(judge.brief, collection, partial(said_in, directory), directory / "models")
    refits = _refits(judge, collection, fits)
    if (version := saved_version(collection)) is None:
        raise ModelError(
            f"The judge of {directory} cannot be read. Run its crawl again: it is fitted anew, and your labels count."
        )
    refits.resume(version, refused_version(collection))
    asyncio.run(refits.catch_up())


class _AtRest:
    """A collection whose crawl does not run: its strategy hears of new judgements when it goes on."""

    def __init__(self, collection: CollectionWriter) -> None:
        self.collection = collection
        self.tally = Tally(pages=collection.reader.counts().judged)
        self.verdicts: Mapping[int, Judgement] = {}
        self.given: Mapping[int, Judgement] = {}  # the topic's examples, which its judge knows

    def rejudged(self, changed: Sequence[Rejudged]) -> None:
        """No-op: no crawl is running."""

    def rejudged_elsewhere(self, judgements: Mapping[int, Judgement]) -> None:
        """No-op: no crawl is running."""

    def rescore(self) -> None:
        """Note it for the next run."""
        note_taught(self.collection)


def _relearned(before: Standing, collection: CollectionWriter | Collection) -> Relearned:
    refused, now = refused_version(collection), standing_of(collection)
    is_undone = bool(collection.reader.set_aside().undone_with)
    return Relearned(before, now, refused.number if refused and not is_undone else 0)


def _knows_all(collection: Collection) -> bool:
    newest = refused_version(collection) or saved_version(collection)
    answers = said_in(collection.directory).answers
    return newest is not None and answers.items() <= newest.said.items()


def _past(version: Version, status: str) -> PastVersion:
    return PastVersion(
        version.number,
        status,
        version.pages,
        len(version.said),
        version.agreeing,
        version.threshold,
        Figures.of(version.estimate),
    )


def _reopened(directory: Path) -> CollectionWriter:
    with Collection.open(directory) as collection:
        text = collection.spec_text()
    return CollectionWriter.create_or_open(directory, text, name=stored_spec(text, all_settings()).name)
