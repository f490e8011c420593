"""The protocol of the lab: what a run trains on, starts from, and is measured against.

Two protocols. As in the papers: training pages and seeds are drawn by the random seed and removed from curve,
budget and targets. As a user (`Options.given`): nothing but keywords and a few examples, which are the seeds.
Recall is over what is reachable from the seeds. Relevance is the web's labels, nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from lycosa.errors import InputError, SpecError
from lycosa_lab.runs.given import Given, parse_given
from lycosa_lab.webs.web import Topic

NEGATIVES_PER_POSITIVE = 4

Graph = Mapping[int, Sequence[int]]
"""Links between pages, by key."""


@dataclass(frozen=True, slots=True)
class Options:
    """How runs are made; recorded with their results.

    With `given` a run has what a user has, and `pages` is the crawl's own limit, examples among them. Nothing is
    trained on then; `seeds` is how many pages are drawn to start from where there are no examples. `sections` are values
    of methods' own sections (`genre.want`), by key by section: they hold for all strategies.
    """

    pages: int = 500
    train_share: float = 0.2
    train_min: int = 10
    seeds: int = 5
    start_from: Literal["seeds", "start", "both"] = "seeds"
    given: Given | None = None
    """From Python also as text: `Options(given="keywords,examples:3")`."""
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.given, str):
            object.__setattr__(self, "given", parse_given(self.given))
        elif not isinstance(self.given, Given | None):
            raise SpecError(f"given={self.given!r}: write it as text, such as 'keywords,examples:3'.")


@dataclass(frozen=True, slots=True)
class Draw:
    """The pages drawn for one run, by key."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]
    seeds: tuple[int, ...]
    targets: frozenset[int]

    @property
    def excluded(self) -> frozenset[int]:
        """Pages left out of all measures: training pages and seeds."""
        return frozenset((*self.positives, *self.negatives, *self.seeds))


def training_size(relevant: int, share: float, least: int) -> int:
    """How many relevant pages train: a share, at least `least` or half of them, never under 3.

    >>> training_size(100, 0.2, 10), training_size(30, 0.2, 10), training_size(12, 0.2, 10)
    (20, 10, 6)
    """
    return max(round(share * relevant), min(least, relevant // 2), min(3, relevant))


def draw(
    topic: Topic,
    pages: Collection[int],
    graph: Graph,
    start: Sequence[int],
    options: Options,
    random_seed: int,
) -> Draw:
    """Draw training pages and seeds for a topic; deterministic."""
    chance = Random(f"{random_seed}/{topic.name}")
    relevant = sorted(topic.relevant() & frozenset(pages))
    if len(relevant) < 4:
        raise InputError(
            f"{topic.name}: only {len(relevant)} relevant pages are in the web; at least 4 are needed. "
            "Choose another topic, or label more pages."
        )
    positives = chance.sample(relevant, training_size(len(relevant), options.train_share, options.train_min))
    others = sorted(set(pages) - topic.relevant())
    negatives = chance.sample(others, min(len(others), NEGATIVES_PER_POSITIVE * len(positives)))
    seeds = _seeds(positives[: options.seeds], start, options)
    targets = _targets(topic, {*relevant}.difference(positives, negatives), graph, seeds, random_seed)
    return Draw(tuple(positives), tuple(negatives), seeds, targets)


def draw_as_user(
    topic: Topic,
    pages: Collection[int],
    graph: Graph,
    start: Sequence[int],
    options: Options,
    random_seed: int,
) -> Draw:
    """Draw the examples that a user gives, from which the crawl starts; without any, only pages to start from.

    Run 1 has the examples that `random.Random(topic).sample(sorted(relevant), n)` draws, so that a crawl made by
    other means can be compared.
    """
    assert options.given is not None
    archived = [url for url, key in topic.relevant_urls.items() if key in pages]
    wanted = options.given.examples or options.seeds
    if len(archived) <= wanted:
        raise InputError(
            f"{topic.name}: only {len(archived)} relevant pages are in the web, and {wanted} are to be given. "
            "Give fewer, or choose another topic."
        )
    chance = Random(topic.name if random_seed == 1 else f"{random_seed}/{topic.name}")
    drawn = [topic.relevant_urls[url] for url in chance.sample(archived, wanted)]
    seeds = _seeds(drawn, start, options)
    examples = tuple(drawn) if options.given.examples else ()
    relevant = (topic.relevant() & frozenset(pages)).difference(examples)
    return Draw(examples, (), seeds, _targets(topic, relevant, graph, seeds, random_seed))


def _seeds(drawn: Sequence[int], start: Sequence[int], options: Options) -> tuple[int, ...]:
    seeds = {"seeds": tuple(drawn), "start": tuple(start), "both": (*drawn, *start)}[options.start_from]
    if not seeds:
        raise InputError("The web names no start pages. Use --from seeds, or add `start` to its web.toml.")
    return seeds


def _targets(
    topic: Topic, relevant: Collection[int], graph: Graph, seeds: Sequence[int], random_seed: int
) -> frozenset[int]:
    """Return the reachable relevant pages."""
    targets = reachable(graph, seeds).intersection(relevant).difference(seeds)
    if not targets:
        raise InputError(
            f"{topic.name}: no relevant page can be reached from the seeds of run {random_seed}. "
            "Try --from both, more --seeds, or another topic."
        )
    return targets


def reachable(graph: Graph, seeds: Collection[int]) -> frozenset[int]:
    """Return all pages reachable from the seeds, seeds included.

    >>> sorted(reachable({1: [2], 2: [3], 4: [1]}, [1]))
    [1, 2, 3]
    """
    seen = set(seeds)
    waiting = list(seeds)
    while waiting:
        for target in graph.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return frozenset(seen)


def distances(graph: Graph, goals: Collection[int]) -> dict[int, int]:
    """Return the number of links from each page to the nearest goal (0 for goals; unreachable pages are absent).

    >>> distances({1: [2], 2: [3], 4: [1]}, [3])
    {3: 0, 2: 1, 1: 2, 4: 3}
    """
    sources: dict[int, list[int]] = {}
    for page, targets in graph.items():
        for target in targets:
            sources.setdefault(target, []).append(page)
    away = dict.fromkeys(goals, 0)
    waiting = list(goals)
    for page in waiting:
        for source in sources.get(page, ()):
            if source not in away:
                away[source] = away[page] + 1
                waiting.append(source)
    return away
