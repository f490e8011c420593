"""A crawl from its spec: opens the collection, prepares the models, runs the loop, says how it went.

The layer that a notebook uses: `summary = await crawl_spec(spec, text, folder, directory)`.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from lycosa import __version__
from lycosa.clock import SystemClock
from lycosa.engine.admission import Admission
from lycosa.engine.analysis import Recipe, regions_of_spec
from lycosa.engine.checking import refuse_unready
from lycosa.engine.conclude import Conclusions
from lycosa.engine.control import RELEARN, control_of
from lycosa.engine.follow import Follow
from lycosa.engine.given import AlreadyFetched, archived_page, given_verdicts
from lycosa.engine.limits import Limits
from lycosa.engine.loop import TOO_LONG, Crawl
from lycosa.engine.refit import Harvest, refits_for, refused_version, saved_version
from lycosa.engine.rejudge import Rewritten, is_judged_otherwise, judging_of, note_judging, rejudge
from lycosa.engine.resume import recall
from lycosa.engine.webs import web_of, without_waiting
from lycosa.engine.workers import analyser_for
from lycosa.errors import StoppedEarly
from lycosa.evidence import Evidence, Need
from lycosa.fetch import CrawlFetcher
from lycosa.fetch.archived_web import ArchivedWeb
from lycosa.fetch.decode import decoded_body
from lycosa.fetch.http_headers import user_agent
from lycosa.fetch.open_files import within_open_files
from lycosa.fetch.polite.reader import PoliteReader
from lycosa.frontier import Policy
from lycosa.frontier.inspection import rests_in
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.methods import BaseStrategy, Means, Preparation
from lycosa.methods.lookup import fitted, indexed_evidence
from lycosa.page.document import Document
from lycosa.page.duplicates import NearDuplicates
from lycosa.page.response import document_of
from lycosa.prepare import labels_are_answers, prepare
from lycosa.prepare.bootstrap import first_pages, unlabelled_pages
from lycosa.prepare.labels import Labelled, labelled_pages, verdicts_in
from lycosa.prepare.material import CrawlMaterial
from lycosa.prepare.source_priors import source_priors
from lycosa.seeds import gather
from lycosa.spec.sections import Spec
from lycosa.store import Record
from lycosa.store.collection_writer import CollectionWriter, Hook
from lycosa.store.log import tell
from lycosa.store.reader import PAUSED
from lycosa.store.rests import Rests
from lycosa.values import Fetched, Kind, Link, NotFetched, Reason, Refusal, Say

MAX_SEEDS_TOLD = 1000
"""How many seeds are looked at when a summary says which of them failed."""

Watch = Callable[[Crawl], "asyncio.Future[None] | asyncio.Task[None] | None"]


class Summary(msgspec.Struct, frozen=True):
    """How a crawl went, over all its runs."""

    collection: str
    pages: int
    relevant: int  # pages that were kept
    harvest: float  # the share of the pages that is relevant, as far as that can be told
    bytes: int
    seconds: float
    waiting: int
    ended: str
    stopped_early: bool  # before its end: the same command goes on
    resumable: (
        bool  # something waits: the same command goes on, or does when the limit that ended it is raised
    )
    refused: dict[str, int]
    failed_seeds: dict[str, str] = {}  # of the first seeds, with the reason
    harvest_low: float | None = None  # it lies between these in 80 of 100 crawls; None: nobody knows
    harvest_high: float | None = None
    judge_version: int = 0  # that all pages were judged by; 0: of a judge that does not learn

    @property
    def harvest_told(self) -> str:
        """The harvest for people, with its interval where there is one."""
        return str(Harvest(self.harvest, self.harvest_low, self.harvest_high))


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
    first = first_pages(spec, directory)
    if first is not None:
        say(f"First {first.limits.pages} pages best-first, to learn what is unlike the examples.")
        summary = await _crawl(first, text, folder, directory, say, watch, pause_points)
        if summary.stopped_early or not summary.pages:
            return summary
    while True:
        summary = await _crawl(spec, text, folder, directory, say, watch, pause_points)
        if summary.ended != RELEARN:
            return summary
        say("Labels have changed: the topic is learned anew.")


async def _crawl(
    spec: Spec, text: str, folder: Path, directory: Path, say: Say, watch: Watch | None, pause_points: Hook
) -> Summary:
    spec, clock = without_waiting(spec), SystemClock()
    with CollectionWriter.create_or_open(
        directory,
        text,
        name=spec.name,
        warc_bytes=spec.archive.warc_bytes,
        info=_archive_info(spec),
        pause_points=pause_points,
    ) as collection:
        say = _logged(say, collection)
        tell(collection.log, "run begun", version=__version__, strategy=spec.strategy)
        fetch = within_open_files(spec.fetch, say)
        now, delay_s = clock.now(), spec.fetch.per_host_delay_s
        rests = Rests(collection.catalogue, now, delay_s)
        async with web_of(spec, folder, collection, rests, say) as fetcher:
            resting = rests_in(collection.connection, now, delay_s)
            reader = PoliteReader(fetcher, clock, spec.fetch.max_redirects, rests, resting)
            helper = _Reader(reader, collection, spec)
            before = judging_of(spec, directory)
            judged_otherwise = is_judged_otherwise(collection, before)
            ready = await prepare(spec, _material(spec, folder, collection, helper, say))
            assert ready.preparation is not None  # a crawl fits all that is missing
            judging = judging_of(spec, directory)  # with the models that have just been made
            judged_otherwise = judged_otherwise or judging != before
            strategy = _fitted(spec, ready.preparation)
            seeds = await _seeds(spec, folder, fetcher, helper, say, ready.given)
            await reader.rest()
            recipe = recipe_of(spec, strategy)
            with collection.commit():
                frontier = _frontier(spec, collection, strategy, clock.now())
                frontier.forget([link.key for link in seeds if _failed(link, collection)])
            workers, deadline_s = spec.process.workers, spec.process.deadline_s
            inline = workers == 0 or bool(spec.fetch.web)  # an archive is crawled the same way every time
            conclusions = Conclusions(
                frontier=frontier,
                strategy=strategy,
                store=collection,
                admission=Admission(spec.scope, spec.fetch, spec.frontier),
                follow=Follow(spec.fetch, spec.archive),
                verdicts=verdicts_in(directory),
                given=given_verdicts(collection, ready.given),
                near=NearDuplicates() if spec.index.near_duplicates == "now" else None,
            )
            judge, note = ready.preparation.judge, _note_in(collection)
            async with (
                analyser_for(recipe, workers, deadline_s, note) as analyser,
                refits_for(judge, conclusions, collection, inline=inline, note=note) as refits,
            ):
                crawl = Crawl(
                    fetcher=AlreadyFetched(fetcher, collection),
                    analyser=analyser,
                    conclusions=conclusions,
                    limits=Limits.of(spec.limits, fetch),
                    clock=clock,
                    refits=refits,
                )
                earlier_version = None if judged_otherwise else saved_version(collection)
                if refits and earlier_version:
                    refits.resume(earlier_version, refused_version(collection))
                elif refits:
                    await refits.prepare()
                    judged_otherwise = True  # by another judge, or by none that learns
                for earlier in ready.source_priors:
                    _prefer(conclusions, collection, source_priors(earlier, strategy))
                if judged_otherwise and collection.reader.counts().judged:
                    again = conclusions.anew(_fitted(spec, ready.preparation), Rewritten(collection))
                    await rejudge(collection, frontier, analyser, again, say)
                    if refits:
                        refits.forget()
                with collection.commit():
                    note_judging(collection, judging)
                with collection.commit():
                    recall(conclusions, collection)
                    collection.catalogue.begin_run(clock.now())
                if refits:
                    await refits.catch_up()
                async with control_of(crawl, directory):
                    await _run(crawl, seeds, watch, say)
        return _summary(crawl, collection, directory, seeds)


async def _seeds(
    spec: Spec, folder: Path, fetcher: CrawlFetcher, helper: _Reader, say: Say, given: Sequence[str]
) -> list[Link]:
    """Where the crawl begins: all that an archive holds, or what [seeds] says."""
    if spec.seeds.archive and isinstance(fetcher, ArchivedWeb):
        return list(await fetcher.links())
    return await gather(spec.seeds, folder, helper.list, say, given)


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


def recipe_of(spec: Spec, strategy: BaseStrategy) -> Recipe:
    """What workers compute for this strategy and spec."""
    evidence = (*strategy.needs, *_indexed(spec, strategy.needs))
    needed = frozenset[Need]().union(*(kind.needs for kind in evidence))
    return Recipe(
        evidence=evidence,
        language=spec.topic.language,
        expected_languages=spec.scope.languages,
        max_decoded_bytes=spec.fetch.max_decoded_bytes,
        date=bool(spec.scope.date_from or spec.scope.date_to) or Need.DATE in needed,
        places=Need.PLACES in needed,
        place_finder=spec.index.place_finder,
        about=regions_of_spec(spec) if Need.PLACES in needed else frozenset(),
        entities=Need.ENTITIES in needed,
        text=spec.index.text == "now",
        simhash=spec.index.near_duplicates == "now",
        requisites=spec.archive.requisites != "none",
        terms=Need.TERMS in needed,
    )


def _indexed(spec: Spec, needs: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """What [index] asks for beside the strategy."""
    wanted = ["genre"] if spec.index.genre == "now" else []
    return indexed_evidence([name for name in wanted if all(kind.name != name for kind in needs)])


class _Reader:
    """Lists and examples from the Web, archived like everything that was fetched."""

    def __init__(self, reader: PoliteReader, collection: CollectionWriter, spec: Spec) -> None:
        self.reader = reader
        self.collection = collection
        self.spec = spec

    async def list(self, url: str) -> bytes | Refusal:
        """The bytes of a sitemap or feed."""
        result = await self._get(url, Kind.REQUISITE)
        if isinstance(result, NotFetched):
            return result.refusal
        return decoded_body(result, self.spec.fetch.max_decoded_bytes)

    async def document(self, url: str) -> Document | Refusal:
        """An example page: from the archive, if it was fetched before."""
        result = archived_page(self.collection, url) or await self._get(url, Kind.PAGE)
        if isinstance(result, NotFetched):
            return result.refusal
        language, finder = self.spec.topic.language, self.spec.index.place_finder
        return document_of(result, language=language, place_finder=finder)

    async def _get(self, url: str, kind: Kind) -> Fetched | NotFetched:
        result = await self.reader.get(url, kind, self._save)
        if isinstance(result, Fetched) and result.status != 200:
            return NotFetched(result.link, Refusal(Reason.HTTP_ERROR, str(result.status)))
        return result

    def _save(self, fetched: Fetched) -> None:
        """Keep a response as a requisite: it was fetched to prepare the crawl. An example may become a page of it."""
        link = msgspec.structs.replace(fetched.link, kind=Kind.REQUISITE)
        with self.collection.commit():
            self.collection.save(Record(time.time(), msgspec.structs.replace(fetched, link=link)))


def _logged(say: Say, collection: CollectionWriter) -> Say:
    """What is said to the user is logged too."""
    note = _note_in(collection)

    def both(message: str) -> None:
        note(message)
        say(message)

    return both


def _note_in(collection: CollectionWriter) -> Say:
    return lambda message: tell(collection.log, "note", message=message)


def _failed(seed: Link, collection: CollectionWriter) -> Refusal | None:
    """Why a seed of an earlier run (or of this one) brought nothing; such seeds are tried again."""
    if (page := collection.reader.page(seed.key)) is not None:
        refusal = page.refusal
        in_vain = refusal and refusal.reason in (Reason.ANALYSIS_CRASH, Reason.ANALYSIS_TIMEOUT)
        return refusal if page.status >= 400 or in_vain else None
    outcome = collection.reader.outcome(seed.key)
    return None if outcome is None or outcome.again else outcome.refusal


def _material(
    spec: Spec, folder: Path, collection: CollectionWriter, helper: _Reader, say: Say
) -> CrawlMaterial:
    models, language = collection.directory / "models", spec.topic.language
    return CrawlMaterial(
        spec.topic,
        Means(folder, models, helper.document, say, language, spec.index.place_finder),
        models,
        labelled=Labelled if labels_are_answers(spec) else partial(labelled_pages, collection, language),
        unlabelled=partial(unlabelled_pages, collection, language, spec.topic.bootstrap_pages),
    )


def _frontier(spec: Spec, collection: CollectionWriter, strategy: BaseStrategy, now: float) -> SqliteFrontier:
    policy = Policy(
        max_waiting=spec.frontier.max_waiting,
        per_host_concurrency=spec.fetch.per_host_concurrency,
        pages_per_host=spec.limits.pages_per_host,
        pages_per_site=spec.limits.pages_per_site,
        selectivity=spec.frontier.selectivity,
        weigh=strategy.host_weight if strategy.weighs_sources else None,
        records=strategy.records,
    )
    return SqliteFrontier(collection.connection, policy, now=now, restart_rest_s=spec.fetch.per_host_delay_s)


def _prefer(
    conclusions: Conclusions, collection: CollectionWriter, priors: Mapping[str, tuple[float, float]]
) -> None:
    """Let sources begin with what an earlier crawl found there."""
    with collection.commit():
        for source, (good, bad) in priors.items():
            conclusions.tally.sources[source] = [good, bad]
            conclusions.frontier.reweigh(source, good, bad)


async def _run(crawl: Crawl, seeds: list[Link], watch: Watch | None, say: Say) -> None:
    watcher = watch(crawl) if watch else None
    try:
        with _stopped_by_signals(crawl, say):
            await crawl.run(seeds)
    except asyncio.CancelledError:
        if not crawl.ended:
            raise
        raise StoppedEarly("Stopped at once; run the same command again and it goes on.") from None
    finally:
        if watcher:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)


@contextmanager
def _stopped_by_signals(crawl: Crawl, say: Say) -> Iterator[None]:
    """The first Ctrl-C lets requests under way finish; the second ends at once."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def on_signal() -> None:
        if crawl.ended:
            task.cancel()
        crawl.stop("interrupted")
        with suppress(OSError):  # the terminal may be gone
            say("Stopping: what is under way is finished first (Ctrl-C again to stop at once).")

    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
        numbers.append(signal.SIGHUP)
    try:
        for number in numbers:
            loop.add_signal_handler(number, on_signal)
    except (NotImplementedError, RuntimeError, ValueError):  # not the main thread, or Windows
        yield
        return
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _summary(crawl: Crawl, collection: CollectionWriter, directory: Path, seeds: list[Link]) -> Summary:
    tally, waiting = crawl.tally, crawl.frontier.counts().waiting
    version, harvest = crawl.refits.version if crawl.refits else None, crawl.harvest
    with collection.commit():
        collection.catalogue.end_run(crawl.clock.now(), crawl.ended)
        if crawl.rested_s:
            paused_s = float(collection.catalogue.fact(PAUSED) or 0) + crawl.rested_s
            collection.catalogue.set_fact(PAUSED, str(paused_s).encode())
    failed = ((link.url, _failed(link, collection)) for link in seeds[:MAX_SEEDS_TOLD])
    summary = Summary(
        collection=str(directory),
        pages=tally.pages,
        relevant=tally.relevant,
        harvest=round(harvest.value, 4),
        bytes=tally.bytes,
        seconds=round(tally.seconds, 1),
        waiting=waiting,
        ended=crawl.ended,
        stopped_early=crawl.ended in ("interrupted", TOO_LONG),
        resumable=crawl.ended in ("interrupted", TOO_LONG) or waiting > 0,
        refused={reason.name.lower(): count for reason, count in tally.refused.most_common()},
        failed_seeds={url: str(refusal) for url, refusal in failed if refusal},
        harvest_low=None if harvest.low is None else round(harvest.low, 4),
        harvest_high=None if harvest.high is None else round(harvest.high, 4),
        judge_version=version.number if version else 0,
    )
    tell(collection.log, "run ended", **msgspec.to_builtins(summary))
    return summary
