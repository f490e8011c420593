"""A crawl as a user would begin it, on a virtual web. In: what is given of a topic. Out: its spec and its material.

The spec has the product's defaults; what is made of it is made by the same `prepare` that `lycosa crawl` uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lycosa.errors import InputError
from lycosa.lab.cache import CachedWeb
from lycosa.lab.protocol import Draw, Options
from lycosa.lab.web import Topic
from lycosa.methods import BaseStrategy, Means
from lycosa.methods.lookup import sections_in_lab, starts, strategy_class
from lycosa.prepare.material import CrawlMaterial
from lycosa.spec.sections import JudgeSpec, LimitsSpec, SeedsSpec, Spec, TopicSpec


def user_spec(web: CachedWeb, topic: Topic, draw: Draw, options: Options, random_seed: int) -> Spec:
    """What the user would write: a topic, or the section of the method that such a topic is for."""
    given = options.given
    assert given is not None
    examples = tuple(map(web.url, draw.positives))
    sections = sections_in_lab(topic, examples) if examples else {}
    keywords = topic.keywords if given.keywords else ()
    kinds = [starts()[name].get("judge", {}).get("kind") for name in sections if name in starts()]
    return Spec(
        topic=TopicSpec(keywords=keywords, examples=() if sections else examples, language=web.language),
        seeds=SeedsSpec(urls=tuple(map(web.url, draw.seeds))),
        limits=LimitsSpec(pages=options.pages),
        judge=next((JudgeSpec(kind=kind) for kind in kinds if kind), JudgeSpec()),
        random_seed=random_seed,
        methods=sections,
    )


def user_material(web: CachedWeb, spec: Spec) -> CrawlMaterial:
    """What a first crawl is prepared from: the pages that the spec names, and nothing that was saved before."""
    means = Means(Path(), None, web.document_at, lambda _: None, web.language, spec.index.place_finder)
    return CrawlMaterial(spec.topic, means, Path())


def refuse_untrained(strategies: Iterable[str | type[BaseStrategy]]) -> None:
    """Refuse strategies that want a classifier: nothing that a user gives can train it before the crawl."""
    for strategy in strategies:
        if strategy_class(strategy).wants:
            raise InputError(
                f"{strategy}: its classifier learns from pages that are not relevant, and a user gives none. A crawl gets "
                "them by crawling topic.bootstrap_pages best-first: up to that many pages it is best-first. Leave "
                "--given out, or choose a strategy that needs no training, such as best-first."
            )
