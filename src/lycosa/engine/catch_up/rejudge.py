"""Judging a collection again from its archive, after the strategy, the topic or the judge has changed.

Afterwards every page is judged and ranked as if the new strategy had seen it, and waiting links are scored by it. No
request is made. Pages are judged through `Conclusions`, as in a crawl.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any

from lycosa.collection import Conclusion, Record
from lycosa.collection.archive.responses import response_of
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.known import KnownElsewhere
from lycosa.collection.labels import labels_in
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.conclude import AN_IMAGE, Conclusions
from lycosa.engine.processes.analysis import Analyser
from lycosa.engine.start.prepare import labels_are_answers
from lycosa.engine.watch.callbacks import batches_of
from lycosa.files import read_file
from lycosa.frontier.queued import QueuedFrontier
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.labels import labels_digest
from lycosa.methods.lookup import guide_named
from lycosa.spec.sections import Spec
from lycosa.values import Decision, Fetched, Kind, Page, Reason, Refusal, Say

BATCH = 200
"""Pages of one commit."""
BATCH_BYTES = 50_000_000
"""Bytes of the pages of one commit: they are in memory together."""
_JUDGED_BY, _LEARNED = "judged_by", "judge_learned"

Judging = dict[str, Any]


def judging_of(spec: Spec, directory: Path) -> Judging:
    """The parts of the spec, the labels and the saved models that judgements and refusals follow from."""
    said = {"topic": spec.topic, "judge": spec.judge, **spec.methods}
    sections = {name: table.model_dump(mode="json", exclude_defaults=True) for name, table in said.items()}
    sections["judge"].pop("assistant", None)  # its answers are labels
    options = spec.options.get(spec.strategy, {})
    guide = guide_named(spec.strategy, {*spec.options, *spec.methods})
    bounds = {
        "scope": spec.scope.model_dump(mode="json", exclude_defaults=True),
        "pages_per_host": spec.limits.pages_per_host,
        "pages_per_site": spec.limits.pages_per_site,
        **({"known": spec.archive.known} if spec.archive.known else {}),
        **({"guide": {guide: spec.options.get(guide, {})}} if guide else {}),
    }
    digest = "" if labels_are_answers(spec) else labels_digest(directory)
    labels = {"labels": digest} if digest else {}
    rest = {**sections, **labels, **_models_as_saved(directory), "bounds": bounds}
    return {"strategy": spec.strategy, "options": options, "random_seed": spec.random_seed, **rest}


def _models_as_saved(directory: Path) -> dict[str, str]:
    """Digests of the saved topic and other models that people may edit."""
    found = sorted((directory / "models").glob("*.json"))
    return {path.name: hashlib.sha256(read_file(path)).hexdigest() for path in found}


def is_judged_otherwise(collection: CollectionWriter, now: Judging) -> bool:
    """Whether the pages were judged by another spec or other labels. Stale models are removed."""
    packed = collection.catalogue.fact(_JUDGED_BY)
    if packed is None:
        # Noted before any model is made, so that one of a run that failed is not used.
        with collection.commit():
            note_judging(collection, now)
        return False
    before = json.loads(packed)
    models = collection.directory / "models"
    changed = {name for name in (*before, *now) if (before.get(name) or {}) != (now.get(name) or {})}
    for section in changed:  # what is prepared of a section is called as it is; labels teach the topic
        (models / f"{'topic' if section == 'labels' else section}.json").unlink(missing_ok=True)
    if changed & {"topic", "labels"}:
        for path in models.glob("*.model"):  # fitted on other examples
            path.unlink()
    return bool(changed)


def note_judging(collection: CollectionWriter, now: Judging) -> None:
    """Remember what the pages are judged by; inside `commit`."""
    collection.catalogue.set_fact(_JUDGED_BY, json.dumps(now).encode())


async def learn_labels(judge: Judge, collection: CollectionWriter, analyser: Analyser) -> bool:
    """Teach a user's own judge from labelled pages. Return whether it learned something new."""
    labels = {key: label.relevant for key, label in labels_in(collection.directory).items()}
    stored = [page for key in labels if (page := collection.reader.page(key)) is not None]
    responses = [found for page in stored if (found := response_of(collection, page)) is not None]
    pages = await asyncio.gather(*map(analyser.analyse, responses))
    learned = judge.learn(labels, [page for page in pages if isinstance(page, Page)])
    if (collection.catalogue.fact(_LEARNED) or b"").decode() == learned:
        return False
    with collection.commit():
        collection.catalogue.set_fact(_LEARNED, learned.encode())
    return True


