"""Make the EventModel of a spec's [event] and save it as models/event.json."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.errors import SpecError
from lycosa.learn.judges.version import KnownPage
from lycosa.learn.training.examples import document_in
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
from lycosa.methods.event.section import EventSpec
from lycosa.methods.event.table import event_table
from lycosa.methods.seam import Means, Prepared
from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.places.geocoding import find_places
from lycosa.page.places.place_recognition import PlaceFinder, installed_finder
from lycosa.values import Refusal

_IN_ONE_LINE = re.compile(r"\s*(\d{4}-\d\d-\d\d)\s*,\s*([^:]+?)\s*:\s*(\S.*)", re.DOTALL)


def spread_out(spec: EventSpec) -> EventSpec:
    """The same event with `about` split into date, place and words. Raise SpecError if it cannot be.

    >>> spread_out(EventSpec(about="2016-06-12, Orlando, Florida: a gunman attacks a nightclub")).where
    ('Orlando, Florida',)
    """
    if not spec.about:
        return spec
    line = _IN_ONE_LINE.fullmatch(spec.about)
    try:
        day = datetime.date.fromisoformat(line[1]) if line else None
    except ValueError:
        day = None
    if line is None or day is None:
        raise SpecError(
            f"[event] about: {spec.about!r} is not a day, a place and a sentence. Write it as "
            '"2016-06-12, Orlando, Florida: a gunman attacks a nightclub".'
        )
    found = {
        "about": "",
        "date": spec.date or day,
        "where": spec.where or (line[2],),
        "what": spec.what or (line[3],),
    }
    return spec.model_copy(update=found)


async def prepare(spec: EventSpec, means: Means) -> Prepared | None:
    """The event for strategies and judges; its terms replace the topic if the spec gives none."""
    spec = spread_out(spec)
    model = await prepared_event(spec, means)
    priors = means.folder / spec.source_priors if spec.source_priors else None
    if model is None:
        return Prepared(None, source_priors=priors) if priors else None
    pages = tuple(where for where in spec.pages if urls.parse(where) and where not in model.unread)
    return Prepared(model, model.telling_terms, priors, pages)


async def prepared_event(spec: EventSpec, means: Means) -> EventModel | None:
    """The saved event of this collection, or one made of the spec; None if the spec has no event."""
    saved = means.models / "event.json" if means.models else None
    finder = installed_finder(means.place_finder)
    found: dict[str, _Read | None] = {}
    if saved and saved.exists():
        model = load_event(saved)
        for where in model.unread:
            found[where] = await _read(where, means, finder)
        if not any(found.values()):
            return model
    if not spec.pages and not spec.what:
        if spec.where or spec.date:
            raise SpecError("[event] says where or when, but not what. Give it pages or what.")
        return None
    for doubt in unknown_places(spec.where):
        means.say(doubt)
    for where in spec.pages:
        if where not in found:
            found[where] = await _read(where, means, finder)
    unread = tuple(where for where in spec.pages if found[where] is None)
    read = [page for where in spec.pages if (page := found[where])]
    model = made_event(spec, means.language, [page.facts for page in read], means.folder)
    model = msgspec.structs.replace(model, unread=unread, examples=tuple(page.known for page in read))
    means.say(event_table(model))
    return _saved(saved, model)


def _saved(path: Path | None, model: EventModel) -> EventModel:
    if path:
        path.parent.mkdir(exist_ok=True)
        save_event(path, model)
    return model


def unknown_places(where: Sequence[str]) -> Iterator[str]:
    """A warning for each part of [event] where that no gazetteer knows.

    >>> list(unknown_places(["Alexandira, Egypt"]))
    ['[event] where: Alexandira: no such place is known; did you mean Alexandria?']
    """
    known = gazetteer()
    for part in (part.strip() for name in where for part in name.split(",")):
        found = known.named(part) or known.named(part.title()) or find_places(f"It was in {part}.", known)
        if part and not any(place.lat is not None for place in found):
            like = known.like(part.title())
            advice = (
                f"did you mean {like}?"
                if like
                else "pages match where they name it alike. Check the spelling."
            )
            yield f"[event] where: {part}: no such place is known; {advice}"


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


class _Read(msgspec.Struct, frozen=True):
    """A model page: what it says of the event, and all of its words."""

    facts: Facts
    known: KnownPage


async def _read(where: str, means: Means, finder: PlaceFinder | None) -> _Read | None:
    """A model page; None, with a message, if it cannot be read."""
    if (url := urls.parse(where)) is not None:
        document = await means.get(url)
        if isinstance(document, Refusal):
            means.say(f"The model page {where} could not be used: {document}. The next run tries it again.")
            return None
        key = document.key  # where it was found in the end
    else:
        document, key = document_in(means.folder / where, means.language, finder), urls.hash_of(where)
    return _Read(page_facts(document, names=True), KnownPage(key, dict(document.terms)))
