"""The judge fitted again while the crawl goes on: when, and what follows. In: pages judged so far. Out: all judged anew.

At set points a version is begun. When it is there, every page is judged by it in one commit, together with the note
which version it was; so whatever kills the process, pages and version agree. The last thing a crawl does, however it
ends, is one more fit, so that all pages are judged by one version.

A version that forecasts what people answered worse than the one before is kept, but set aside: the one before goes on
judging, and the answers hold for their own pages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence, Set
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np

from lycosa.collection import LearningSink, Rejudged, SetAside
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.conclude import Conclusions, Tally
from lycosa.engine.learning.fitting import Fits, FittingProcess, InlineFits, fits_of
from lycosa.engine.peers import Share
from lycosa.engine.start.labels import labels_as_used, verdicts_in
from lycosa.errors import ModelError
from lycosa.learn.fitting.fitter import Fit
from lycosa.learn.judges.chances import Chances
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.judges.learning import LearningJudge, save_brief
from lycosa.learn.judges.threshold import Harvest, is_worse
from lycosa.learn.judges.version import Version, load_version, save_version
from lycosa.values import Judgement, Say

SCHEDULE = (10, 20, 30, 45, 60, 80, 100, 125, 150, 175, 200)
FIRST = 1
"""The number of the first version."""
GROWTH = 2
"""Beyond the schedule, a fit comes at this multiple of the pages of the one before: the cost of all is bounded."""

Verdicts = Callable[[], Mapping[int, Judgement]]


class Concluded(Protocol):
    """What is told of pages that were judged anew."""

    tally: Tally
    verdicts: Mapping[int, Judgement]
    given: Mapping[int, Judgement]

    def rejudged(self, changed: Sequence[Rejudged]) -> None: ...

    def rejudged_elsewhere(self, judgements: Mapping[int, Judgement]) -> None: ...

    def rescore(self) -> None: ...


def next_fit(pages: int) -> int:
    """At how many pages the next fit is due, after one at this many.

    >>> [next_fit(pages) for pages in (0, 10, 37, 200, 250, 999)]
    [10, 20, 45, 400, 500, 1998]
    """
    return next((point for point in SCHEDULE if point > pages), pages * GROWTH)


class Refits:
    """Fits a crawl's judge at the set points, and judges all pages by each version when it has come."""

    def __init__(
        self,
        judge: LearningJudge,
        conclusions: Concluded,
        store: LearningSink,
        fits: Fits,
        *,
        verdicts: Verdicts = dict,
        note: Say = lambda _: None,
        number: int = 0,
        models: Path | None = None,
        is_held: Callable[[], bool] = lambda: False,
    ) -> None:
        """Store what is fitted; `number` is that of the last version there was, `verdicts` what people say of pages.

        While `is_held` (by an undo), the version in use judges, and none is fitted.
        """
        self.judge = judge
        self.conclusions = conclusions
        self.store = store
        self.fits = fits
        self.verdicts = verdicts
        self.note = note
        self.number = number
        self.models = models
        self.is_held = is_held
        self._newest: Version | None = None  # applied or set aside
        self._held_at = 0
        self._begun_at: int | None = None
        self._is_stale = False

    @property
    def version(self) -> Version | None:
        """The version that judges just now."""
        return self.judge.version if self.judge.is_fitted else None

    @property
    def harvest(self) -> Harvest | None:
        """The share of the pages found that is relevant, as the version estimates it; None before it has seen any."""
        return self.version.estimate.harvest if self.version else None

    def resume(self, version: Version, refused: Version | None = None) -> None:
        """Go on with the version that all pages were judged by; a newer one may have been set aside."""
        self.judge.use(version)
        self._newest = refused or version
        self.number = max(self.number, self._newest.number)

    def forget(self) -> None:
        """All pages were read again: the next version is fitted on what they are now."""
        self.fits.forget()
        self._is_stale = True

    def renew(self) -> None:
        """Other shards have found more: the last version is fitted on that too."""
        self._is_stale = True

    def during(self) -> None:
        """Judge all pages by a version that has come; inside a commit, after its pages."""
        if self.fits.is_inline and self._is_due():
            self._begin()
        if (fit := self._arrived()) is not None:
            self._apply(fit)

    def after(self) -> None:
        """Begin a version that is due; after the commit, so that its pages can be read."""
        if not self.fits.is_inline and self._is_due():
            self._begin()

    async def prepare(self) -> None:
        """Fit a version on what there is, before any page is judged by it."""
        self.is_held = lambda: False  # the version that was gone back to is missing, or of another topic
        self._begin()
        if (fit := await self.fits.last()) is not None:
            self.resume(fit.version)

    async def catch_up(self) -> None:
        """Judge all pages anew if people have said something of them since, or taken it back."""
        if self._is_stale or self._newest is None or not self._knows_answers(self._newest):
            await self.finish()

    async def finish(self) -> None:
        """Judge all pages by one version that has seen all of them and all that people said."""
        if self.is_held():
            return
        fit = await self.fits.last()
        if fit is not None and (self._is_stale or not self._has_seen_all(fit.version)):
            fit = None
        elif fit is None and not self._is_stale and self._newest and self._has_seen_all(self._newest):
            return
        if fit is None:
            self._begin()
            fit = await self.fits.last()
        if fit is not None:
            with self.store.commit():
                self._apply(fit)

    def _begin(self) -> None:
        self._begun_at = self._pages()
        self._is_stale = False
        self.fits.begin(self.number + 1)

    def _arrived(self) -> Fit | None:
        try:
            return self.fits.arrived()
        except ModelError as error:
            self.note(f"{error} Until then the version before judges.")
            return None

    def _pages(self) -> int:
        """How many pages there are to learn from."""
        return self.conclusions.tally.pages

    def _is_due(self) -> bool:
        pages = self._pages()
        if pages < next_fit(max(self._held_at, self._pages_then())):
            return False
        if self.is_held():
            self._held_at = pages
            return False
        return True

    def _pages_then(self) -> int:
        """How many pages there were, refused ones too, when the last version was begun."""
        if self._begun_at is None:  # a resumed crawl: not what was fetched since its version
            newer = self.store.page_terms(self.version.upto if self.version else 0, "")
            self._begun_at = self.conclusions.tally.pages - sum(1 for _ in newer)
        return self._begun_at

    def _has_seen_all(self, version: Version) -> bool:
        newer = next(self.store.page_terms(version.upto, ""), None)
        return newer is None and self._knows_answers(version)

    def _knows_answers(self, version: Version) -> bool:
        said = {key: verdict.relevant for key, verdict in self.verdicts().items()}
        given = {page.key: False for page in self.judge.brief.negatives}
        return version.said == given | said

    def _apply(self, fit: Fit) -> None:
        version = fit.version
        if self._is_worse(version):
            self._refuse(version)
            return
        self.judge_by(fit, version.upto)

    def judge_by(self, fit: Fit, upto: int) -> None:
        """Judge all pages by a version; those behind the id `upto` were fetched while it was fitted."""
        judge, version = self.judge, fit.version
        self.resume(version)
        self.conclusions.verdicts = self.verdicts()
        verdicts = {**self.conclusions.given, **self.conclusions.verdicts}
        chances = fit.chances + judge.chances(self.store.page_terms(upto, judge.brief.evidence))
        self._tell_elsewhere(chances, verdicts)
        chances += self._of_unindexed()
        self.store.judge_anew(judge.judgements(chances, verdicts), version.number, self.conclusions.rejudged)
        self.conclusions.rescore()

    def _of_unindexed(self) -> Chances:
        """What the version in use says of pages that ask not to be indexed: fits leave them out, but their score is shown."""
        return self.judge.chances(self.store.unindexed_terms(self.judge.brief.evidence))

    def _tell_elsewhere(self, chances: Chances, verdicts: Mapping[int, Judgement]) -> None:
        """Let it be known what pages of other shards are judged as, from which a strategy has learned too."""

    def _is_worse(self, new: Version) -> bool:
        return self.version is not None and forecasts_worse(new, self.version, self.store.scores)

    def _refuse(self, worse: Version) -> None:
        """Keep a version without applying it; what was answered holds for its pages."""
        old = self.version
        assert old is not None
        self._newest, self.number = worse, max(self.number, worse.number)
        self.note(
            f"Judge version {worse.number} forecasts your answers worse than version {old.number}, which goes on "
            "judging; the answers hold for their own pages."
        )
        # Before the answers take the place of what it forecast: the next version is compared with that.
        forecasts = self.store.scores(_unheard(worse, old) - old.forecasts.keys()) | old.forecasts
        kept = msgspec.structs.replace(old, forecasts=forecasts)
        if self.models is not None:
            save_version(kept, self.models)
        self.judge.use(kept)
        self.store.set_aside(worse.number)
        # Only those: what was answered since has no forecast yet, and its score is the one to compare with.
        self._hold_answers(old, worse.said.keys())

    def _hold_answers(self, version: Version, keys: Set[int]) -> None:
        """What people said of these pages holds for them, while a version judges the others that has not learned it."""
        self.conclusions.verdicts = verdicts = self.verdicts()
        answered = {key: verdicts[key] for key in keys if key in verdicts}
        judgements = self.judge.judgements(self._of_unindexed(), answered)
        self.store.judge_anew(judgements, version.number, self.conclusions.rejudged)
        self.conclusions.rescore()


