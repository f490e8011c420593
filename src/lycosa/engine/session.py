"""A crawl from its spec: opens the collection, prepares the models, runs the loop, says how it went.

The layer that a notebook uses: `summary = await crawl_spec(spec, text, folder, directory)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from lycosa import __version__
from lycosa.clock import SystemClock
from lycosa.collection.known import KnownElsewhere, known_in
from lycosa.collection.log import tell
from lycosa.collection.rests import Rests
from lycosa.collection.writer import CollectionWriter, Hook
from lycosa.engine.conclude import Conclusions
from lycosa.engine.learning.fitting import FittingProcess, copied_beforehand
from lycosa.engine.learning.refit import fit_first, refits_for, refused_version, saved_version
from lycosa.engine.learning.rejudge import Rewritten, is_judged_otherwise, judging_of, note_judging, rejudge
from lycosa.engine.loop import Crawl
from lycosa.engine.peers import Share
from lycosa.engine.processes.recipe import recipe_of
from lycosa.engine.processes.workers import analyser_for
from lycosa.engine.rendering import Rendering
from lycosa.engine.renderings import RENDERINGS, Renderings, learned_in
from lycosa.engine.resume import analyse_again, prefer_sources, recall, rescore_taught
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.limits import Limits
from lycosa.engine.rules.patterns import Patterns
from lycosa.engine.start import labels_are_answers, prepare
from lycosa.engine.start.bootstrap import first_pages, unlabelled_pages
from lycosa.engine.start.checking import refuse_unready
from lycosa.engine.start.given import AlreadyFetched, GivenReader, given_verdicts
from lycosa.engine.start.labels import labelled_pages, verdicts_in
from lycosa.engine.start.material import CrawlMaterial
from lycosa.engine.start.source_priors import source_priors
from lycosa.engine.start.topic import Labelled
from lycosa.engine.start.webs import renderer_of, web_of, without_waiting
from lycosa.engine.watch.control import RELEARN, control_of
from lycosa.engine.watch.signals import Watch, run_until_stopped
from lycosa.engine.watch.summary import Summary, seed_failure, summarise
from lycosa.errors import SpecError
from lycosa.fetch import CrawlFetcher
from lycosa.fetch.archive.archived_web import ArchivedWeb
from lycosa.fetch.http.headers import user_agent
from lycosa.fetch.http.open_files import within_open_files
from lycosa.fetch.polite.per_ip_limit import AddressTurns
from lycosa.fetch.polite.reader import PoliteReader
from lycosa.frontier import Policy
from lycosa.frontier.inspection import rests_in
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.learn.judges.kinds import UNLEARNED
from lycosa.methods import BaseStrategy, Means, Preparation
from lycosa.methods.lookup import fitted
from lycosa.page.text.near_duplicates import NearDuplicates
from lycosa.seeds import gather
from lycosa.spec.reading import outdated_in
from lycosa.spec.sections import Spec
from lycosa.urls import authority_of, source_of
from lycosa.values import Link, Say


async def crawl_spec(
    spec: Spec,
    text: str,
    folder: Path,
    directory: Path,
    *,
    say: Say = lambda _: None,
    watch: Watch | None = None,
    pause_points: Hook = lambda _: None,
) -> Summary:
    """Crawl into a collection, or go on where it was left. `folder` is where relative paths begin.

    `watch` may show the running crawl; `pause_points` hears of each commit's steps (for tests).
    """
    if not (directory / "catalogue.db").exists():
        await refuse_unready(spec, folder)  # a spec that is refused leaves no collection behind
    for word in outdated_in(text):
        say(word)
    first = first_pages(spec, directory)
    if first is not None:
        say(
            f"The first {first.limits.pages} pages of this crawl are fetched best-first, to learn what is unlike the "
            f"examples; then {spec.strategy} goes on. With [topic] negatives it begins at once."
        )
        summary = await _crawl_alone(first, text, folder, directory, say, watch, pause_points)
        if summary.stopped_early or not summary.pages:
            return summary
    while True:
        summary = await _crawl_alone(spec, text, folder, directory, say, watch, pause_points)
        if summary.ended != RELEARN:
            return summary
        say("Labels have changed: the topic is learned anew.")


async def crawl_share(
    spec: Spec,
    text: str,
    folder: Path,
    directory: Path,
    share: Share,
    *,
    say: Say = lambda _: None,
    watch: Watch | None = None,
) -> Summary:
    """Crawl one shard's share of a crawl into a collection of its own; `prepare_spec` has prepared it."""
    return await _crawl(spec, text, folder, directory, say, watch, lambda _: None, share)


