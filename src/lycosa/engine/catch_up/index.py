"""Computes what a crawl left for later: full-text index, near duplicates, dates, places, names. Pages are read from the
archive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from lycosa.collection.archive.responses import response_of
from lycosa.collection.catalogue.lessons import INDEXED
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.processes.analysis import Analyser, Recipe
from lycosa.engine.processes.recipe import regions_of_spec
from lycosa.engine.processes.workers import analyser_for
from lycosa.errors import NoCollection
from lycosa.files import read_file
from lycosa.methods.lookup import all_settings
from lycosa.page.text.near_duplicates import NearDuplicates
from lycosa.spec.reading import stored_spec
from lycosa.values import Page, Say

BATCH = 200


class Indexed(msgspec.Struct, frozen=True):
    """The number of items added."""

    texts: int = 0
    fingerprints: int = 0
    dates: int = 0
    places: int = 0
    entities: int = 0
    unread: int = 0  # pages that the archive does not have (any more)


def index_collection(directory: Path, workers: int | None = None, *, say: Say = lambda _: None) -> Indexed:
    """Index every judged page that lacks something. Run again, it goes on where it was."""
    spec_text = _spec_text(directory)
    spec = stored_spec(spec_text, all_settings())
    with CollectionWriter.create_or_open(directory, spec_text, name=spec.name) as collection:
        recipe = Recipe(
            language=spec.topic.language,
            max_decoded_bytes=spec.fetch.max_decoded_bytes,
            date=True,
            places=True,
            place_finder=spec.index.place_finder,
            about=regions_of_spec(spec),
            entities=True,
            text=True,
            simhash=True,
        )
        return asyncio.run(_index(collection, recipe, workers, spec.process.deadline_s, say))


def _spec_text(directory: Path) -> str:
    try:
        return read_file(directory / "crawl.toml").decode("utf-8", "replace")
    except OSError:
        raise NoCollection(
            f"{directory} is not a collection: it has no crawl.toml. Name the directory that `lycosa crawl` wrote."
        ) from None


async def _index(
    collection: CollectionWriter, recipe: Recipe, workers: int | None, deadline_s: float, say: Say
) -> Indexed:
    total = Indexed()
    with Collection.open(collection.directory) as reading:
        left = list(_lacking(collection, reading))
        async with analyser_for(recipe, workers, deadline_s) as analyser:
            for done, batch in enumerate(_batches(left, BATCH)):
                pages = await asyncio.gather(*(_analysed(reading, one, analyser) for one in batch))
                with collection.commit():
                    for stored, page in zip(batch, pages, strict=True):
                        total = _add(collection, stored, page, total)
                    collection.catalogue.set_fact(INDEXED, str(batch[-1].id).encode())
                say(f"{min(len(left), (done + 1) * BATCH):,} of {len(left):,} pages")
    with collection.commit():
        _cluster(collection)
    return total


def _lacking(collection: CollectionWriter, reading: Collection) -> Iterator[StoredPage]:
    looked = int(collection.catalogue.fact(INDEXED) or b"0")
    without = {page.id for page in reading.reader.without_text()}
    for page in reading.reader.pages():
        if page.judgement is not None and (page.id > looked or page.id in without):
            yield page


async def _analysed(reading: Collection, stored: StoredPage, analyser: Analyser) -> Page | None:
    fetched = response_of(reading, stored)
    page = await analyser.analyse(fetched) if fetched is not None else None
    return page if isinstance(page, Page) else None


def _add(collection: CollectionWriter, stored: StoredPage, page: Page | None, total: Indexed) -> Indexed:
    if page is None:
        return msgspec.structs.replace(total, unread=total.unread + 1)
    catalogue = collection.catalogue
    texts, fingerprints = total.texts, total.fingerprints
    if page.text and not collection.reader.text(stored.id):
        catalogue.add_text(stored.id, page.title, page.text)
        texts += 1
    if page.simhash and not stored.simhash:
        catalogue.set_fingerprint(stored.id, page.simhash, page.sketch)
        fingerprints += 1
    if page.date_source and not stored.date_source:
        catalogue.set_date(stored.id, page)
    catalogue.set_places(stored.id, page.places)
    catalogue.set_entities(stored.id, page.entities)
    return Indexed(
        texts,
        fingerprints,
        total.dates + bool(page.date and not stored.date),
        total.places + len(page.places),
        total.entities + len(page.entities),
        total.unread,
    )


def _cluster(collection: CollectionWriter) -> None:
    """Name the cluster of every page by its first member, in the order of the crawl."""
    near = NearDuplicates()
    for number, key, simhash, sketch, known in collection.reader.clusters():
        found = near.add(key, simhash, sketch) or 0
        if found != known:
            collection.catalogue.set_cluster(number, found)


def _batches(pages: list[StoredPage], size: int) -> Iterable[list[StoredPage]]:
    return (pages[at : at + size] for at in range(0, len(pages), size))
