"""Runs a crawl from start to end: opens its collection, prepares it, resumes it, loops, and says how it went.

summary = await run_crawl(CrawlRequest(spec, text, folder, directory))
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from functools import cached_property, partial

from lycosa import __version__
from lycosa.clock import SystemClock
from lycosa.collection.known import KnownElsewhere, known_in
from lycosa.collection.log import tell
from lycosa.collection.politeness import Rests
from lycosa.collection.writer import CollectionWriter, Hook
from lycosa.engine.catch_up.rejudge import (
    Judging,
    Rewritten,
    is_judged_otherwise,
    judging_of,
    learn_labels,
    note_judging,
    rejudge,
)
from lycosa.engine.conclude import Conclusions
from lycosa.engine.loop import Crawl
from lycosa.engine.parts import Alone, NoAssisting, NoneNear, OptionalParts, Share
from lycosa.engine.processes.recipe import recipe_of
from lycosa.engine.processes.workers import analyser_for
from lycosa.engine.rendering import RENDERINGS, Renderings, learned_in, rendering_of
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.limits import Limits, UntilRecall
from lycosa.engine.rules.patterns import NoPatterns, Patterns
from lycosa.engine.start.checking import refuse_unready
from lycosa.engine.start.given import AlreadyFetched, GivenReader, given_verdicts
from lycosa.engine.start.opening import opened, prefer_sources, resume
from lycosa.engine.start.prepare import CrawlMeans, fitted_for, labels_are_answers, prepare, source_priors
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.start.webs import web_of, without_waiting
from lycosa.engine.watch.assisting import assisting_of
from lycosa.engine.watch.callbacks import OnPage, batches_of
from lycosa.engine.watch.control import RELEARN, control_of
from lycosa.engine.watch.signals import Watch, run_until_stopped
from lycosa.engine.watch.summary import Summary, seed_failure, summarise
from lycosa.errors import SpecError
from lycosa.fetch import CrawlFetcher
from lycosa.fetch.archive.archived_web import ArchivedWeb
from lycosa.fetch.http.connections import within_open_files
from lycosa.fetch.polite.fetcher import PoliteFetcher, PoliteReader
from lycosa.frontier import Policy
from lycosa.frontier.rows import rests_in
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.learn.fitting.fit_process import Place, copied_beforehand
from lycosa.learn.history import refused_version, saved_version
from lycosa.learn.judges.kinds import UNLEARNED
from lycosa.learn.labels import labelled_pages, verdicts_in
from lycosa.learn.refit import fit_first, refits_for
from lycosa.learn.topic import Labelled
from lycosa.methods import BaseStrategy, Preparation
from lycosa.page.text.near_duplicates import NearDuplicates
from lycosa.seeds import gather
from lycosa.spec.code_files import is_code
from lycosa.spec.sections import Spec
from lycosa.urls import authority_of, source_of
from lycosa.values import Link, Say


@dataclass(frozen=True)
class _Run:
    """One run of a crawl, and who hears of it."""

    request: CrawlRequest
    say: Say
    watch: Watch | None = None
    on_page: OnPage = lambda _, __: None
    pause_points: Hook = lambda _: None
    share: Share | None = None

    @cached_property
    def spec(self) -> Spec:
        """The spec, as it is run."""
        return without_waiting(self.request.spec)

    @property
    def is_inline(self) -> bool:
        """Whether the judge is fitted in the process of the crawl: an archive is crawled the same way every time."""
        return self.spec.process.workers == 0 or bool(self.spec.fetch.web)


async def run_crawl(
    request: CrawlRequest,
    *,
    say: Say = lambda _: None,
    watch: Watch | None = None,
    on_page: OnPage = lambda _, __: None,
    pause_points: Hook = lambda _: None,
) -> Summary:
    """Crawl into a collection, or go on where it was left.

    `watch` may show the running crawl; `on_page` is called for each concluded page; `pause_points` hears of each
    commit's steps (for tests).
    """
    run = _Run(request, say, watch, on_page, pause_points)
    if request.is_new:
        refuse_unready(request.spec, request.folder)
    while True:
        # A fork of this process fits the judge: it has to be made before the catalogue is opened.
        wanted = not run.is_inline and request.spec.judge.kind not in UNLEARNED
        async with copied_beforehand(wanted=wanted) as child:
            summary = await _crawl(run, Place(run.is_inline, child))
        if summary.ended != RELEARN:
            return summary
        say("Labels have changed: the topic is learned anew.")


async def run_share(
    request: CrawlRequest, share: Share, *, say: Say = lambda _: None, watch: Watch | None = None
) -> Summary:
    """Crawl one shard's share of a crawl, which `prepare_shards` has prepared, into a collection of its own."""
    run = _Run(request, say, watch, share=share)
    return await _crawl(run, Place(run.is_inline))