async def prepare_spec(
    spec: Spec, text: str, folder: Path, directory: Path, resting: Mapping[str, float], say: Say
) -> list[Link]:
    """Fetch what a crawl of several shards begins with into a collection of its own, and make the models of it.

    `resting`: until when hosts rest that the shards have asked. Returns the seeds, when every host that was asked may be
    asked again.
    """
    if not (directory / "catalogue.db").exists():
        await refuse_unready(spec, folder)
    if spec.fetch.render != "never":
        raise SpecError(
            "fetch.render: a page that is rendered asks hosts whose rests only another shard knows. "
            'Crawl without --shards, or say fetch.render = "never".'
        )
    if first_pages(spec, directory) is not None:
        raise SpecError(
            f"The strategy {spec.strategy!r} or its judge learns from pages that are not about the topic, and has none: "
            "name some in topic.negatives, or crawl without --shards."
        )
    spec, clock = without_waiting(spec), SystemClock()
    with _opened(spec, text, directory) as collection:
        rests = Rests(collection.catalogue, clock.now(), spec.fetch.per_host_delay_s)
        async with web_of(spec, folder, collection, rests, say) as fetcher:
            reader = PoliteReader(
                fetcher, clock, spec.fetch.max_redirects, rests, resting, spec.scope.folding
            )
            helper = GivenReader(reader, collection, spec)
            is_judged_otherwise(collection, judging_of(spec, directory))
            ready = await prepare(spec, _material(spec, folder, collection, helper, say))
            seeds = await _seeds(spec, folder, fetcher, helper, say, ready.given)
            if ready.preparation:
                await fit_first(ready.preparation.judge, collection, inline=spec.process.workers == 0)
            with collection.commit():
                note_judging(collection, judging_of(spec, directory))
            await reader.rest()
    return seeds


async def _crawl_alone(
    spec: Spec, text: str, folder: Path, directory: Path, say: Say, watch: Watch | None, pause_points: Hook
) -> Summary:
    """One crawl without shards; what will fit its judge is there before the catalogue is opened."""
    async with copied_beforehand(wanted=not _is_inline(spec) and spec.judge.kind not in UNLEARNED) as child:
        return await _crawl(spec, text, folder, directory, say, watch, pause_points, child=child)


async def _crawl(
    spec: Spec,
    text: str,
    folder: Path,
    directory: Path,
    say: Say,
    watch: Watch | None,
    pause_points: Hook,
    share: Share | None = None,
    child: FittingProcess | None = None,
) -> Summary:
    spec, clock = without_waiting(spec), SystemClock()
    with (
        closing(KnownElsewhere(known_in(spec.archive, folder), directory)) as known,
        _opened(spec, text, directory, pause_points) as collection,
    ):
        say = _logged(say, collection)
        tell(collection.log, "run begun", version=__version__, strategy=spec.strategy)
        fetch = within_open_files(spec.fetch, say)
        now, delay_s = clock.now(), spec.fetch.per_host_delay_s
        rests = Rests(collection.catalogue, now, delay_s)
        turns = share.turns if share else _alone
        if share:
            collection.catalogue.index_texts_later()  # an index of the whole is made when all are brought together
        async with web_of(spec, folder, collection, rests, say, turns) as fetcher:
            resting = rests_in(collection.connection, now, delay_s)
            reader = PoliteReader(
                fetcher, clock, spec.fetch.max_redirects, rests, resting, spec.scope.folding
            )
            helper = GivenReader(reader, collection, spec)
            before = judging_of(spec, directory)
            judged_otherwise = is_judged_otherwise(collection, before)
            ready = await prepare(spec, _material(spec, folder, collection, helper, say))
            assert ready.preparation is not None  # a crawl fits all that is missing
            judging = judging_of(spec, directory)  # with the models that have just been made
            judged_otherwise = judged_otherwise or judging != before
            strategy = _fitted(spec, ready.preparation)
            seeds = [*share.seeds] if share else await _seeds(spec, folder, fetcher, helper, say, ready.given)
            await reader.rest()
            recipe = recipe_of(spec, strategy)
            named = frozenset(source_of(authority_of(link.url)) for link in seeds)
            with collection.commit():
                frontier = _frontier(spec, collection, strategy, named, clock.now(), share)
                frontier.forget([link.key for link in seeds if seed_failure(link, collection)])
            limits = Limits.of(spec.limits, fetch, spec.archive)
            workers, deadline_s = spec.process.workers, spec.process.deadline_s
            patterns = Patterns(named) if spec.scope.avoid_traps else None
            kept = partial(collection.catalogue.set_fact, RENDERINGS)
            renderings = Renderings(learned_in(collection.catalogue.fact(RENDERINGS)), kept)
            conclusions = Conclusions(
                frontier=frontier,
                strategy=strategy,
                store=collection,
                admission=Admission(spec.scope, spec.fetch, spec.frontier, patterns, known or None),
                follow=Follow(spec.fetch, spec.archive, spec.seeds, spec.scope.folding),
                verdicts=verdicts_in(directory),
                given=given_verdicts(collection, ready.given),
                near=NearDuplicates() if spec.index.near_duplicates == "now" else None,
                patterns=patterns,
                renderings=renderings,
                known=known,
            )
            judge, note = ready.preparation.judge, _note_in(collection)
            async with (
                analyser_for(recipe, workers, deadline_s, note) as analyser,
                refits_for(
                    judge,
                    conclusions,
                    collection,
                    inline=_is_inline(spec),
                    note=note,
                    share=share,
                    child=child,
                ) as refits,
                renderer_of(spec, fetcher) as renderer,
            ):
                crawl = Crawl(
                    fetcher=AlreadyFetched(fetcher, collection),
                    analyser=analyser,
                    conclusions=conclusions,
                    limits=limits.without_end() if share else limits,
                    clock=clock,
                    refits=refits,
                    peers=share,
                    say=say,
                    rendering=Rendering(renderer, renderings, spec.fetch.render, spec.limits.rendered, note)
                    if renderer
                    else None,
                )
                earlier_version = None if judged_otherwise else saved_version(collection)
                if refits and earlier_version:
                    refits.resume(earlier_version, refused_version(collection))
                elif refits:
                    await refits.prepare()
                    judged_otherwise = True  # by another judge, or by none that learns
                for earlier in ready.source_priors:
                    prefer_sources(conclusions, collection, source_priors(earlier, strategy))
                if judged_otherwise and collection.reader.counts().judged:
                    again = conclusions.anew(_fitted(spec, ready.preparation), Rewritten(collection))
                    await rejudge(collection, frontier, analyser, again, say)
                    if refits:
                        refits.forget()
                with collection.commit():
                    note_judging(collection, judging)
                with collection.commit():
                    recall(conclusions, collection)
                    rescore_taught(conclusions, collection)
                    analyse_again(frontier, conclusions, collection)
                    collection.catalogue.begin_run(clock.now())
                if refits:
                    await refits.catch_up()
                async with control_of(crawl, directory):
                    await run_until_stopped(crawl, seeds, watch, say)
        return summarise(crawl, collection, directory, seeds)


