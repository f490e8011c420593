"""Many runs: topics × random seeds × strategies × settings, in parallel processes, resumable.

All strategies of one (topic, random seed) are run in one process from the same models, so that
comparisons are paired; results do not depend on the number of processes.
"""

from __future__ import annotations

import ast
import asyncio
import hashlib
import inspect
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from lycosa.engine.start.prepare import CrawlMeans, prepare
from lycosa.errors import InputError
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import topic_vector
from lycosa.files import cache_directory
from lycosa.learn.topic import TopicModel
from lycosa.learn.training.classifiers import fit_models
from lycosa.learn.training.examples import ExamplePage, example_of
from lycosa.learn.training.text import Label
from lycosa.methods import BaseStrategy
from lycosa.methods.lookup import (
    check,
    fitted,
    guide_named,
    strategy_class,
    strategy_names,
)
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import JudgeSpec, Spec, TopicSpec
from lycosa_lab.grids.processes import Done, in_processes
from lycosa_lab.grids.variants import (
    ORACLE,
    ORACLES,
    Variant,
)
from lycosa_lab.runs.of_methods import has_settings, sections_in_lab, settings_in_lab
from lycosa_lab.runs.oracle import LookAhead, Oracle
from lycosa_lab.runs.protocol import Draw, Options, distances, draw, draw_as_user
from lycosa_lab.runs.run import Run, run_strategy
from lycosa_lab.runs.user import given_sections, user_means, user_spec
from lycosa_lab.webs.cache import CachedWeb, all_code_digest, content_digest
from lycosa_lab.webs.web import VirtualWeb

TOPIC_TERMS = 100


@dataclass(frozen=True, slots=True)
class Task:
    """One topic and random seed of a web, for several variants."""

    web: str
    topic: str
    random_seed: int
    variants: tuple[Variant, ...]
    options: Options
    fresh: bool = False


def run_grid(
    web: Path,
    topics: Sequence[str],
    wanted: Sequence[Variant],
    options: Options,
    *,
    random_seeds: Sequence[int],
    processes: int | None = None,
    progress: Done = lambda _done, _all: None,
    parsing: Done = lambda _done, _all: None,
    fresh: bool = False,
) -> list[Run]:
    """All runs, in the order topic, random seed, variant. Cached runs are read, unless all are to be `fresh`.

    `progress` counts runs.
    """
    opened = VirtualWeb.open(web)
    for variant in wanted:  # what a strategy lacks is said now, not after minutes of parsing
        if variant.strategy not in ORACLES and not _gets_types(variant.strategy, opened):
            check(variant.strategy, dict(variant.settings), Path())
    count = processes or os.cpu_count() or 1
    if not all(isinstance(variant.strategy, str) for variant in wanted):
        count = 1  # a class of a notebook cannot be found by other processes
    CachedWeb(opened, parsing=parsing, processes=count)  # parses once, before the runs start
    each = tuple(wanted)
    tasks = [Task(str(web), topic, seed, each, options, fresh) for topic in topics for seed in random_seeds]
    made = in_processes(
        run_task, tasks, count, lambda done, total: progress(done * len(each), total * len(each))
    )
    return [run for runs in made for run in runs]


def _gets_types(strategy: str | type[BaseStrategy], web: VirtualWeb) -> bool:
    """Whether the lab makes settings of a strategy from the page types of the web."""
    return bool(web.page_types) and has_settings(strategy)


def run_task(task: Task) -> list[Run]:
    """The runs of a task; what was run before with the same web, code and options is read from disk."""
    web = _web(task.web)
    runs = {variant: None if task.fresh else _stored(task, variant, web) for variant in task.variants}
    missing = [variant for variant, run in runs.items() if run is None]
    if missing:
        laboratory = Laboratory(web, task.topic, task.random_seed, task.options)
        laboratory.prepare([variant.strategy for variant in missing])
        for variant in missing:
            runs[variant] = run = laboratory.run(variant)
            _store(task, variant, web, run)
    return [run for run in runs.values() if run is not None]


