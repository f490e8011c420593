"""Checking a spec without crawling: what a crawl of it would do first, or the first error.

Everything on this machine that the spec names is read as the crawl would read it: seed lists, example pages,
models, event. Nothing is fetched from the Web: URLs are counted, and that is all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.limits import UntilRecall
from lycosa.engine.start.prepare import CrawlMeans, fitted_for, judge_of, learns, prepare, source_priors
from lycosa.engine.start.request import CrawlRequest, refuse_collection, request_of_file
from lycosa.errors import InputError, SpecError
from lycosa.fetch.archive.warc_files import archives_of, warc_files
from lycosa.fetch.browser.start import refuse_root
from lycosa.fetch.http.connect_to import target_of
from lycosa.fetch.http.headers import refuse_unsendable
from lycosa.files import read_file, size_of
from lycosa.learn.topic import excluded_pages
from lycosa.learn.words.spelling import doubtful_keywords
from lycosa.methods.lookup import check
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.page.text.languages import IN_PAIRS, UNSTEMMED
from lycosa.page.text.terms import terms_of
from lycosa.seeds import gather
from lycosa.spec.reading import spec_path
from lycosa.spec.sections import Spec, TopicSpec
from lycosa.values import Refusal

# In place of an example page that only the crawl may fetch: it has words, a place and a day.
_STAND_IN = b"<title>An example</title><p>2 May 2024. An example of a storm over the city of Rome, Italy."


_ELSEWHERE = "http://lists.invalid/"


class Checked(msgspec.Struct, frozen=True):
    """A spec that a crawl can begin with, and what the crawl would do first."""

    spec: str
    collection: str
    strategy: str
    judge: str
    seeds: int
    lists: tuple[str, ...]  # sitemaps and feeds that will be fetched
    examples: tuple[str, ...]  # pages that will be fetched
    trains: tuple[str, ...]  # classifiers that will be trained first
    said: tuple[str, ...]  # hints


def check_spec(path: Path, changes: tuple[str, ...] = ()) -> Checked:
    """Read a spec (or the one in a folder) and all that it names; LycosaError where a crawl would fail."""
    path = spec_path(path)
    refuse_collection(path)
    request = request_of_file(path, None, changes)
    spec, said, seen = request.spec, [*request.notes], _Web()
    if request.directory.is_file():
        raise SpecError(
            f"{path}: the collection is to be the folder {spec.name}, which is a file. Choose another name."
        )
    refuse_unready(spec, request.folder)
    prepared = asyncio.run(_prepared(request, seen, said))
    seeds = asyncio.run(_seeds(request, seen, said, prepared))
    return Checked(
        spec=str(path),
        collection=str(request.directory),
        strategy=spec.strategy,
        judge=spec.judge.kind + _encoder_of(prepared),
        seeds=seeds,
        lists=tuple(seen.lists),
        examples=tuple(seen.examples),
        trains=prepared.missing,
        said=(*said, *doubts(spec.topic, request.folder)),
    )


def _encoder_of(prepared: Preparation) -> str:
    """For people, what is added to the judge's name: its encoder, if it has one."""
    learning = prepared.judge.learning
    meanings = learning.brief.meanings if learning else None
    return f" with what pages mean ({Path(meanings.encoder).name})" if meanings else ""


def refuse_unready(spec: Spec, folder: Path) -> None:
    """A LycosaError for what a new crawl would fail over, before anything is fetched: files, settings, addresses."""
    refuse_root(spec.fetch)
    Admission(spec.scope, spec.fetch, spec.frontier)
    if spec.fetch.web:
        from lycosa.fetch.archive.records import refuse_unreadable  # loads the readers of archives

        refuse_unreadable(warc_files(archives_of(spec.fetch, folder)))
    elif spec.seeds.archive:
        raise SpecError(
            "[seeds] archive means the archives of [fetch] web. Name some there, or say --web ARCHIVE."
        )
    if spec.archive.known:
        from lycosa.collection.known import KnownElsewhere, known_in  # loads the readers of archives

        KnownElsewhere(known_in(spec.archive, folder)).close()
    refuse_unsendable({"User-Agent": spec.fetch.user_agent, **spec.fetch.headers})
    for target in spec.fetch.connect_to.values():
        target_of(target)
    check(spec.strategy, spec.options.get(spec.strategy, {}), folder)
    if spec.judge.assistant.endpoint and not learns(judge_of(spec).kind):
        raise SpecError(
            "[judge.assistant]: this judge does not learn from answers while it crawls. Remove the section, or use "
            'judge.kind = "topic" or "event".'
        )
    if UntilRecall.of(spec.limits.until or "") and not learns(judge_of(spec).kind):
        raise SpecError(
            f'limits.until = "{spec.limits.until}": this judge does not learn, so it cannot estimate a recall. Write '
            'limits.until = "10 in 200", or use judge.kind = "topic" or "event".'
        )
    topic, seeds = spec.topic, spec.seeds
    for where in (
        *topic.examples,
        *topic.negatives,
        *excluded_pages(topic),
        *seeds.files,
        *seeds.sitemaps,
        *seeds.feeds,
    ):
        if urls.parse(where) is None:
            _refuse_unreadable_file(folder / where)


