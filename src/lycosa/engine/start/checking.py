"""Looking at a spec without crawling. In: a spec file. Out: what a crawl of it would do, or the first error.

Everything on this machine that the spec names is read as the crawl would read it: seed lists, example pages,
models, event. Nothing is fetched from the Web: URLs are counted, and that is all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.engine.rules.admission import Admission
from lycosa.engine.start import Ready, prepare
from lycosa.engine.start.material import CrawlMaterial
from lycosa.engine.start.of_language import can_do_without_pages
from lycosa.engine.start.source_priors import source_priors
from lycosa.errors import SpecError
from lycosa.fetch.archive.warc_files import archives_of, warc_files
from lycosa.fetch.browser.renderer import refuse_root
from lycosa.fetch.http.connect_to import target_of
from lycosa.fetch.http.headers import refuse_unsendable
from lycosa.learn.words.spelling import doubtful_keywords
from lycosa.methods import Means
from lycosa.methods.lookup import all_settings, fitted
from lycosa.page.document import Document
from lycosa.page.text.languages import IN_PAIRS, UNSTEMMED
from lycosa.page.text.terms import terms_of
from lycosa.seeds import gather
from lycosa.spec.reading import load_spec, outdated_in, spec_path
from lycosa.spec.sections import PLACEHOLDER, Spec, TopicSpec
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
    said: tuple[str, ...]  # what to think about


def check_spec(path: Path, changes: tuple[str, ...] = ()) -> Checked:
    """Read a spec (or the one in a folder) and all that it names; LycosaError where a crawl would fail over it."""
    path = spec_path(path)
    refuse_collection(path)
    spec, text = load_spec(path, all_settings(), changes)
    return asyncio.run(_checked(spec, text, path))


def refuse_collection(path: Path) -> None:
    """Refuse the crawl.toml in a collection as a spec: beside it there is no place for another collection."""
    if (path.parent / "catalogue.db").exists():
        raise SpecError(
            f"{path.parent} is a collection, and {path.name} in it only says how it was made. Name the spec "
            "that you wrote, or say where to write: lycosa crawl --out."
        )


async def _checked(spec: Spec, text: str, path: Path) -> Checked:
    if (path.parent / spec.name).is_file():
        raise SpecError(
            f"{path}: the collection is to be the folder {spec.name}, which is a file. Choose another name."
        )
    folder, said = path.parent, [*looked_over(spec, path), *outdated_in(text)]
    seen = _Web()
    seeds, ready = await _look(spec, folder, folder / spec.name / "models", seen, said)
    said += doubts(spec.topic, folder)
    return Checked(
        spec=str(path),
        collection=str(folder / spec.name),
        strategy=spec.strategy,
        judge=spec.judge.kind,
        seeds=seeds,
        lists=tuple(seen.lists),
        examples=tuple(seen.examples),
        trains=ready.missing,
        said=tuple(said),
    )


def doubts(topic: TopicSpec, folder: Path) -> Iterator[str]:
    """What of a topic does less than its author may think."""
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
    """What makes two examples the same page: the identity of a URL, the bytes of a file."""
    return urls.key_of(url) if (url := urls.parse(where)) else (folder / where).read_bytes()


async def refuse_unready(spec: Spec, folder: Path) -> None:
    """A LycosaError where a new crawl would fail over what the spec names, before anything is made or fetched."""
    await _look(spec, folder, folder / "no-models-yet", _Web(), [])


async def _look(spec: Spec, folder: Path, models: Path, seen: _Web, said: list[str]) -> tuple[int, Ready]:
    """How many seeds there are, and what was prepared as far as that goes without the Web."""
    refuse_root(spec.fetch)
    Admission(spec.scope, spec.fetch, spec.frontier)
    if spec.fetch.web:
        from lycosa.fetch.archive.archive import refuse_unreadable  # which loads all that reads an archive

        refuse_unreadable(warc_files(archives_of(spec.fetch, folder)))
    if spec.archive.known:
        from lycosa.collection.known import KnownElsewhere, known_in  # which loads all that reads an archive

        KnownElsewhere(known_in(spec.archive, folder)).close()
    ready = await _fitted(spec, folder, models, seen, said)
    refuse_unsendable({"User-Agent": spec.fetch.user_agent, **spec.fetch.headers})
    for target in spec.fetch.connect_to.values():
        target_of(target)
    return await _seeds(spec, folder, seen, said, ready.given), ready


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


async def _seeds(spec: Spec, folder: Path, seen: _Web, said: list[str], given: Sequence[str]) -> int:
    """How many seeds there are, those of lists on the Web not counted."""
    if spec.seeds.archive:
        if not spec.fetch.web:
            raise SpecError(
                "[seeds] archive means the archives of [fetch] web. Name some there, or say --web ARCHIVE."
            )
        said.append("every page of the archive is a seed.")
        return 0
    on_the_web = any(urls.parse(where) for where in (*spec.seeds.sitemaps, *spec.seeds.feeds))
    # One that stands for those lists: without any, a crawl could not begin.
    more = (_ELSEWHERE,) if on_the_web else ()
    seeds = spec.seeds.model_copy(update={"urls": (*spec.seeds.urls, *more)})
    return len(await gather(seeds, folder, seen.list, said.append, given)) - len(more)


async def _fitted(spec: Spec, folder: Path, models: Path, seen: _Web, said: list[str]) -> Ready:
    """Prepare as a crawl does, as far as that goes without the Web."""

    def say(message: str) -> None:
        if not seen.examples:  # what a stand-in makes of a model is nothing to tell
            said.append(message)

    means = Means(folder, None, seen.document, say, spec.topic.language, spec.index.place_finder)
    ready = await prepare(spec, CrawlMaterial(spec.topic, means, models))
    untaught = spec.judge.kind == "text" or not can_do_without_pages(ready.missing, spec.topic.language)
    if ready.missing and not ready.topic.examples and untaught:
        raise SpecError(
            f"{spec.strategy} with judge {spec.judge.kind} has to be trained ({', '.join(ready.missing)}). "
            "Give [topic] examples, or a trained [topic] model."
        )
    if ready.preparation:
        strategy = fitted(spec.strategy, spec.options.get(spec.strategy, {}), ready.preparation)
        for earlier in ready.source_priors:
            source_priors(earlier, strategy)
    return ready


def looked_over(spec: Spec, path: Path | str) -> list[str]:
    """What to think about before the live Web is crawled; what is still the template's is refused."""
    if spec.fetch.connect_to or spec.fetch.web:  # a web of one's own
        return []
    _refuse_placeholder(spec, path)
    if spec.fetch.contact or spec.fetch.user_agent:
        return []
    return [f"nobody whose site is asked can tell who asks, or reach you. Set [fetch] contact in {path}."]


def _refuse_placeholder(spec: Spec, path: Path | str) -> None:
    left = [
        f"[{name}] {key}"
        for name, section in {"seeds": spec.seeds, **spec.methods}.items()
        for key, value in section
        if isinstance(value, tuple) and any(str(each).startswith(PLACEHOLDER) for each in value)
    ]
    if "example.org" in spec.scope.domains:
        left.append("[scope] domains")
    if left:
        raise SpecError(
            f"{path}: {' and '.join(left)} still {'has' if len(left) == 1 else 'have'} the template's example.org, "
            "which only shows where your own go. Replace it."
        )


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
