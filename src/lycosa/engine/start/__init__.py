"""Step 0 of a crawl: from a spec to topic, judge and fitted models. One `prepare` for crawl, check and lab.

They differ only in their Material: where example pages come from, and whether classifiers are fitted. What was
prepared is saved in the collection's models/ folder; a resumed crawl uses it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lycosa import urls
from lycosa.engine.start.topic import TopicModel, has_topic
from lycosa.errors import SpecError
from lycosa.evidence import Evidence
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence, topic_vector
from lycosa.learn.judges.brief import Brief, KnownPage
from lycosa.learn.judges.kinds import JUDGES, EveryPage, Judge, OfWantedKind, TextJudge
from lycosa.learn.judges.learning import LearningJudge
from lycosa.methods import BaseStrategy, Means, Method, Preparation, Prepared
from lycosa.methods.lookup import (
    guide_named,
    judge_kinds,
    method_of_judge,
    strategy_class,
    wanted_evidence_of,
)
from lycosa.methods.registry import methods
from lycosa.spec.sections import JudgeSpec, Spec


class Material(Protocol):
    """What there is to prepare from."""

    @property
    def means(self) -> Means: ...

    async def topic(self) -> TopicModel:
        """The topic that the user gave."""
        ...

    def classifiers(self, wants: Sequence[str], topic: TopicModel) -> Mapping[str, TextModel]:
        """As many of the wanted classifiers as there are or can be fitted."""
        ...


@dataclass(frozen=True, slots=True)
class Ready:
    """What was prepared. `preparation` is None while classifiers are `missing`, which only a crawl fits.

    `given` are the URLs of the pages that the user gave as right ones, and that could be read.
    """

    topic: TopicModel
    missing: tuple[str, ...]
    preparation: Preparation | None
    source_priors: tuple[Path, ...] = ()
    given: tuple[str, ...] = ()


async def prepare(
    spec: Spec, material: Material, strategies: Sequence[str | type[BaseStrategy]] = ()
) -> Ready:
    """Prepare for the spec's strategy, or for several that share one preparation."""
    strategies, judge = strategies or (spec.strategy,), judge_of(spec)
    made = await _made_by_methods(spec, judge, strategies, material.means)
    own = {name: each.model for name, each in made.items() if each.model is not None}
    if judge.kind not in JUDGES:
        own_judge(judge, own)  # where its section says too little, before anything else is asked for
    topic = await _topic(spec, judge, made, material)
    wants = wanted_models(strategies, judge)
    models = material.classifiers(wants, topic)
    missing = tuple(name for name in wants if name not in models)
    priors = tuple(each.source_priors for each in made.values() if each.source_priors)
    examples = [where for where in spec.topic.examples if urls.parse(where) and where not in topic.unread]
    given = tuple(dict.fromkeys((*examples, *(url for each in made.values() for url in each.pages))))
    if missing:
        return Ready(topic, missing, None, priors, given)
    folder = material.means.folder
    ready = preparation(
        topic, judge, models, spec.random_seed, methods=own, folder=folder, options=spec.options
    )
    return Ready(topic, (), ready, priors, given)


async def _made_by_methods(
    spec: Spec, judge: JudgeSpec, strategies: Sequence[str | type[BaseStrategy]], means: Means
) -> dict[str, Prepared]:
    """What each method that the spec names, by section, judge or strategy, makes of its section."""
    made = {}
    for method in methods():
        prepare, section = method.start.prepare, method.section
        if not prepare or not section or not _is_named(method, spec, judge, strategies):
            continue
        found = await prepare(spec.methods.get(method.name) or section(), means)
        if found is not None:
            made[method.name] = found
    return made


def _is_named(
    method: Method, spec: Spec, judge: JudgeSpec, strategies: Sequence[str | type[BaseStrategy]]
) -> bool:
    by_strategy = any(name in method.strategies for name in strategies)
    return method.name in spec.methods or judge.kind in method.judges or by_strategy


async def _topic(
    spec: Spec, judge: JudgeSpec, made: Mapping[str, Prepared], material: Material
) -> TopicModel:
    """The user's topic; without one that of a method, or none at all if every page is wanted."""
    language, terms = spec.topic.language, [each.terms for each in made.values() if each.terms]
    if not has_topic(spec.topic):
        if terms:
            return TopicModel(language, topic_vector(terms, spec.topic.terms))
        if judge.kind == "all":
            return TopicModel(language, {})
    return await material.topic()