@lru_cache(maxsize=2)
def _web(path: str) -> CachedWeb:
    return CachedWeb(VirtualWeb.open(Path(path)))


@dataclass(frozen=True, kw_only=True)
class DrawnMeans(CrawlMeans):
    """What a run is prepared with: the training pages of its draw, and nothing that the labels do not give."""

    web: CachedWeb
    draw: Draw
    fitted: dict[str, TextModel] = field(default_factory=dict)

    async def topic(self, spec: TopicSpec) -> TopicModel:
        """The frequent terms of the relevant pages."""
        return self._topic

    @cached_property
    def _topic(self) -> TopicModel:
        examples = self._examples(self.draw.positives)
        vector = topic_vector([page.terms for page in examples], TOPIC_TERMS)
        return TopicModel(
            self.web.language, vector, tuple(examples), tuple(self._examples(self.draw.negatives))
        )

    def classifiers(self, wants: Sequence[str], spec: Spec, topic: TopicModel) -> Mapping[str, TextModel]:
        """All that are wanted, fitted on the relevant and the other pages; each once, whoever wants it."""
        pages = {Label.POSITIVE: topic.examples, Label.NEGATIVE: topic.negatives}
        if missing := sorted(set(wants) - self.fitted.keys()):
            self.fitted.update(fit_models(missing, pages))
        return {name: self.fitted[name] for name in wants}

    def _examples(self, keys: Sequence[int]) -> list[ExamplePage]:
        found = ((key, self.web.document(key)) for key in keys)
        return [example_of(document, key, contexts=True) for key, document in found if document]


class Laboratory:
    """One topic of a web with one draw: models are fitted once and serve all strategies."""

    def __init__(self, web: CachedWeb, topic: str, random_seed: int, options: Options) -> None:
        self.web = web
        self.topic = web.web.topic(topic)
        self.random_seed = random_seed
        self.options = options
        start = [key for key in web.start if key in web.graph]
        drawn = draw_as_user if options.given else draw
        self.draw: Draw = drawn(self.topic, web.pages, web.graph, start, options, random_seed)
        self.preparations: dict[str | type[BaseStrategy], Preparation] = {}

    def prepare(self, strategies: Sequence[str | type[BaseStrategy]]) -> None:
        """Make what the strategies want, of the training pages of the draw or of what a user gives.

        Each has what it wants and nothing that another wants: what a strategy reaches does not depend on what it is
        compared with.
        """
        means: CrawlMeans
        if self.options.given:
            spec = user_spec(self.web, self.topic, self.draw, self.options, self.random_seed)
            means = user_means(self.web, spec)
        else:
            pages = tuple(self.web.url(key) for key in self.draw.positives)
            spec = Spec(
                topic=TopicSpec(examples=pages),
                judge=JudgeSpec(kind="text"),
                random_seed=self.random_seed,
                methods={**sections_in_lab(self.topic, pages), **given_sections(self.options)},
            )
            web = self.web
            means = DrawnMeans(
                Path(), None, web.document_at, lambda _: None, web.language, web=web, draw=self.draw
            )
        for name in strategies:
            wanted = () if name in ORACLES else (name,)
            self.preparations[name] = asyncio.run(prepare(spec, means, wanted))

    def run(self, variant: Variant) -> Run:
        """One run of a strategy; it is prepared for, unless that was done."""
        if variant.strategy not in self.preparations:
            self.prepare([variant.strategy])
        settings, preparation = dict(variant.settings), self.preparations[variant.strategy]
        if variant.strategy in ORACLES:
            strategy = self._oracle(str(variant.strategy)).fit(preparation)
        else:
            typed = [name for name in strategy_names() if _gets_types(name, self.web.web)]
            # A web may have one site with page types, and topics of other sites: those of the site have tags.
            if self.topic.tags and (guide := guide_named(variant.strategy, typed)):
                preparation = replace(preparation, options={guide: self._of_types(guide)})
            strategy = fitted(variant.strategy, {**self._of_types(variant.strategy), **settings}, preparation)
        return run_strategy(
            variant.name, strategy, settings, self.web, self.topic, self.draw, self.options, self.random_seed
        )

    def _of_types(self, strategy: str | type[BaseStrategy]) -> Mapping[str, Any]:
        """What a strategy is given of the page types of the web."""
        if not _gets_types(strategy, self.web.web):
            return {}
        given: Mapping[str, Any] = settings_in_lab(strategy, self.web, self.topic, self.random_seed)
        return given

    def _oracle(self, name: str) -> BaseStrategy:
        graph, targets = self.web.graph, self.draw.targets
        away = distances(graph, targets)
        return Oracle(away) if name == ORACLE else LookAhead(graph, targets, away)


