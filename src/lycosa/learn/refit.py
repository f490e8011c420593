"""When the judge of a crawl is fitted again, and what follows: all pages are judged by the new version.

The pages are judged in one commit, together with the number of the version; so pages and version agree, whatever kills the
process. A crawl ends with one more fit, so that one version has judged all pages.

A version that forecasts what people answered worse than the one in use is kept, but set aside: the one in use goes on
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

from lycosa.collection import LearningSink, Rejudged
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import ModelError
from lycosa.learn.fitting.crawl_fitter import Fit
from lycosa.learn.fitting.fit_process import Fits, InlineFits, Place, fits_of
from lycosa.learn.history import Keeping, kept_in
from lycosa.learn.judges.calibration import is_worse
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.judges.learning import LearningJudge, save_brief
from lycosa.learn.judges.version import Chances, Version, save_version
from lycosa.learn.jump import Jump, jump_between
from lycosa.values import Judgement, Say

SCHEDULE = (10, 20, 30, 45, 60, 80, 100, 125, 150, 175, 200)
"""Numbers of pages at which the judge is fitted."""
FIRST = 1
"""The number of the first version."""
GROWTH = 2
"""Beyond the schedule, a fit comes at this multiple of the pages of the one before: the cost of all is bounded."""


class Counts(Protocol):
    """The part of a crawl's tally that a schedule needs."""

    pages: int


class Concluded(Protocol):
    """Listens for pages that were judged anew."""

    verdicts: Mapping[int, Judgement]
    given: Mapping[int, Judgement]

    @property
    def tally(self) -> Counts: ...

    def rejudged(self, changed: Sequence[Rejudged]) -> None: ...

    def rejudged_elsewhere(self, judgements: Mapping[int, Judgement]) -> None: ...

    def rescore(self) -> None: ...


class SharedFits(Protocol):
    """Shares a judge between the shards of a crawl: the leader fits it for all."""

    others: Sequence[Path]
    """The collections of the other shards: the judge learns from their pages too."""
    leads: bool

    def pages(self) -> int:
        """The number of pages of all shards, as far as this one has heard."""
        ...

    def publish(self, fit: Fit) -> None:
        """Send a version to the other shards."""
        ...

    def published(self) -> Fit | None:
        """The version that was published last; None if it is the one that this returned the last time."""
        ...

    async def last_published(self) -> None:
        """Wait until the last version of the run is published, or nobody will publish one."""
        ...

    async def all_still(self) -> None:
        """Wait until no shard finds anything more."""
        ...


def next_fit(pages: int) -> int:
    """The number of pages at which the next fit is due, after one at this number.

    >>> [next_fit(pages) for pages in (0, 10, 37, 200, 250, 999)]
    [10, 20, 45, 400, 500, 1998]
    """
    return next((point for point in SCHEDULE if point > pages), pages * GROWTH)


class NoRefits:
    """The fits of a judge that is not fitted: there are none."""

    version: Version | None = None

    async def begin(self, version: Version | None, refused: Version | None) -> bool:
        """Go on with the version that judged all pages, or fit a first one. Return whether pages have to be judged anew."""
        return False

    def forget(self) -> None:
        """All pages were read again: fit the next version on what they are now."""

    def during(self) -> None:
        """Judge all pages by a version that is ready; inside a commit, after its pages."""

    def after(self) -> None:
        """Begin a version that is due; after the commit, so that its pages can be read."""

    def hear(self) -> None:
        """Begin a version soon: there are new answers."""

    async def catch_up(self) -> None:
        """Judge all pages anew if people have said something of them since, or taken it back."""

    async def end(self) -> None:
        """The crawl ends: judge all pages by one version that has seen all of them and all that people said."""


