"""Step 0 of a crawl: from a spec to its topic, judge and fitted models. Crawl, check and lab prepare with it.

They differ only in their means: what may be fetched, and how classifiers are fitted. What was prepared is saved in the
collection's models/ folder; a resumed crawl uses it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lycosa import urls
from lycosa.errors import InputError, SpecError
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence, topic_vector
from lycosa.learn.judges.custom import CustomJudge, custom_judge
from lycosa.learn.judges.kinds import EveryPage, Judge, TextJudge
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.judges.version import Brief, KnownPage
from lycosa.learn.meaning.encoders import encoder_folder, meaning_of, meanings_of
from lycosa.learn.topic import (
    Labelled,
    TopicModel,
    can_do_without_pages,
    has_topic,
    model_of_language,
    prepared_topic,
    request_of,
)
from lycosa.learn.training.classifiers import fit_in_child, model_path, saved_models
from lycosa.learn.training.examples import ExamplePage
from lycosa.learn.training.text import Label
from lycosa.methods import BaseStrategy, Means, Method, Preparation, Prepared
from lycosa.methods.lookup import (
    fitted,
    guide_named,
    judge_kinds,
    method_of_judge,
    strategy_class,
    wanted_evidence_of,
)
from lycosa.methods.registry import methods
from lycosa.spec.code_files import is_code
from lycosa.spec.sections import JudgeSpec, Spec, TopicSpec

Strategies = Sequence[str | type[BaseStrategy]]


@dataclass(frozen=True, slots=True)
class CrawlMeans(Means):
    """What a crawl is prepared with: the means of its methods, its labels, and where classifiers are saved.

    Missing classifiers are fitted if it `fits`.
    """

    classifiers_in: Path | None = None
    fits: bool = False
    labelled: Callable[[], Labelled] = Labelled

    async def topic(self, spec: TopicSpec) -> TopicModel:
        """The saved topic, or one made of the spec and the labels."""
        return await prepared_topic(spec, self.folder, self.models, self.get, self.say, self.labelled)

    def classifiers(self, wants: Sequence[str], spec: Spec, topic: TopicModel) -> Mapping[str, TextModel]:
        """The wanted classifiers: saved ones, the one that the user named, and newly fitted ones."""
        folder = self.classifiers_in
        found = saved_models(wants, folder) if folder and wants else {}
        if spec.topic.model and "text" not in wants:
            raise SpecError(
                f"[topic] model: neither the strategy {spec.strategy} nor judge.kind = {spec.judge.kind!r} reads a text "
                'classifier. Remove it, or use judge.kind = "text".'
            )
        if spec.topic.model:
            found["text"] = TextModel.load(self.folder / spec.topic.model)
        missing = [name for name in wants if name not in found]
        if missing:
            _refuse_untaught(missing, spec, topic)
        if not missing or not self.fits or folder is None:
            return found
        if not topic.negatives:
            folder.mkdir(parents=True, exist_ok=True)
            model = model_of_language(topic)
            for name in missing:
                model.save(model_path(folder, name))
            return found | dict.fromkeys(missing, model)
        self.say(f"Training on {len(topic.examples)} examples: {', '.join(missing)}.")
        pages = {Label.POSITIVE: topic.examples, Label.NEGATIVE: topic.negatives}
        about = {"language": topic.language, "from": "the examples of the crawl"}
        return found | fit_in_child(missing, pages, folder, about)


def _refuse_untaught(missing: Sequence[str], spec: Spec, topic: TopicModel) -> None:
    """Refuse to train classifiers without the pages that they learn from."""
    by_words = spec.judge.kind != "text" and can_do_without_pages(missing, topic.language)
    if not (topic.negatives or by_words) or (topic.negatives and not topic.examples):
        raise SpecError(
            f"A classifier has to be trained ({', '.join(missing)}) on examples and on pages that are not about the topic. "
            "Name some in topic.examples and topic.negatives, or give a trained [topic] model."
        )


async def prepare(spec: Spec, means: CrawlMeans, strategies: Strategies = ()) -> Preparation:
    """Prepare for the spec's strategy, or for several that share one preparation."""
    strategies, judge = strategies or (spec.strategy,), judge_of(spec)
    made = await _made_by_methods(spec, judge, strategies, means)
    own = {name: each.model for name, each in made.items() if each.model is not None}
    if method_of_judge(judge.kind):
        own_judge(judge, own)  # refuses a section that says too little, before anything else is asked for
    topic = await _topic(spec, judge, made, means)
    wants = wanted_models(strategies, judge)
    models = means.classifiers(wants, spec, topic)
    examples = [where for where in spec.topic.examples if urls.parse(where) and where not in topic.unread]
    return preparation(
        topic,
        judge,
        models,
        spec.random_seed,
        methods=own,
        folder=means.folder,
        options=spec.options,
        missing=tuple(name for name in wants if name not in models),
        source_priors=tuple(each.source_priors for each in made.values() if each.source_priors),
        given=tuple(dict.fromkeys((*examples, *(url for each in made.values() for url in each.pages)))),
    )