async def rejudge(
    collection: CollectionWriter,
    frontier: QueuedFrontier,
    analyser: Analyser,
    judge: Judge,
    conclusions: Conclusions,
    say: Say,
) -> int:
    """Judge and rank every page again, in the order of their commits. Return their number.

    `conclusions` are `Conclusions.anew` with a `Rewritten` store: their strategy has learned nothing yet, and
    is used up. If this is cut short it has to be done again from the start, and nothing may be taken before.
    """
    batches = batches_of(judge)
    say("The strategy, topic, judge, scope or labels have changed: all pages are judged again.")
    with collection.commit():
        frontier.begin_rescoring()
    await _look_again(collection, analyser, conclusions)
    async for pages in _analysed_again(collection, analyser, _is_judged, conclusions.known):
        judged = await asyncio.gather(*(batches.judge(page) for _, _, page in pages))
        with collection.commit():
            for (stored, fetched, page), judgement in zip(pages, judged, strict=True):
                conclusions.page(page, fetched, stored.at, _lasting(stored.refusal), judged=judgement)
        conclusions.concluded.clear()  # no callback hears of them again
        say(f"Judged again from the archive: {conclusions.tally.pages:,} pages.")
    async for lists in _analysed_again(collection, analyser, _is_list, conclusions.known):
        with collection.commit():
            for _, fetched, page in lists:
                conclusions.listed(page, fetched)
    with collection.commit():
        for hold in frontier.orphans():
            conclusions.settle(hold, None)
        dropped = frontier.end_rescoring()
        collection.catalogue.recount_refused_links()
    if dropped:
        say(f"{dropped:,} waiting links are no longer wanted.")
    return conclusions.tally.pages


class Rewritten:
    """A store that overwrites what was concluded of a page, and archives nothing again."""

    def __init__(self, collection: CollectionWriter) -> None:
        self._collection = collection

    def commit(self) -> AbstractContextManager[None]:
        return self._collection.commit()

    def save(self, record: Record) -> Conclusion:
        self._collection.catalogue.judge_again(record)
        return Conclusion()  # every page counts as new

    def settle(self, decisions: Sequence[Decision]) -> None:
        self._collection.settle(decisions)

    def promote(self, keys: Sequence[int]) -> int:
        return self._collection.promote(keys)

    def kept_page(self, digest: bytes) -> str | None:
        return self._collection.kept_page(digest)


async def _look_again(collection: CollectionWriter, analyser: Analyser, conclusions: Conclusions) -> None:
    """Tell the strategy, before it ranks any page, what its model sees in the archived images."""
    async for images in _analysed_again(collection, analyser, _is_image, conclusions.known):
        with collection.commit():
            for stored, fetched, page in images:
                conclusions.store.save(Record(stored.at, fetched, None, page))
                conclusions.strategy.learn(stored.link, AN_IMAGE, page.evidence)


async def _analysed_again(
    collection: CollectionWriter,
    analyser: Analyser,
    wanted: Callable[[StoredPage], bool],
    known: KnownElsewhere,
) -> AsyncIterator[list[tuple[StoredPage, Fetched, Page]]]:
    """The wanted pages of the archive that can be read, in batches for one commit each."""
    after = 0
    while batch := _batch(collection.reader.pages(after)):
        after = batch[-1].id
        found = [
            (stored, response_of(collection, stored) or known.response(stored))
            for stored in batch
            if wanted(stored)
        ]
        read = [(stored, fetched) for stored, fetched in found if fetched is not None]
        pages = await asyncio.gather(*(analyser.analyse(fetched) for _, fetched in read))
        yield [
            (stored, fetched, page)
            for (stored, fetched), page in zip(read, pages, strict=True)
            if isinstance(page, Page)
        ]


def _batch(pages: Iterator[StoredPage]) -> list[StoredPage]:
    """The next pages of one commit, limited by their number and their bytes."""
    batch: list[StoredPage] = []
    size = 0
    for page in islice(pages, BATCH):
        batch.append(page)
        size += page.bytes
        if size > BATCH_BYTES:
            break
    return batch


def _is_image(page: StoredPage) -> bool:
    return page.kind is Kind.IMAGE and page.status == 200


def _is_list(page: StoredPage) -> bool:
    return page.kind is Kind.LIST and page.status == 200


def _is_judged(page: StoredPage) -> bool:
    return page.kind is Kind.PAGE and page.judgement is not None


def _lasting(refusal: Refusal | None) -> Refusal | None:
    """The refusal if it holds whatever the strategy; others follow from the page itself."""
    return refusal if refusal and refusal.reason is Reason.DUPLICATE else None