class Refits(NoRefits):
    """Fits a crawl's judge at the set points, and judges all pages by each version."""

    def __init__(
        self,
        judge: LearningJudge,
        conclusions: Concluded,
        store: LearningSink,
        fits: Fits,
        keeping: Keeping | None = None,
        note: Say = lambda _: None,
    ) -> None:
        """`keeping` without a folder keeps no version."""
        keeping = keeping or Keeping()
        self.judge = judge
        self.conclusions = conclusions
        self.store = store
        self.fits = fits
        self.verdicts = keeping.verdicts
        self.note = note
        self.number = keeping.number
        self.models = keeping.models
        self.is_held = keeping.is_held
        self.asks = keeping.asks
        self._newest: Version | None = None  # in use or set aside
        self._held_at = 0
        self._begun_at: int | None = None
        self._is_stale = False
        self._hears = False

    @property
    def version(self) -> Version | None:  # type: ignore[override]
        """The version in use."""
        return self.judge.version if self.judge.is_fitted else None

    async def begin(self, version: Version | None, refused: Version | None) -> bool:
        if version is not None:
            self.resume(version, refused)
            return False
        self.is_held = lambda: False  # the version that was gone back to is missing, or of another topic
        self._begin()
        if (fit := await self.fits.last()) is not None:
            self.resume(fit.version)
        return True

    def resume(self, version: Version, refused: Version | None = None) -> None:
        """Go on with the version that judged all pages; a newer one may have been set aside."""
        self.judge.use(version)
        self._newest = refused or version
        self.number = max(self.number, self._newest.number)

    def forget(self) -> None:
        self.fits.forget()
        self._is_stale = True

    def hear(self) -> None:
        self._hears = True

    def during(self) -> None:
        if self.fits.is_inline and self._is_due():
            self._begin()
        if (fit := self._arrived()) is not None:
            self._apply(fit)

    def after(self) -> None:
        if not self.fits.is_inline and self._is_due():
            self._begin()

    async def catch_up(self) -> None:
        if self._is_stale or self._newest is None or not self._knows_answers(self._newest):
            await self.finish()

    async def end(self) -> None:
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

    def judge_by(self, fit: Fit, upto: int) -> None:
        """Judge all pages by a version; those with ids above `upto` were fetched while it was fitted."""
        judge, version = self.judge, fit.version
        self.resume(version)
        self.conclusions.verdicts = self.verdicts()
        verdicts = {**self.conclusions.given, **self.conclusions.verdicts}
        chances = fit.chances + judge.chances(self.store.page_terms(upto, judge.brief.evidence))
        self._tell_elsewhere(chances, verdicts)
        chances += self._of_unindexed()
        self.store.judge_anew(judge.judgements(chances, verdicts), version.number, self.conclusions.rejudged)
        self.conclusions.rescore()

    def _begin(self) -> None:
        self._begun_at = self._pages()
        self._is_stale = self._hears = False
        self.fits.begin(self.number + 1)

    def _arrived(self) -> Fit | None:
        try:
            return self.fits.arrived()
        except ModelError as error:
            self.note(f"{error} Until then the version before judges.")
            return None

    def _pages(self) -> int:
        """The number of pages to learn from."""
        return self.conclusions.tally.pages

    def _is_due(self) -> bool:
        pages = self._pages()
        if not self._hears and pages < next_fit(max(self._held_at, self._pages_then())):
            return False
        if self.is_held():
            self._held_at = pages
            return False
        return True

    def _pages_then(self) -> int:
        """The number of pages, refused ones too, when the last version was begun."""
        if self._begun_at is None:  # a resumed crawl: without what was fetched since its version
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
        if self.version is not None and forecasts_worse(version, self.version, self.store.scores):
            self._refuse(version, self.version)
        elif (jump := self._jump(fit)) and self.asks:
            self._hold(fit, msgspec.structs.replace(jump, is_held=True))
        else:
            is_answered = self.version is not None and self.version.said != version.said
            self.judge_by(fit, version.upto)
            if jump or is_answered:
                self._note_jump(jump)

    def _jump(self, fit: Fit) -> Jump | None:
        """What the version would change of what is kept, if that is much."""
        if (old := self.version) is None:
            return None
        before, threshold = self.store.kept(), fit.version.threshold
        now = {key: wanted >= 0.5 and chance * wanted >= threshold for key, chance, wanted in fit.chances}
        now |= {
            key: verdict.relevant for key, verdict in {**self.conclusions.given, **self.verdicts()}.items()
        }
        return jump_between(old, fit.version, before, now, self.store.titles)

    def _hold(self, fit: Fit, jump: Jump) -> None:
        """Keep a version without applying it, until somebody decides."""
        self._newest, self.number = fit.version, max(self.number, fit.version.number)
        self.store.set_aside(fit.version.number)
        self._note_jump(jump)

    def _note_jump(self, jump: Jump | None) -> None:
        self.store.note_jump(msgspec.json.encode(jump) if jump else b"")
        if jump:
            self.note(jump.told(self.models.parent if self.models else Path("COLLECTION")))

    def _of_unindexed(self) -> Chances:
        """The probabilities of noindex pages: fits leave them out, but their score is shown."""
        return self.judge.chances(self.store.unindexed_terms(self.judge.brief.evidence))

    def _tell_elsewhere(self, chances: Chances, verdicts: Mapping[int, Judgement]) -> None:
        """Tell the strategy how pages of other shards are judged, from which it has learned too."""

    def _refuse(self, worse: Version, old: Version) -> None:
        """Keep a version without applying it; the answers hold for their pages."""
        self._newest, self.number = worse, max(self.number, worse.number)
        self.note(
            f"Judge version {worse.number} forecasts your answers worse than version {old.number}, which goes on "
            "judging; the answers hold for their own pages."
        )
        # Before the answers replace what it forecast: the next version is compared with that.
        forecasts = self.store.scores(_unheard(worse, old) - old.forecasts.keys()) | old.forecasts
        kept = msgspec.structs.replace(old, forecasts=forecasts)
        if self.models is not None:
            save_version(kept, self.models)
        self.judge.use(kept)
        self.store.set_aside(worse.number)
        # Only those: newer answers have no forecast yet, and the score of their pages is the one to compare with.
        self._hold_answers(old, worse.said.keys())

    def _hold_answers(self, version: Version, keys: Set[int]) -> None:
        """Apply answers to these pages until a version has learned them."""
        self.conclusions.verdicts = verdicts = self.verdicts()
        answered = {key: verdicts[key] for key in keys if key in verdicts}
        judgements = self.judge.judgements(self._of_unindexed(), answered)
        self.store.judge_anew(judgements, version.number, self.conclusions.rejudged)
        self.conclusions.rescore()