class _SharedRefits(Refits):
    """The fits of a judge that has seen the pages of all shards."""

    def _tell_elsewhere(self, chances: Chances, verdicts: Mapping[int, Judgement]) -> None:
        of_pages = self.judge.judgements(chances, verdicts)
        for keys in chances.batches():
            found = of_pages(keys)
            self.conclusions.rejudged_elsewhere({key: found[key] for key in keys})


class LeadingRefits(_SharedRefits):
    """The fits of the shard that fits for all: on the pages of all of them, and each version is published."""

    def __init__(self, share: Share, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._share = share

    def _pages(self) -> int:
        return max(self.conclusions.tally.pages, self._share.pages())

    def judge_by(self, fit: Fit, upto: int) -> None:
        super().judge_by(fit, upto)
        self._share.publish(fit)


class FollowingRefits(_SharedRefits):
    """Fits nothing, but for a judge that begins anew: judges by what another shard has fitted on the pages of all."""

    def __init__(self, share: Share, directory: Path, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._share = share
        self._directory = str(directory.absolute())

    def during(self) -> None:
        if (fit := self._share.published()) is not None:
            self._follow(fit)

    def after(self) -> None:
        pass

    async def catch_up(self) -> None:
        pass

    async def finish(self) -> None:
        await self._share.last_published()
        with self.store.commit():
            if (fit := self._share.published()) is not None:
                self._follow(fit)
            elif self.version is not None:  # the last one was set aside, and such are not published
                self._hold_answers(self.version, self.verdicts().keys())

    def _follow(self, fit: Fit) -> None:
        if self.models is not None:
            save_version(fit.version, self.models)
        self.judge_by(fit, fit.upto_of.get(self._directory, 0))


def forecasts_worse(new: Version, old: Version, scores: Callable[[Set[int]], Mapping[int, float]]) -> bool:
    """Whether a version forecasts the answers worse than the one in use, which had not heard of some of them.

    `scores` gives what the one in use says of pages, by key.
    """
    if not (unheard := _unheard(new, old)):
        return False
    told = {**scores(unheard - old.forecasts.keys()), **old.forecasts}
    keys = [key for key in new.forecasts if key in told]
    said = np.array([new.said[key] for key in keys], np.bool_)
    return is_worse(
        np.array([new.forecasts[key] for key in keys]), np.array([told[key] for key in keys]), said
    )


def _unheard(new: Version, old: Version) -> set[int]:
    """Answers that the version in use was not fitted with."""
    return {key for key in new.forecasts if old.said.get(key) is not new.said[key]}


def inline_refits(judge: Judge | None, conclusions: Conclusions, store: LearningSink) -> Refits | None:
    """The fits of a judge in an experiment, at once and repeatable; None for a judge that learns nothing."""
    if not isinstance(judge, LearningJudge):
        return None
    judge.forget()  # strategies that are compared share one preparation
    return Refits(judge, conclusions, store, InlineFits(judge.brief, store))


@asynccontextmanager
async def refits_for(
    judge: Judge,
    conclusions: Conclusions,
    collection: CollectionWriter,
    *,
    inline: bool,
    note: Say,
    share: Share | None = None,
    child: FittingProcess | None = None,
) -> AsyncIterator[Refits | None]:
    """The fits of a crawl's judge, in this process or in one of its own; None for a judge that learns nothing.

    Of the shards of a crawl one fits it, on the pages of all of them.
    """
    if not isinstance(judge, LearningJudge):
        yield None
        return
    save_brief(judge.brief, collection.directory / "models")
    others = share.others if share else ()
    kind: Callable[..., Refits] = Refits
    if share:
        kind = (
            partial(LeadingRefits, share)
            if share.leads
            else partial(FollowingRefits, share, collection.directory)
        )
    async with fits_of(judge.brief, collection, inline=inline, others=others, child=child) as fits:
        yield refits_in(judge, conclusions, collection, fits, note, kind)


async def fit_first(judge: Judge, collection: CollectionWriter, *, inline: bool) -> None:
    """Fit the version of a judge that learns which a crawl begins with, before there are pages; it is saved."""
    if isinstance(judge, LearningJudge):
        save_brief(judge.brief, collection.directory / "models")
        async with fits_of(judge.brief, collection, inline=inline) as fits:
            fits.begin(FIRST)
            await fits.last()


def refits_in(
    judge: LearningJudge,
    conclusions: Concluded,
    collection: CollectionWriter,
    fits: Fits,
    note: Say,
    kind: Callable[..., Refits] = Refits,
) -> Refits:
    """The fits of the judge of a collection."""
    directory, aside = collection.directory, collection.reader.set_aside()
    return kind(
        judge,
        conclusions,
        collection,
        fits,
        verdicts=partial(verdicts_in, directory),
        note=note,
        number=max(collection.reader.judge_version(), *aside.versions, 0),
        models=directory / "models",
        is_held=lambda: is_held(directory, aside),
    )


def is_held(directory: Path, aside: SetAside) -> bool:
    """Whether an undo still holds: nobody has said anything of a page since."""
    return bool(aside.undone_with) and aside.undone_with == labels_now(directory)


def labels_now(directory: Path) -> str:
    """What tells the labels of a collection from others."""
    return labels_as_used(directory).get("labels", "none")


def harvest_of(collection: CollectionWriter | Collection) -> Harvest | None:
    """The harvest of a collection as its judge estimates it; None where the judge does not learn, or has seen nothing."""
    version = saved_version(collection)
    return version.estimate.harvest if version else None


def saved_version(collection: CollectionWriter | Collection) -> Version | None:
    """The version that the pages of a collection were judged by; None if there is none, or it cannot be read."""
    return _saved(collection, collection.reader.judge_version())


def refused_version(collection: CollectionWriter | Collection) -> Version | None:
    """The newest version, where it was refused or undone; None where the newest one judges."""
    number = max(collection.reader.set_aside().versions, default=0)
    return _saved(collection, number) if number > collection.reader.judge_version() else None


def _saved(collection: CollectionWriter | Collection, number: int) -> Version | None:
    try:
        return load_version(collection.directory / "models", number) if number else None
    except ModelError:
        return None
