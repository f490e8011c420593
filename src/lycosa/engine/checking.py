"""Looking at a spec without crawling. In: a spec file. Out: what a crawl of it would do, or the first error.

Everything on this machine that the spec names is read as the crawl would read it: seed lists, example pages,
models, event. Nothing is asked of the Web; what is there is only counted.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.util
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.engine.admission import Admission
from lycosa.engine.run import looked_over
from lycosa.engine.session import fitted_strategy
from lycosa.errors import InputError, SpecError
from lycosa.methods import all_settings, strategy_class
from lycosa.methods.event.preparation import (
    crawl_topic,
    prepared_event,
    refuse_no_event,
    source_priors,
    with_event,
)
from lycosa.page.document import Document
from lycosa.prepare.topic import given_models, judge_of, preparation, wanted_models
from lycosa.seeds import gather
from lycosa.spec.reading import load_spec, spec_path
from lycosa.spec.sections import Spec
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
    spec, _ = load_spec(path, all_settings(), changes)
    return asyncio.run(_checked(spec, path))


async def _checked(spec: Spec, path: Path) -> Checked:
    folder, said = path.parent, looked_over(spec, path)
    seen = _Web()
    seeds = await _seeds(spec, folder, seen, said)
    Admission(spec.scope, spec.fetch, spec.frontier)
    trains = await _fitted(spec, folder, seen, said)
    if trains and not importlib.util.find_spec("sklearn"):
        raise InputError(
            f"Training ({', '.join(trains)}) needs scikit-learn. Install it: pip install 'lycosa[train]'"
        )
    return Checked(
        spec=str(path),
        collection=str(folder / spec.name),
        strategy=spec.strategy,
        judge=spec.judge.kind,
        seeds=seeds,
        lists=tuple(seen.lists),
        examples=tuple(seen.examples),
        trains=tuple(trains),
        said=tuple(said),
    )


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


async def _seeds(spec: Spec, folder: Path, seen: _Web, said: list[str]) -> int:
    """How many seeds there are, those of lists on the Web not counted."""
    on_the_web = any(urls.parse(where) for where in (*spec.seeds.sitemaps, *spec.seeds.feeds))
    # One that stands for those lists: without any, a crawl could not begin.
    more = (_ELSEWHERE,) if on_the_web else ()
    seeds = spec.seeds.model_copy(update={"urls": (*spec.seeds.urls, *more)})
    return len(await gather(seeds, folder, seen.list, said.append)) - len(more)


async def _fitted(spec: Spec, folder: Path, seen: _Web, said: list[str]) -> list[str]:
    """Prepare as a crawl does, as far as that goes without the Web. Returns the classifiers that are missing."""
    language, finder = spec.topic.language, spec.index.place_finder
    # What a stand-in says of the event is nothing to tell.
    tell = said.append if not any(map(urls.parse, spec.event.pages)) else lambda _: None
    event = await prepared_event(spec.event, language, folder, None, seen.document, tell, finder)
    refuse_no_event(spec.judge, event)
    judge = judge_of(spec)
    topic = await crawl_topic(spec, event, folder, None, seen.document, said.append)
    wants = wanted_models(strategy_class(spec.strategy), judge)
    fitted = given_models(wants, spec.topic, folder, folder / spec.name / "models")
    missing = [name for name in wants if name not in fitted]
    if missing and not topic.examples:
        raise SpecError(
            f"{spec.strategy} with judge {spec.judge.kind} has to be trained ({', '.join(missing)}). "
            "Give [topic] examples, or a trained [topic] model."
        )
    if not missing:
        ready = with_event(preparation(topic, judge, fitted, spec.random_seed), judge, event)
        strategy = fitted_strategy(spec, dataclasses.replace(ready, folder=folder))
        if spec.event.source_priors:
            source_priors(folder / spec.event.source_priors, strategy)
    return missing


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