def _place(task: Task, variant: Variant, web: CachedWeb) -> Path:
    assert isinstance(variant.strategy, str)
    told = msgspec.json.encode(
        [
            content_digest(web.web),
            _labels_digest(web),
            all_code_digest(),
            task.topic,
            task.random_seed,
            asdict(task.options),
            variant.strategy,
            list(variant.settings),
            "" if variant.strategy in ORACLES else _code_of(strategy_class(variant.strategy)),
        ]
    )
    return cache_directory() / "runs" / f"{hashlib.blake2b(told, digest_size=16).hexdigest()}.json"


@lru_cache(maxsize=64)  # of the code that is loaded, not of a file that was changed since
def _code_of(kind: type[BaseStrategy]) -> str:
    """A digest of a user's strategy: of its file, and of what it imports from that folder; '' if it is ours."""
    if kind.__module__.startswith("lycosa."):
        return ""
    files = [Path(inspect.getfile(kind)).resolve()]
    root = files[0].parents[kind.__module__.count(".") + (files[0].stem == "__init__")]
    installed = root.name in ("site-packages", "dist-packages")
    for file in files:
        for name in _imported(file, root):
            top = name.split(".")[0]
            if top in ("lycosa", "lycosa_lab") or (installed and top != kind.__module__.split(".")[0]):
                continue
            place = root.joinpath(*name.split("."))
            files += [
                other
                for other in (place.with_name(f"{place.name}.py"), place / "__init__.py")
                if other.is_file() and other not in files
            ]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


def _imported(file: Path, root: Path) -> Iterator[str]:
    """The modules that the import statements of a file may mean, also those in functions."""
    package = file.relative_to(root).parts[:-1]
    for node in ast.walk(ast.parse(file.read_bytes())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inside = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join(filter(None, (*inside, node.module)))
            names = [base, *(f"{base}.{alias.name}".lstrip(".") for alias in node.names)]
        for name in names:
            yield from itertools.accumulate(name.split("."), "{}.{}".format)


def _stored(task: Task, variant: Variant, web: CachedWeb) -> Run | None:
    if not isinstance(variant.strategy, str):  # nothing tells one version of its code from another
        return None
    try:
        return msgspec.json.decode(_place(task, variant, web).read_bytes(), type=Run)
    except (OSError, msgspec.MsgspecError):
        return None


def _store(task: Task, variant: Variant, web: CachedWeb, run: Run) -> None:
    if not isinstance(variant.strategy, str):
        return
    path = _place(task, variant, web)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_bytes(msgspec.json.encode(run))
    draft.replace(path)


@lru_cache(maxsize=8)
def _labels_digest(web: CachedWeb) -> str:
    digest = hashlib.blake2b(digest_size=10)
    for name in ("labels.csv", "web.toml", "events.csv", "page-types.csv"):
        path = web.web.path / name
        digest.update(path.read_bytes() if path.exists() else b"-")
    return digest.hexdigest()


def by_variant(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs of each strategy (with its settings), in their order."""
    grouped: dict[str, list[Run]] = {}
    for run in runs:
        grouped.setdefault(run.strategy, []).append(run)
    return grouped


def chosen_topics(web: VirtualWeb, named: Sequence[str]) -> list[str]:
    """The named topics, or all of them."""
    if not web.topics:
        raise InputError(f"{web.path} has no labels: write {web.path / 'labels.csv'} with url,topic,grade.")
    return [web.topic(name).name for name in named] if named else sorted(web.topics)