async def _made_by_methods(
    spec: Spec, judge: JudgeSpec, strategies: Strategies, means: Means
) -> dict[str, Prepared]:
    """The prepared section of each method that the spec names, by section, judge or strategy."""
    made = {}
    for method in methods():
        prepare, section = method.start.prepare, method.section
        if not prepare or not section or not _is_named(method, spec, judge, strategies):
            continue
        found = await prepare(spec.methods.get(method.name) or section(), means)
        if found is not None:
            made[method.name] = found
    return made


def _is_named(method: Method, spec: Spec, judge: JudgeSpec, strategies: Strategies) -> bool:
    by_strategy = any(name in method.strategies for name in strategies)
    return method.name in spec.methods or judge.kind in method.judges or by_strategy


async def _topic(spec: Spec, judge: JudgeSpec, made: Mapping[str, Prepared], means: CrawlMeans) -> TopicModel:
    """The user's topic; without one that of a method, or none if the judge needs none."""
    language, terms = spec.topic.language, [each.terms for each in made.values() if each.terms]
    if not has_topic(spec.topic):
        excluded = dict.fromkeys(request_of(spec.topic).excluded_terms, 1.0)
        if terms:
            return TopicModel(language, topic_vector(terms, spec.topic.terms), excluded=excluded)
        if judge.kind == "all" or is_code(judge.kind):
            return TopicModel(language, {}, excluded=excluded)
    return await means.topic(spec.topic)


def preparation(
    topic: TopicModel,
    judge: JudgeSpec,
    models: Mapping[str, TextModel] | None = None,
    random_seed: int = 1,
    *,
    methods: Mapping[str, Any] | None = None,
    **more: Any,
) -> Preparation:
    """The input for fitting strategies; `more` are additional fields."""
    labelled = (*((page, True) for page in topic.examples), *((page, False) for page in topic.negatives))
    found, made = models or {}, methods or {}
    encoder = encoder_folder(judge.meaning, topic.language, more.get("folder", Path()))
    return Preparation(
        judge=_judge(judge, topic, found, made, more.get("missing", ()), encoder),
        topic=TopicEvidence(topic.vector, topic.language),
        examples=tuple(page.terms for page in topic.examples),
        models=found,
        random_seed=random_seed,
        methods=made,
        training=tuple((page, relevant) for page, relevant in labelled if page.contexts),
        **more,
    )


def _judge(
    spec: JudgeSpec,
    topic: TopicModel,
    models: Mapping[str, TextModel],
    methods: Mapping[str, Any],
    missing: Sequence[str] = (),
    encoder: str = "",
) -> Judge:
    """The judge that the spec names, restricted to pages of a kind that methods ask for."""
    wanted = wanted_evidence_of(methods)
    judge = EveryPage() if "text" in missing else make_judge(spec, topic, models, methods, encoder)
    return judge.restricted_to(wanted) if wanted else judge