async def prepare_shards(request: CrawlRequest, resting: Mapping[str, float], say: Say) -> list[Link]:
    """Fetch what a crawl of several shards begins with into a collection of its own, and make its models.

    `resting`: until when hosts rest that the shards have asked. Return the seeds, when every host that was asked may be
    asked again.
    """
    spec = request.spec
    if request.is_new:
        refuse_unready(spec, request.folder)
    if spec.fetch.render != "never":
        raise SpecError(
            "fetch.render: a page that is rendered asks hosts whose rests only another shard knows. "
            'Crawl without --shards, or say fetch.render = "never".'
        )
    if UntilRecall.of(spec.limits.until or ""):
        raise SpecError(
            "limits.until: a shard knows only its own part, and cannot estimate the recall of the crawl. "
            'Crawl without --shards, or write limits.until = "10 in 200".'
        )
    run = _Run(request, say)
    with opened(request, run.spec, run.pause_points) as collection:
        async with _started(run, collection, resting) as start:
            seeds, prepared = start.seeds, start.prepared
            await fit_first(prepared.judge, collection, Place(run.is_inline))
            with collection.commit():
                note_judging(collection, start.judging)
    return seeds


@dataclass(frozen=True)
class _Start:
    """A crawl that can begin: prepared once, with its seeds."""

    fetcher: PoliteFetcher | ArchivedWeb
    prepared: Preparation
    strategy: BaseStrategy
    seeds: list[Link]
    judging: Judging
    is_judged_otherwise: bool


@asynccontextmanager
async def _started(
    run: _Run, collection: CollectionWriter, resting: Mapping[str, float]
) -> AsyncIterator[_Start]:
    """Prepare a crawl and gather its seeds; then wait until every host that was asked may be asked again."""
    spec, folder, share, clock = run.spec, run.request.folder, run.share, SystemClock()
    rests = Rests(collection.catalogue, clock.now(), spec.fetch.per_host_delay_s)
    turns = [share.turns] if share else []
    async with web_of(spec, folder, collection, rests, run.say, *turns) as fetcher:
        reader = PoliteReader(fetcher, clock, spec.fetch.max_redirects, rests, resting, spec.scope.folding)
        helper = GivenReader(reader, collection, spec)
        before = judging_of(spec, collection.directory)
        is_otherwise = is_judged_otherwise(collection, before)
        prepared = await prepare(spec, _means(run, collection, helper))
        judging = judging_of(spec, collection.directory)  # with the models that have just been made
        strategy = fitted_for(spec, prepared)
        seeds = [*share.seeds] if share else await _seeds(run, fetcher, helper, prepared.given)
        await reader.rest()
        yield _Start(fetcher, prepared, strategy, seeds, judging, is_otherwise or judging != before)


async def _crawl(run: _Run, place: Place) -> Summary:
    """One run of a crawl."""
    with ExitStack() as stack:
        known_paths = known_in(run.spec.archive, run.request.folder)
        known = stack.enter_context(closing(KnownElsewhere(known_paths, run.request.directory)))
        collection = stack.enter_context(opened(run.request, run.spec, run.pause_points))
        run = _logged(run, collection)
        tell(collection.log, "run begun", version=__version__, strategy=run.spec.strategy)
        if run.share:
            collection.catalogue.index_texts_later()  # the whole is indexed when all shards are brought together
        limits = Limits.of(run.spec.limits, within_open_files(run.spec.fetch, run.say), run.spec.archive)
        resting = rests_in(collection.connection, SystemClock().now(), run.spec.fetch.per_host_delay_s)
        async with _started(run, collection, resting) as start:
            crawl = await _looped(run, start, collection, known, limits, place)
        return summarise(crawl, collection, run.request.directory, start.seeds)


async def _looped(
    run: _Run,
    start: _Start,
    collection: CollectionWriter,
    known: KnownElsewhere,
    limits: Limits,
    place: Place,
) -> Crawl:
    """Wire the parts of a crawl, bring back what earlier runs learned, and run the loop."""
    spec, share, prepared = run.spec, run.share, start.prepared
    note, judge = _note_in(collection), start.prepared.judge
    frontier, conclusions = _concluding(run, start, collection, known)
    workers, deadline_s = spec.process.workers, spec.process.deadline_s
    async with (
        analyser_for(recipe_of(spec, start.strategy), workers, deadline_s, note) as analyser,
        refits_for(judge, conclusions, collection, place, note, share, asks=_is_somebody_there()) as refits,
        rendering_of(spec, start.fetcher.fetch_for, conclusions.renderings, note) as rendering,
    ):
        crawl = Crawl(
            fetcher=AlreadyFetched(start.fetcher, collection),
            analyser=analyser,
            conclusions=conclusions,
            limits=limits.without_end() if share else limits,
            clock=SystemClock(),
            refits=refits,
            peers=share or Alone(),
            rendering=rendering,
            batches=batches_of(judge),
            assisting=NoAssisting() if share else assisting_of(spec, run.request.directory, run.say),
            on_page=run.on_page,
            say=run.say,
        )
        is_otherwise = start.is_judged_otherwise
        if is_code(spec.judge.kind):
            is_otherwise |= await learn_labels(judge, collection, analyser)
        earlier = None if is_otherwise else saved_version(collection)
        is_otherwise |= await refits.begin(earlier, refused_version(collection))
        for path in prepared.source_priors:
            prefer_sources(conclusions, collection, source_priors(path, start.strategy))
        if is_otherwise and collection.reader.counts().judged:
            again = conclusions.anew(fitted_for(spec, prepared), Rewritten(collection))
            await rejudge(collection, frontier, analyser, judge, again, run.say)
            refits.forget()
        with collection.commit():
            note_judging(collection, start.judging)
        with collection.commit():
            resume(conclusions, collection, frontier)
            collection.catalogue.begin_run(crawl.clock.now())
        await refits.catch_up()
        async with control_of(crawl, run.request.directory), crawl.assisting.beside(crawl):
            await run_until_stopped(crawl, start.seeds, run.watch, run.say)
    return crawl


