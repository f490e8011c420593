"""A crawl as a user would start it, on a virtual web.

The spec has the product's defaults; what is made of it is made by the same `prepare` that `lycosa crawl` uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lycosa.engine.start.prepare import CrawlMeans
from lycosa.errors import InputError
from lycosa.evidence.text_model import TextModel
from lycosa.learn.meaning.encoders import AUTO, NONE
from lycosa.learn.topic import OF_WORDS, TopicModel, model_of_language
from lycosa.methods import BaseStrategy
from lycosa.methods.lookup import section_class, starts, strategy_class
from lycosa.spec.sections import JudgeSpec, LimitsSpec, Section, SeedsSpec, Spec, TopicSpec
from lycosa_lab.runs.of_methods import sections_in_lab
from lycosa_lab.runs.protocol import Draw, Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import Topic


def user_spec(web: CachedWeb, topic: Topic, draw: Draw, options: Options, random_seed: int) -> Spec:
    """What the user would write: a topic, or the section of the method that such a topic is for."""
    given = options.given
    assert given is not None
    examples = tuple(map(web.url, draw.positives))
    sections = sections_in_lab(topic, examples) if examples else {}
    keywords = topic.keywords if given.keywords else ()
    description = topic.description if given.description else ""
    meaning = AUTO if given.meaning else NONE
    kinds = [starts()[name].get("judge", {}).get("kind") for name in sections if name in starts()]
    return Spec(
        topic=TopicSpec(
            keywords=keywords,
            description=description,
            examples=() if sections else examples,
            language=web.language,
        ),
        seeds=SeedsSpec(urls=tuple(map(web.url, draw.seeds))),
        limits=LimitsSpec(pages=options.pages),
        judge=next((JudgeSpec(kind=kind) for kind in kinds if kind), JudgeSpec(meaning=meaning)),
        random_seed=random_seed,
        methods={**sections, **given_sections(options)},
    )


def given_sections(options: Options) -> dict[str, Section]:
    """The methods' own sections that were set for all strategies."""
    found = {}
    for name, values in options.sections.items():
        kind = section_class(name)
        assert kind is not None  # they were checked when they were read
        found[name] = kind(**values)
    return found


class UserMeans(CrawlMeans):
    """What a first crawl is prepared with: the pages that the spec names, and no classifier that was saved before."""

    def classifiers(self, wants: Sequence[str], spec: Spec, topic: TopicModel) -> Mapping[str, TextModel]:
        """Those that the words of the language stand for."""
        return dict.fromkeys(wants, model_of_language(topic)) if wants else {}


def user_means(web: CachedWeb, spec: Spec) -> UserMeans:
    """The means of a crawl of this web, which reads every page from it."""
    return UserMeans(Path(), None, web.document_at, lambda _: None, web.language, spec.index.place_finder)


def refuse_untrained(strategies: Iterable[str | type[BaseStrategy]]) -> None:
    """Refuse strategies whose classifier nothing that a user gives can train before the crawl."""
    for strategy in strategies:
        if not OF_WORDS.issuperset(strategy_class(strategy).wants):
            raise InputError(
                f"{strategy}: its classifier learns from pages that are not about the topic, and a user gives none. "
                "Leave --given out, or choose a strategy that needs none, such as selective."
            )