async def _seeds(
    spec: Spec, folder: Path, fetcher: CrawlFetcher, helper: GivenReader, say: Say, given: Sequence[str]
) -> list[Link]:
    """Where the crawl begins: all that an archive holds, or what [seeds] says."""
    if spec.seeds.archive and isinstance(fetcher, ArchivedWeb):
        return list(await fetcher.links(spec.scope.folding))
    return await gather(spec.seeds, folder, helper.list, say, given, spec.scope.folding)


def _is_inline(spec: Spec) -> bool:
    """Whether the judge is fitted in this process: an archive is crawled the same way every time."""
    return spec.process.workers == 0 or bool(spec.fetch.web)


def _archive_info(spec: Spec) -> dict[str, str]:
    """What the WARC files say of how they were crawled."""
    info = {
        "robots": "classic",
        "http-header-user-agent": spec.fetch.user_agent or user_agent(spec.fetch.contact),
    }
    if spec.fetch.web:
        return {"description": f"crawled from archives: {', '.join(spec.fetch.web)}"}
    return {**info, "operator": spec.fetch.contact} if spec.fetch.contact else info


def _fitted(spec: Spec, preparation: Preparation) -> BaseStrategy:
    return fitted(spec.strategy, spec.options.get(spec.strategy, {}), preparation)


def _logged(say: Say, collection: CollectionWriter) -> Say:
    """What is said to the user is logged too."""
    note = _note_in(collection)

    def both(message: str) -> None:
        note(message)
        say(message)

    return both


def _note_in(collection: CollectionWriter) -> Say:
    return lambda message: tell(collection.log, "note", message=message)


def _material(
    spec: Spec, folder: Path, collection: CollectionWriter, helper: GivenReader, say: Say
) -> CrawlMaterial:
    models, language = collection.directory / "models", spec.topic.language
    return CrawlMaterial(
        spec.topic,
        Means(folder, models, helper.document, say, language, spec.index.place_finder),
        models,
        labelled=Labelled if labels_are_answers(spec) else partial(labelled_pages, collection, language),
        unlabelled=partial(unlabelled_pages, collection, language, spec.topic.bootstrap_pages),
    )


def _alone(limit: AddressTurns) -> AddressTurns:
    """Nobody else asks the same IP addresses."""
    return limit


def _opened(spec: Spec, text: str, directory: Path, pause_points: Hook = lambda _: None) -> CollectionWriter:
    return CollectionWriter.create_or_open(
        directory,
        text,
        name=spec.name,
        warc_bytes=spec.archive.warc_bytes,
        info=_archive_info(spec),
        pause_points=pause_points,
    )


def _frontier(
    spec: Spec,
    collection: CollectionWriter,
    strategy: BaseStrategy,
    named: frozenset[str],
    now: float,
    share: Share | None,
) -> SqliteFrontier:
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
    if share:
        return share.frontier(collection.connection, policy, now, rest_s)
    return SqliteFrontier(collection.connection, policy, now=now, restart_rest_s=rest_s)
