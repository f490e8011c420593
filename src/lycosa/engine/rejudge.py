"""Judging a collection anew from its archive: after the strategy, the topic or the judge has changed.

In: an open collection and its frontier. Out: the same, with every page judged and ranked as if the new
strategy had seen it, and what waits scored by it. No request is made.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from lycosa.engine.admission import Follow
from lycosa.engine.analysis import Analyser
from lycosa.frontier.queued import QueuedFrontier
from lycosa.methods import BaseStrategy
from lycosa.prepare.labels import labels_as_used, verdict_of
from lycosa.spec.sections import Spec
from lycosa.store import Record
from lycosa.store.collection import Collection
from lycosa.store.labels import labels_in
from lycosa.store.reader import StoredPage
from lycosa.store.refused_links import recount_refused_links
from lycosa.store.responses import response_of
from lycosa.values import Decision, Fetched, Judgement, Kind, Page, Reason, Refusal, Release, Say

BATCH = 200
"""Pages of one commit."""
BATCH_BYTES = 50_000_000
"""Fewer pages where these are large: they are in memory together."""
MODELS = {"topic": "topic.json", "event": "event.json", "labels": "topic.json"}
"""What is prepared of which section of the spec, or of people's labels."""
_JUDGED_BY = "judged_by"

Judging = dict[str, Any]


def judging_of(spec: Spec, directory: Path) -> Judging:
    """All of a spec, the labels and the models as they are saved, that judgements and refusals follow from."""
    sections = {
        name: getattr(spec, name).model_dump(mode="json", exclude_defaults=True)
        for name in ("topic", "event", "judge")
    }
    options = spec.options.get(spec.strategy, {})
    bounds = {
        "scope": spec.scope.model_dump(mode="json", exclude_defaults=True),
        "pages_per_host": spec.limits.pages_per_host,
        "pages_per_site": spec.limits.pages_per_site,
    }
    rest = {**sections, **labels_as_used(directory), **_models_as_saved(directory), "bounds": bounds}
    return {"strategy": spec.strategy, "options": options, "random_seed": spec.random_seed, **rest}


def _models_as_saved(directory: Path) -> dict[str, str]:
    """What tells the saved topic and event, which people may edit, from others; empty while there are none."""
    found = {name: directory / "models" / name for name in sorted(set(MODELS.values()))}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found.items() if path.is_file()
    }


def is_judged_otherwise(collection: Collection, now: Judging) -> bool:
    """Whether the pages were judged by another spec or other labels; models that it made stale are removed."""
    packed = collection.catalogue.fact(_JUDGED_BY)
    if packed is None:
        # Nothing is judged yet. Noted before any model is made, so that one of a run that failed is not used.
        with collection.commit():
            note_judging(collection, now)
        return False
    before = json.loads(packed)
    models = collection.directory / "models"
    for section, model in MODELS.items():
        if before.get(section) != now.get(section):
            (models / model).unlink(missing_ok=True)
    if any(before.get(name) != now.get(name) for name in ("topic", "labels")):
        for path in models.glob("*.model"):  # fitted on other examples
            path.unlink()
    return bool(before != now)


def note_judging(collection: Collection, now: Judging) -> None:
    """Remember what the pages are judged by; inside `commit`."""
    collection.catalogue.set_fact(_JUDGED_BY, json.dumps(now).encode())


async def rejudge(
    collection: Collection,
    frontier: QueuedFrontier,
    analyser: Analyser,
    strategy: BaseStrategy,
    follow: Follow,
    say: Say,
) -> int:
    """Judge and rank every page again, in the order of their commits. Returns how many.

    `strategy` is a fitted one that has learned nothing yet, and is used up: it learns on the way. If
    this is cut short it has to be done again from the start, and nothing may be taken before.
    """
    judged = _Rejudged(collection, frontier, strategy, follow)
    say("The strategy, topic, judge, scope or labels have changed: all pages are judged again.")
    with collection.commit():
        frontier.begin_rescoring()
    await _look_again(collection, analyser, strategy)
    after = 0
    while batch := _batch(collection.reader.pages(after)):
        after = batch[-1].id
        found = [(page, response_of(collection, page)) for page in batch if _is_judged(page)]
        pages = [(stored, fetched) for stored, fetched in found if fetched is not None]
        analysed = await asyncio.gather(*(analyser.analyse(fetched) for _, fetched in pages))
        with collection.commit():
            for (stored, fetched), page in zip(pages, analysed, strict=True):
                if isinstance(page, Page):
                    judged.conclude(stored, fetched, page)
        say(f"Judged again from the archive: {judged.pages:,} pages.")
    with collection.commit():
        for hold in frontier.orphans():
            judged.settle(hold, None)
        dropped = frontier.end_rescoring()
        recount_refused_links(collection.connection)
    if dropped:
        say(f"{dropped:,} waiting links are no longer wanted.")
    return judged.pages


