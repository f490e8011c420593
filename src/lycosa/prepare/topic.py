"""Step 0 of a crawl: from what the user said of the topic to the models that judge and rank.

Example URLs are fetched through the same polite fetcher and archived. What was prepared is saved in
the collection's models/ folder; a resumed crawl reuses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.errors import ModelError, SpecError
from lycosa.evidence.model_file import read_json
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence, away_from, topic_vector
from lycosa.evidence.training.fitting import fit_in_child, saved_models
from lycosa.evidence.training.pages import document_in
from lycosa.evidence.training.text import Label
from lycosa.evidence.training.topic import ExamplePage, example_of
from lycosa.judge.kinds import TOPIC_THRESHOLD, EveryPage, Judge, TextJudge, TopicJudge
from lycosa.methods import BaseStrategy, strategy_class
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.page.terms import count_terms, terms_of
from lycosa.prepare.labels import Labelled
from lycosa.spec.sections import JudgeSpec, Spec, TopicSpec
from lycosa.values import Refusal, Say

GetDocument = Callable[[str], Awaitable[Document | Refusal]]


class TopicModel(msgspec.Struct, frozen=True):
    """The topic as prepared: saved as models/topic.json, where it can be read and edited."""

    language: str
    vector: dict[str, float]
    examples: tuple[ExamplePage, ...] = ()
    negatives: tuple[ExamplePage, ...] = ()
    unread: tuple[str, ...] = ()
    """Examples that could not be had; the next run tries them again."""


async def prepared_topic(
    spec: TopicSpec,
    folder: Path,
    models: Path | None,
    get: GetDocument,
    say: Say,
    labelled: Callable[[], Labelled] = Labelled,
) -> TopicModel:
    """The saved topic of this collection, or one made of keywords, description, examples and labels."""
    saved = models / "topic.json" if models else None
    found: dict[str, ExamplePage | None] = {}
    if saved and saved.exists():
        model = load_topic(saved)
        for where in model.unread:
            found[where] = await _example(where, folder, get, spec.language, say)
        if not any(found.values()):
            return model
        for path in saved.parent.glob("*.model"):  # fitted without them
            path.unlink()
    for where in (*spec.examples, *spec.negatives):
        if where not in found:
            found[where] = await _example(where, folder, get, spec.language, say)
    marked = labelled()
    model = make_topic(
        spec,
        [*(page for where in spec.examples if (page := found[where])), *marked.examples],
        [*(page for where in spec.negatives if (page := found[where])), *marked.negatives],
    )
    model = msgspec.structs.replace(model, unread=tuple(where for where, page in found.items() if not page))
    if saved:
        saved.parent.mkdir(exist_ok=True)
        draft = saved.with_suffix(".draft")
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(model)))
        draft.replace(saved)  # a crash leaves no half of it
    return model


def make_topic(
    spec: TopicSpec, examples: Sequence[ExamplePage], negatives: Sequence[ExamplePage]
) -> TopicModel:
    """The topic vector: frequent terms of the examples and the description, and every keyword.

    A keyword counts as often as the most frequent term of the examples, or once without any. Negatives turn
    it away from what they say and the examples do not.
    """
    texts = [page.terms for page in examples]
    if spec.description:
        texts.append(count_terms(spec.description, spec.language))
    vector = topic_vector(texts, spec.terms)
    total = sum((Counter(text) for text in texts), Counter[str]())
    often = max(total.values(), default=1)
    keywords = topic_vector(
        [{term: often} for term in terms_of(" ".join(spec.keywords), spec.language)], 10_000
    )
    vector.update(keywords)
    if negatives:
        vector = away_from(
            vector, [page.terms for page in negatives], [page.terms for page in examples], spec.terms
        )
    if not vector:
        raise SpecError(
            "The topic is empty. Give [topic] keywords, a description or examples, "
            'or set judge.kind = "all" to keep every page.'
        )
    return TopicModel(spec.language, vector, tuple(examples), tuple(negatives))


def load_topic(path: Path) -> TopicModel:
    """A saved topic."""
    try:
        return read_json(path, TopicModel)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{path} cannot be read ({error}). Delete it and the topic is prepared anew."
        ) from None


def preparation(
    topic: TopicModel,
    judge: JudgeSpec,
    models: Mapping[str, TextModel] | None = None,
    random_seed: int = 1,
) -> Preparation:
    """What strategies are fitted from."""
    evidence, fitted = TopicEvidence(topic.vector, topic.language), models or {}
    examples = tuple(page.terms for page in topic.examples)
    return Preparation(make_judge(judge, evidence, fitted), evidence, examples, fitted, random_seed)


def has_topic(spec: TopicSpec) -> bool:
    """Whether the spec says what the crawl is about."""
    return bool(spec.keywords or spec.description or spec.examples)


def judge_of(spec: Spec) -> JudgeSpec:
    """The spec's judge; one that takes everything if no topic is given to a strategy that judges by itself."""
    itself = strategy_class(spec.strategy).judges_itself and not has_topic(spec.topic)
    return JudgeSpec(kind="all") if itself else spec.judge


def wanted_models(strategy: type[BaseStrategy], judge: JudgeSpec) -> list[str]:
    """The classifiers that a strategy and the judge need."""
    return list(dict.fromkeys((*strategy.wants, *(["text"] if judge.kind == "text" else []))))


def given_models(wants: Sequence[str], spec: TopicSpec, folder: Path, models: Path) -> dict[str, TextModel]:
    """Those of the wanted classifiers that the user named or an earlier run fitted."""
    found = saved_models(wants, models)
    if spec.model and "text" in wants:
        found["text"] = TextModel.load(folder / spec.model)
    return found


def fitted_models(
    wants: Sequence[str], topic: TopicModel, unlabelled: Sequence[ExamplePage], models: Path
) -> dict[str, TextModel]:
    """The wanted classifiers, fitted on the topic's examples in a child process and saved."""
    pages = {
        Label.POSITIVE: topic.examples,
        Label.NEGATIVE: topic.negatives,
        Label.UNLABELLED: () if topic.negatives else unlabelled,
    }
    return fit_in_child(
        wants, pages, models, {"language": topic.language, "from": "the examples of the crawl"}
    )


def make_judge(spec: JudgeSpec, topic: TopicEvidence, models: Mapping[str, TextModel] | None = None) -> Judge:
    """The judge that the spec names."""
    if spec.kind == "text":
        if not models or "text" not in models:
            raise SpecError('[judge] kind = "text" needs [topic] examples to train on, or a trained model.')
        return TextJudge(models["text"], spec.threshold)
    if spec.kind in ("all", "event"):  # an event's own judge comes with the event: `with_event`
        return EveryPage()
    if spec.kind == "topic":
        threshold = TOPIC_THRESHOLD if spec.threshold is None else spec.threshold
        return TopicJudge(topic, threshold, spec.damping)
    raise SpecError(f"[judge] kind: there is no judge {spec.kind!r}. Known are: topic, text, event, all.")


async def _example(where: str, folder: Path, get: GetDocument, language: str, say: Say) -> ExamplePage | None:
    """An example page; None (and a word about it) if it cannot be had."""
    if (url := urls.parse(where)) is not None:
        document = await get(url)
        if isinstance(document, Refusal):
            say(f"The example {where} could not be used: {document}. The next run tries it again.")
            return None
        return example_of(document, urls.key_of(url))
    return example_of(document_in(folder / where, language), urls.hash_of(where))