def _is_somebody_there() -> bool:
    """Whether the crawl was started from a terminal, where its end is read."""
    return sys.stdin is not None and sys.stdin.isatty()


def _concluding(
    run: _Run, start: _Start, collection: CollectionWriter, known: KnownElsewhere
) -> tuple[SqliteFrontier, Conclusions]:
    """The frontier, and what concludes URLs by the rules of the spec."""
    spec, seeds = run.spec, start.seeds
    named = frozenset(source_of(authority_of(link.url)) for link in seeds)
    with collection.commit():
        frontier = _frontier(run, collection, start.strategy, named)
        frontier.forget([link.key for link in seeds if seed_failure(link, collection)])
    patterns = Patterns(named) if spec.scope.avoid_traps else NoPatterns()
    kept = partial(collection.catalogue.set_fact, RENDERINGS)
    further = [check for check in (patterns if spec.scope.avoid_traps else None, known) if check]
    parts = OptionalParts(
        verdicts=verdicts_in(collection.directory),
        given=given_verdicts(collection, start.prepared.given),
        near=NearDuplicates() if spec.index.near_duplicates == "now" else NoneNear(),
        patterns=patterns,
        renderings=Renderings(learned_in(collection.catalogue.fact(RENDERINGS)), kept),
        known=known,
    )
    return frontier, Conclusions(
        frontier=frontier,
        strategy=start.strategy,
        store=collection,
        admission=Admission(spec.scope, spec.fetch, spec.frontier, further),
        follow=Follow(spec.fetch, spec.archive, spec.seeds, spec.scope.folding),
        parts=parts,
    )


async def _seeds(run: _Run, fetcher: CrawlFetcher, helper: GivenReader, given: Sequence[str]) -> list[Link]:
    """Where the crawl begins: everything in an archive, or what [seeds] says."""
    spec = run.spec
    if spec.seeds.archive and isinstance(fetcher, ArchivedWeb):
        return list(await fetcher.links(spec.scope.folding))
    return await gather(spec.seeds, run.request.folder, helper.list, run.say, given, spec.scope.folding)


def _logged(run: _Run, collection: CollectionWriter) -> _Run:
    """The same run; what is said to the user is logged too."""
    note = _note_in(collection)

    def both(message: str) -> None:
        note(message)
        run.say(message)

    return replace(run, say=both)


def _note_in(collection: CollectionWriter) -> Say:
    return lambda message: tell(collection.log, "note", message=message)


def _means(run: _Run, collection: CollectionWriter, helper: GivenReader) -> CrawlMeans:
    spec, models = run.spec, collection.directory / "models"
    language = spec.topic.language
    return CrawlMeans(
        run.request.folder,
        models,
        helper.document,
        run.say,
        language,
        spec.index.place_finder,
        classifiers_in=models,
        fits=True,
        labelled=Labelled if labels_are_answers(spec) else partial(labelled_pages, collection, language),
    )


def _frontier(
    run: _Run, collection: CollectionWriter, strategy: BaseStrategy, named: frozenset[str]
) -> SqliteFrontier:
    spec, now = run.spec, SystemClock().now()
    policy = Policy(
        max_waiting=spec.frontier.max_waiting,
        per_host_concurrency=spec.fetch.per_host_concurrency,
        pages_per_host=spec.limits.pages_per_host,
        pages_per_site=spec.limits.pages_per_site,
        site_share=spec.limits.pages_in_share,
        named=named,
        selectivity=spec.frontier.selectivity,
        weigh=strategy.host_weight if strategy.weighs_sources else None,
        records=strategy.records,
    )
    rest_s = spec.fetch.per_host_delay_s
    if run.share:
        return run.share.frontier(collection.connection, policy, now, rest_s)
    return SqliteFrontier(collection.connection, policy, now=now, restart_rest_s=rest_s)
