"""Step 0 of a crawl: from what the user said of the topic to the models that judge and rank.

Example URLs are fetched through the same polite fetcher and archived. What was prepared is saved in
the collection's models/ folder; a resumed crawl reuses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.config import JudgeSpec, TopicSpec
from lycosa.errors import InputError, ModelError, SpecError
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence, topic_vector
from lycosa.page.document import Document
from lycosa.page.terms import count_terms, terms_of
from lycosa.strategies.judges import EveryPage, Judge, TopicJudge
from lycosa.strategies.preparation import Preparation
from lycosa.values import Refusal

GetDocument = Callable[[str], Awaitable[Document | Refusal]]
Say = Callable[[str], None]


class TopicModel(msgspec.Struct, frozen=True):
    """The topic as prepared: saved as models/topic.json, where it can be read and edited."""

    language: str
    vector: dict[str, float]
    examples: tuple[dict[str, int], ...] = ()
    negatives: tuple[dict[str, int], ...] = ()


async def prepared_topic(
    spec: TopicSpec, folder: Path, models: Path | None, get: GetDocument, say: Say
) -> TopicModel:
    """The saved topic of this collection, or one made of keywords, description and examples."""
    saved = models / "topic.json" if models else None
    if saved and saved.exists():
        return load_topic(saved)
    examples = [await _terms(where, folder, get, spec.language, say) for where in spec.examples]
    negatives = [await _terms(where, folder, get, spec.language, say) for where in spec.negatives]
    model = make_topic(spec, [e for e in examples if e], [n for n in negatives if n])
    if saved:
        saved.parent.mkdir(exist_ok=True)
        draft = saved.with_suffix(".draft")
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(model)))
        draft.replace(saved)  # a crash leaves no half of it
    return model


def make_topic(
    spec: TopicSpec, examples: list[dict[str, int]], negatives: list[dict[str, int]]
) -> TopicModel:
    """The topic vector: frequent terms of the examples and the description, and every keyword.

    A keyword counts as often as the most frequent term of the examples, or once without any.
    """
    texts = [*examples]
    if spec.description:
        texts.append(count_terms(spec.description, spec.language))
    vector = topic_vector(texts, spec.terms)
    total = sum((Counter(text) for text in texts), Counter[str]())
    often = max(total.values(), default=1)
    keywords = topic_vector(
        [{term: often} for term in terms_of(" ".join(spec.keywords), spec.language)], 10_000
    )
    vector.update(keywords)
    if not vector:
        raise SpecError(
            "The topic is empty. Give [topic] keywords, a description or examples, "
            'or set judge.kind = "all" to keep every page.'
        )
    return TopicModel(spec.language, vector, tuple(examples), tuple(negatives))


def load_topic(path: Path) -> TopicModel:
    """A saved topic."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=TopicModel)
    except (OSError, msgspec.MsgspecError) as error:
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
    evidence = TopicEvidence(topic.vector, topic.language)
    return Preparation(make_judge(judge, evidence), evidence, topic.examples, models or {}, random_seed)


def make_judge(spec: JudgeSpec, topic: TopicEvidence) -> Judge:
    """The judge that the spec names."""
    if spec.kind == "all":
        return EveryPage()
    if spec.kind == "topic":
        return TopicJudge(topic, spec.threshold, spec.damping)
    raise SpecError(f"[judge] kind: there is no judge {spec.kind!r}. Known are: topic, all.")


async def _terms(where: str, folder: Path, get: GetDocument, language: str, say: Say) -> dict[str, int]:
    """The term counts of an example; empty (and a word about it) if it cannot be had."""
    if (url := urls.parse(where)) is not None:
        document = await get(url)
        if isinstance(document, Refusal):
            say(f"The example {where} could not be used: {document}.")
            return {}
        return dict(document.terms)
    path = folder / where
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"The example {path} cannot be read ({error.strerror}). Paths are relative to the spec's folder."
        ) from None
    kind = "text/plain" if path.suffix in (".txt", ".md") else "text/html"
    return dict(Document(body, "http://example.invalid/", kind, language=language).terms)