def _refuse_unreadable_file(path: Path) -> None:
    try:
        size_of(path)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: {reason}. Paths in a spec are relative to the spec's folder.") from None


def doubts(topic: TopicSpec, folder: Path) -> Iterator[str]:
    """Hints about a topic: keywords that say nothing or are misspelt, examples that count once."""
    for keyword in topic.keywords:
        if not terms_of(keyword, topic.language):
            yield f"the keyword {keyword!r} has only words that every text has, and says nothing. Use another."
    yield from doubtful_keywords(topic.keywords, topic.language)
    if len(topic.keywords) == 1 and not topic.description and not topic.examples:
        yield (
            f"{topic.keywords[0]!r} is all that is known of the topic. If it can mean several things, "
            "add words that tell which."
        )
    first: dict[object, str] = {}
    for where in topic.examples:
        same = first.setdefault(_contents(where, folder), where)
        if same != where or topic.examples.count(where) > 1:
            yield f"the examples {same} and {where} are the same page: it counts once. Give another."
    if topic.language in UNSTEMMED.values() and topic.language not in IN_PAIRS:
        yield (
            f"there is no stemmer for {topic.language}: words are compared as they are written. "
            "Give the forms of your keywords that pages use."
        )


def _contents(where: str, folder: Path) -> object:
    """What makes two examples the same page: the key of a URL, the bytes of a file."""
    return urls.key_of(url) if (url := urls.parse(where)) else read_file(folder / where)


class _Web:
    """Notes what would be fetched, and fetches nothing."""

    def __init__(self) -> None:
        self.lists: list[str] = []
        self.examples: list[str] = []

    async def list(self, url: str) -> bytes | Refusal:
        self.lists.append(url)
        return b""

    async def document(self, url: str) -> Document | Refusal:
        self.examples.append(url)
        return Document(_STAND_IN, url, "text/html")


async def _seeds(request: CrawlRequest, seen: _Web, said: list[str], prepared: Preparation) -> int:
    """The number of seeds, without those of lists on the Web."""
    spec = request.spec
    if spec.seeds.archive:
        said.append("every page of the archive is a seed.")
        return 0
    on_the_web = any(urls.parse(where) for where in (*spec.seeds.sitemaps, *spec.seeds.feeds))
    # One that stands for those lists: without any, a crawl could not begin.
    more = (_ELSEWHERE,) if on_the_web else ()
    seeds = spec.seeds.model_copy(update={"urls": (*spec.seeds.urls, *more)})
    return len(await gather(seeds, request.folder, seen.list, said.append, prepared.given)) - len(more)


async def _prepared(request: CrawlRequest, seen: _Web, said: list[str]) -> Preparation:
    """Prepare as a crawl does, as far as that goes without the Web."""

    def say(message: str) -> None:
        if not seen.examples:  # a model made of stand-ins says nothing
            said.append(message)

    spec = request.spec
    folder, saved = request.folder, request.directory / "models"
    language, finder = spec.topic.language, spec.index.place_finder
    means = CrawlMeans(folder, None, seen.document, say, language, finder, classifiers_in=saved)
    prepared = await prepare(spec, means)
    if not prepared.missing:
        strategy = fitted_for(spec, prepared)
        for earlier in prepared.source_priors:
            source_priors(earlier, strategy)
    return prepared


def check_text(checked: Checked) -> str:
    """For reading."""
    lines = [
        f"{checked.spec} is right. Crawl it: lycosa crawl {checked.spec}",
        f"  strategy    {checked.strategy}, judge {checked.judge}",
        f"  seeds       {checked.seeds:,}" + (" and those of lists on the Web" if checked.lists else ""),
        f"  collection  {checked.collection}",
    ]
    if checked.trains:
        lines.append(f"  trained first: {', '.join(checked.trains)}")
    lines += [f"  fetched first: {url}" for url in (*checked.lists, *checked.examples)]
    return "\n".join([*lines, *(f"  note: {word}" for word in checked.said)])