def make_judge(
    spec: JudgeSpec,
    topic: TopicModel,
    models: Mapping[str, TextModel],
    methods: Mapping[str, Any],
    encoder: str = "",
) -> Judge:
    """The judge that the spec names: one of every crawl's, a method's, or one of the user's own."""
    if spec.kind == "text":
        if "text" not in models:
            raise SpecError('[judge] kind = "text" needs [topic] examples to train on, or a trained model.')
        return TextJudge(models["text"], spec.threshold)
    if spec.kind == "all":
        return EveryPage()
    if spec.kind == "topic":
        return LearningJudge(brief_of(topic, spec.threshold, encoder))
    if is_code(spec.kind):
        return custom_judge(spec.kind, topic, spec.threshold)
    judge = own_judge(spec, methods)
    if topic.excluded and (learning := judge.learning):
        learning.brief = msgspec.structs.replace(learning.brief, excluded=topic.excluded)
    return judge


def brief_of(topic: TopicModel, threshold: float | None, encoder: str = "") -> Brief:
    """What a judge of this topic is fitted from. A topic that a method made of words is these words."""

    def known(page: ExamplePage) -> KnownPage:
        return KnownPage(page.key, page.terms, meaning_of(page.lead, encoder) if encoder else b"")

    return Brief(
        language=topic.language,
        keywords=topic.keywords or ({} if topic.examples else topic.vector),
        excluded=topic.excluded,
        is_sentence=topic.is_sentence,
        examples=tuple(map(known, topic.examples)),
        negatives=tuple(map(known, topic.negatives)),
        threshold=threshold,
        meanings=meanings_of(topic.asked, topic.each, encoder) if encoder else None,
    )


def own_judge(spec: JudgeSpec, methods: Mapping[str, Any]) -> Judge:
    """The judge that a method brings, made from what the method prepared."""
    method = method_of_judge(spec.kind)
    if method is None:
        raise SpecError(
            f"[judge] kind: there is no judge {spec.kind!r}. Known are: {', '.join(judge_kinds())}."
        )
    judge = method.judges[spec.kind].make(methods.get(method.name), spec)
    # A method of somebody else may bring a plain class with `judge` instead of a Judge.
    return judge if hasattr(judge, "learning") else CustomJudge(judge)


def fitted_for(spec: Spec, prepared: Preparation) -> BaseStrategy:
    """The spec's strategy, fitted."""
    return fitted(spec.strategy, spec.options.get(spec.strategy, {}), prepared)


def labels_are_answers(spec: Spec) -> bool:
    """Whether labels only teach the judge while it is fitted, so that nothing else depends on them."""
    judge = judge_of(spec)
    return learns(judge.kind) and not wanted_models([spec.strategy], judge)


def learns(kind: str) -> bool:
    """Whether a kind of judge is fitted while it crawls, also on answers."""
    method = method_of_judge(kind)
    return method.judges[kind].learns if method else kind == "topic"


def judge_of(spec: Spec) -> JudgeSpec:
    """The spec's judge; one that takes everything where the strategy, or its guide, judges pages itself."""
    if guide := guide_named(spec.strategy, {*spec.options, *spec.methods}):
        itself = strategy_class(guide).judges_itself
    else:
        itself = strategy_class(spec.strategy).judges_itself and not has_topic(spec.topic)
    return JudgeSpec(kind="all") if itself else spec.judge


def wanted_models(strategies: Strategies, judge: JudgeSpec) -> list[str]:
    """The classifiers that strategies and the judge need."""
    wants = (name for strategy in strategies for name in strategy_class(strategy).wanted(judge.kind))
    return list(dict.fromkeys((*wants, *(["text"] if judge.kind == "text" else []))))


def source_priors(collection: Path, strategy: BaseStrategy) -> dict[str, tuple[float, float]]:
    """What the judged pages of an earlier collection say for and against their sources, as a strategy credits them."""
    from lycosa.collection.collection import Collection  # few specs name one

    found: dict[str, tuple[float, float]] = {}
    with Collection.open(collection) as earlier:
        for source, judgement in earlier.reader.judged_sources():
            credit = strategy.credit(judgement)
            good, bad = found.get(source, (0.0, 0.0))
            found[source] = (good + credit, bad + 1 - credit)
    if not found:
        raise InputError(
            f"{collection} has no judged pages, so it says nothing of sources. Change source_priors in the spec."
        )
    return found