class _SharedRefits(Refits):
    """The fits of a judge that has seen the pages of all shards."""

    def __init__(self, share: SharedFits, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._share = share

    async def end(self) -> None:
        await self._share.all_still()
        self._is_stale = True  # other shards have found more
        await self.finish()

    def _tell_elsewhere(self, chances: Chances, verdicts: Mapping[int, Judgement]) -> None:
        of_pages = self.judge.judgements(chances, verdicts)
        for keys in chances.batches():
            found = of_pages(keys)
            self.conclusions.rejudged_elsewhere({key: found[key] for key in keys})


class LeadingRefits(_SharedRefits):
    """The fits of the shard that leads: on the pages of all shards. Each version is published."""

    def _pages(self) -> int:
        return max(self.conclusions.tally.pages, self._share.pages())

    def judge_by(self, fit: Fit, upto: int) -> None:
        super().judge_by(fit, upto)
        self._share.publish(fit)


class FollowingRefits(_SharedRefits):
    """The other shards: each judges by the published versions, and fits only a first one."""

    def __init__(self, share: SharedFits, directory: Path, *arguments: Any) -> None:
        super().__init__(share, *arguments)
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
            elif self.version is not None:  # the last one was set aside, and is not published
                self._hold_answers(self.version, self.verdicts().keys())

    def _follow(self, fit: Fit) -> None:
        if self.models is not None:
            save_version(fit.version, self.models)
        self.judge_by(fit, fit.upto_of.get(self._directory, 0))


def forecasts_worse(new: Version, old: Version, scores: Callable[[Set[int]], Mapping[int, float]]) -> bool:
    """Whether a version forecasts the answers worse than the one in use, which had not heard of some of them.

    `scores` gives the scores by the one in use, by key.
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


def inline_refits(judge: Judge, conclusions: Concluded, store: LearningSink) -> NoRefits:
    """The fits of a judge in an experiment: at once and repeatable."""
    if (learning := judge.learning) is None:
        return NoRefits()
    learning.forget()  # strategies that are compared share one preparation
    return Refits(learning, conclusions, store, InlineFits(learning.brief, store))


@asynccontextmanager
async def refits_for(
    judge: Judge,
    conclusions: Concluded,
    collection: CollectionWriter,
    place: Place,
    note: Say,
    share: SharedFits | None = None,
    *,
    asks: bool = False,
) -> AsyncIterator[NoRefits]:
    """The fits of a crawl's judge. Of the shards of a crawl one fits it, on the pages of all of them.

    `asks`: somebody is there who can decide on a version that changes much of what is kept.
    """
    if (learning := judge.learning) is None:
        yield NoRefits()
        return
    directory, others = collection.directory, share.others if share else ()
    save_brief(learning.brief, directory / "models")
    kind: Callable[..., Refits] = Refits
    if share:
        kind = partial(LeadingRefits, share) if share.leads else partial(FollowingRefits, share, directory)
    async with fits_of(learning.brief, collection, directory, place, others) as fits:
        yield kind(learning, conclusions, collection, fits, kept_in(collection, asks=asks), note)


async def fit_first(judge: Judge, collection: CollectionWriter, place: Place) -> None:
    """Fit and save the version that a crawl begins with, before there are pages."""
    if (learning := judge.learning) is not None:
        save_brief(learning.brief, collection.directory / "models")
        async with fits_of(learning.brief, collection, collection.directory, place) as fits:
            fits.begin(FIRST)
            await fits.last()