def preparation(
    topic: TopicModel,
    judge: JudgeSpec,
    models: Mapping[str, TextModel] | None = None,
    random_seed: int = 1,
    *,
    methods: Mapping[str, Any] | None = None,
    folder: Path = Path(),
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Preparation:
    """What strategies are fitted from, when all of it is at hand."""
    evidence, fitted, made = TopicEvidence(topic.vector, topic.language), models or {}, methods or {}
    examples = tuple(page.terms for page in topic.examples)
    labelled = (*((page, True) for page in topic.examples), *((page, False) for page in topic.negatives))
    training = tuple((page, relevant) for page, relevant in labelled if page.contexts)
    return Preparation(
        of_wanted_kind(make_judge(judge, topic, fitted, made), wanted_evidence_of(made)),
        evidence,
        examples,
        fitted,
        random_seed,
        made,
        folder,
        training,
        options or {},
    )


def make_judge(
    spec: JudgeSpec, topic: TopicModel, models: Mapping[str, TextModel], methods: Mapping[str, Any]
) -> Judge:
    """The judge that the spec names: one of every crawl's, or a method's own."""
    if spec.kind == "text":
        if "text" not in models:
            raise SpecError('[judge] kind = "text" needs [topic] examples to train on, or a trained model.')
        return TextJudge(models["text"], spec.threshold)
    if spec.kind == "all":
        return EveryPage()
    if spec.kind == "topic":
        return LearningJudge(brief_of(topic, spec.threshold))
    return own_judge(spec, methods)


def of_wanted_kind(judge: Judge, evidence: tuple[Evidence, ...]) -> Judge:
    """The judge, asking for pages of a wanted kind where evidence of that is given."""
    if not evidence:
        return judge
    if isinstance(judge, LearningJudge):
        judge.want(evidence)
        return judge
    return OfWantedKind(judge, evidence)


def brief_of(topic: TopicModel, threshold: float | None) -> Brief:
    """What a judge of this topic is fitted from. A topic that somebody else made of words is these words."""
    return Brief(
        language=topic.language,
        keywords=topic.keywords or ({} if topic.examples else topic.vector),
        examples=tuple(KnownPage(page.key, page.terms) for page in topic.examples),
        negatives=tuple(KnownPage(page.key, page.terms) for page in topic.negatives),
        threshold=threshold,
    )


def own_judge(spec: JudgeSpec, methods: Mapping[str, Any]) -> Judge:
    """The judge that a method brings, made from what the method prepared."""
    method = method_of_judge(spec.kind)
    if method is None:
        raise SpecError(
            f"[judge] kind: there is no judge {spec.kind!r}. Known are: {', '.join(judge_kinds())}."
        )
    return method.judges[spec.kind].make(methods.get(method.name), spec)


def labels_are_answers(spec: Spec) -> bool:
    """Whether labels only tell the judge: then nothing else is stale when they change, and no page is read again."""
    judge = judge_of(spec)
    return _learns(judge.kind) and not wanted_models([spec.strategy], judge)


def _learns(kind: str) -> bool:
    """Whether a kind of judge learns while it crawls, and from answers."""
    method = method_of_judge(kind)
    return method.judges[kind].learns if method else kind == "topic"


def judge_of(spec: Spec) -> JudgeSpec:
    """The spec's judge; one that takes everything if no topic is given to a strategy that judges by itself, or a guide does."""
    if guide := guide_named(spec.strategy, {*spec.options, *spec.methods}):
        itself = strategy_class(guide).judges_itself
    else:
        itself = strategy_class(spec.strategy).judges_itself and not has_topic(spec.topic)
    return JudgeSpec(kind="all") if itself else spec.judge


def wanted_models(strategies: Sequence[str | type[BaseStrategy]], judge: JudgeSpec) -> list[str]:
    """The classifiers that strategies and the judge need."""
    wants = (name for strategy in strategies for name in strategy_class(strategy).wanted(judge.kind))
    return list(dict.fromkeys((*wants, *(["text"] if judge.kind == "text" else []))))