async def _look_again(collection: Collection, analyser: Analyser, strategy: BaseStrategy) -> None:
    """Let the strategy know, before it ranks any page, what the archived images show to its model."""
    after = 0
    while batch := _batch(collection.reader.pages(after)):
        after = batch[-1].id
        found = [(page, response_of(collection, page)) for page in batch if page.kind is Kind.IMAGE]
        images = [(stored, fetched) for stored, fetched in found if fetched and fetched.status == 200]
        analysed = await asyncio.gather(*(analyser.analyse(fetched) for _, fetched in images))
        with collection.commit():
            for (stored, fetched), page in zip(images, analysed, strict=True):
                if isinstance(page, Page):
                    collection.catalogue.judge_again(Record(stored.at, fetched, None, page), stored.capture)
                    strategy.learn(stored.link, Judgement(False, 0.0, "an image"), page.evidence)


class _Rejudged:
    """The conclusions of the new strategy, written over the old ones."""

    def __init__(
        self, collection: Collection, frontier: QueuedFrontier, strategy: BaseStrategy, follow: Follow
    ) -> None:
        self.collection = collection
        self.frontier = frontier
        self.strategy = strategy
        self.follow = follow
        self.labels = labels_in(collection.directory)
        self.pages = 0

    def conclude(self, stored: StoredPage, fetched: Fetched, page: Page) -> None:
        """Judge, rank and save a page again, as the loop does."""
        judgement = verdict_of(self.labels.get(stored.link.key)) or self.strategy.judge(page)
        refusal = self.follow.scope.refuse_page(page) or _lasting(stored.refusal)
        steps: Sequence[Decision | Release] = ()
        if refusal:
            judgement = Judgement(False, judgement.score, refusal.reason.name.lower())
        else:
            steps = self.strategy.rank(page, judgement)
        decisions = self.follow.admit([step for step in steps if isinstance(step, Decision)], page)
        record = Record(
            stored.at,
            fetched,
            None,
            page,
            judgement,
            refusal,
            decisions,
            stored.explored,
            stored.near_duplicate_of,
        )
        self.collection.catalogue.judge_again(record, stored.capture)
        self.strategy.learn(stored.link, judgement, page.evidence)
        self._add((*decisions, *self.follow.requisites(page, judgement)))
        for step in steps:
            if isinstance(step, Release):
                self.settle(step.hold, step.value)
        self.pages += 1

    def settle(self, hold: str, value: float | None) -> None:
        """Decide on held links. Only `rejudge` says when a hold waits in vain: its page may come yet."""
        decisions = self.follow.admit(self.strategy.settle(self.frontier.release(hold), value))
        self.collection.settle(decisions)
        self._add(decisions)

    def _add(self, decisions: Sequence[Decision]) -> None:
        added = self.frontier.add(decisions, self.strategy.merge)
        if added.promoted:
            self.collection.promote(added.promoted)


def _batch(pages: Iterator[StoredPage]) -> list[StoredPage]:
    """The next pages of one commit: so many, or as many bytes."""
    batch: list[StoredPage] = []
    size = 0
    for page in islice(pages, BATCH):
        batch.append(page)
        size += page.bytes
        if size > BATCH_BYTES:
            break
    return batch


def _is_judged(page: StoredPage) -> bool:
    return page.kind is Kind.PAGE and page.judgement is not None


def _lasting(refusal: Refusal | None) -> Refusal | None:
    """What stays refused whatever the strategy; the rest follows from the page itself."""
    return refusal if refusal and refusal.reason is Reason.DUPLICATE else None
