"""Step 0 of an event crawl: from the spec's [event] to an EventModel, saved as models/event.json."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.errors import InputError, SpecError
from lycosa.evidence.topic import topic_vector
from lycosa.evidence.training.pages import document_in
from lycosa.judge.kinds import EventJudge
from lycosa.methods import BaseStrategy
from lycosa.methods.event.model import (
    EventModel,
    Facts,
    event_model,
    load_event,
    page_facts,
    save_event,
    scored_by,
    topic_only,
)
from lycosa.methods.event.table import event_table
from lycosa.methods.preparation import Preparation
from lycosa.page.place_finder import PlaceFinder, installed_finder
from lycosa.prepare.labels import Labelled
from lycosa.prepare.topic import GetDocument, TopicModel, has_topic, judge_of, prepared_topic
from lycosa.spec.sections import EventSpec, JudgeSpec, Spec
from lycosa.store.collection import Collection
from lycosa.values import Refusal, Say


async def prepared_event(
    spec: EventSpec,
    language: str,
    folder: Path,
    models: Path | None,
    get: GetDocument,
    say: Say,
    place_finder: str = "",
) -> EventModel | None:
    """The saved event of this collection, or one made of the spec; None if the spec has no event."""
    saved = models / "event.json" if models else None
    finder = installed_finder(place_finder)
    facts: dict[str, Facts | None] = {}
    if saved and saved.exists():
        model = load_event(saved)
        for where in model.unread:
            facts[where] = await _facts(where, folder, get, language, say, finder)
        if not any(facts.values()):
            return model
    if not spec.pages and not spec.what:
        if spec.where or spec.date:
            raise SpecError("[event] says where or when, but not what. Give it pages or what.")
        return None
    for where in spec.pages:
        if where not in facts:
            facts[where] = await _facts(where, folder, get, language, say, finder)
    unread = tuple(where for where in spec.pages if facts[where] is None)
    model = made_event(spec, language, [found for where in spec.pages if (found := facts[where])], folder)
    model = msgspec.structs.replace(model, unread=unread)
    say(event_table(model))
    if saved:
        saved.parent.mkdir(exist_ok=True)
        save_event(saved, model)
    return model


def made_event(spec: EventSpec, language: str, pages: list[Facts], folder: Path) -> EventModel:
    """The event that the spec and its model pages describe, with the spec's way of scoring."""
    try:
        model = event_model(
            pages,
            what=spec.what,
            where=spec.where,
            date=spec.date.isoformat() if spec.date else "",
            end_date=spec.end_date.isoformat() if spec.end_date else "",
            language=language,
        )
    except ValueError as error:
        raise SpecError(f"[event] {error}. Change that line.") from None
    model = scored_by(model, load_event(folder / spec.model) if spec.model else spec.scoring)
    return topic_only(model) if spec.kind == "outbreak" else model


async def crawl_topic(
    spec: Spec,
    event: EventModel | None,
    folder: Path,
    models: Path | None,
    get: GetDocument,
    say: Say,
    labelled: Callable[[], Labelled] = Labelled,
) -> TopicModel:
    """What a crawl is about: the spec's topic; without one the event's terms, or nothing if every page is wanted."""
    if event and not has_topic(spec.topic):
        return TopicModel(spec.topic.language, topic_vector([event.terms], spec.topic.terms))
    if judge_of(spec).kind == "all" and not has_topic(spec.topic):
        return TopicModel(spec.topic.language, {})
    return await prepared_topic(spec.topic, folder, models, get, say, labelled)


def refuse_no_event(judge: JudgeSpec, event: EventModel | None) -> None:
    """A SpecError where pages are to be judged by an event that the spec does not give."""
    if event is None and judge.kind == "event":
        raise SpecError(
            "[judge] kind is event, but [event] is empty. Give it pages, or what, where and date."
        )


def with_event(ready: Preparation, judge: JudgeSpec, event: EventModel | None) -> Preparation:
    """A preparation that knows the event, and judges by it where the spec asks for that."""
    if event is None or judge.kind != "event":
        return dataclasses.replace(ready, event=event)
    return dataclasses.replace(ready, event=event, judge=EventJudge(event, judge.threshold))


def source_priors(collection: Path, strategy: BaseStrategy) -> dict[str, tuple[float, float]]:
    """What the judged pages of an earlier collection say for and against their sources."""
    found: dict[str, tuple[float, float]] = {}
    with Collection.read(collection) as earlier:
        for source, judgement in earlier.reader.judged_sources():
            credit = strategy.credit(judgement)
            good, bad = found.get(source, (0.0, 0.0))
            found[source] = (good + credit, bad + 1 - credit)
    if not found:
        raise InputError(
            f"{collection} knows nothing of its sources: nothing was crawled. Change [event] source_priors."
        )
    return found


async def _facts(
    where: str, folder: Path, get: GetDocument, language: str, say: Say, finder: PlaceFinder | None
) -> Facts | None:
    """What a model page says; None (and a word about it) if it cannot be had."""
    if (url := urls.parse(where)) is not None:
        document = await get(url)
        if isinstance(document, Refusal):
            say(f"The model page {where} could not be used: {document}. The next run tries it again.")
            return None
        return page_facts(document, names=True)
    return page_facts(document_in(folder / where, language, finder), names=True)
