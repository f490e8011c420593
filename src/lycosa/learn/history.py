"""The versions of its judge that a collection keeps: the one in use, earlier ones, and those that were set aside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from lycosa.collection import SetAside
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import ModelError
from lycosa.frontier.rows import has_frontier, urls_waiting
from lycosa.learn.figures import Figures
from lycosa.learn.judges.version import Version, load_version
from lycosa.learn.jump import Jump
from lycosa.learn.labels import labels_digest, verdicts_in
from lycosa.values import Judgement


@dataclass(frozen=True)
class Keeping:
    """What a collection keeps of its judge. `verdicts` are what people say of pages.

    While `is_held` (by an undo), the version in use judges, and none is fitted.
    """

    models: Path | None = None
    number: int = 0  # of the last version
    verdicts: Callable[[], Mapping[int, Judgement]] = dict
    is_held: Callable[[], bool] = lambda: False
    asks: bool = False
    """Somebody is there who can decide on a version that changes much: it is held until then."""


def kept_in(collection: CollectionWriter, *, asks: bool = False) -> Keeping:
    """The stored judge of a collection."""
    directory, aside = collection.directory, collection.reader.set_aside()
    return Keeping(
        directory / "models",
        max(collection.reader.judge_version(), *aside.versions, 0),
        partial(verdicts_in, directory),
        lambda: is_held(directory, aside),
        asks,
    )


def is_held(directory: Path, aside: SetAside) -> bool:
    """Whether an undo still holds: the labels have not changed since."""
    return bool(aside.undone_with) and aside.undone_with == labels_now(directory)


def labels_now(directory: Path) -> str:
    """A digest of the labels of a collection; "none" without any."""
    return labels_digest(directory) or "none"


def figures_of(collection: CollectionWriter | Collection) -> Figures:
    """The figures of a collection as its judge estimates them."""
    version, connection = saved_version(collection), collection.connection
    waiting = urls_waiting(connection) if has_frontier(connection) else None
    return Figures.of(version.estimate if version else None, waiting)


def saved_version(collection: CollectionWriter | Collection) -> Version | None:
    """The version that judged the pages of a collection; None if there is none, or it cannot be read."""
    return _saved(collection, collection.reader.judge_version())


def refused_version(collection: CollectionWriter | Collection) -> Version | None:
    """The newest version, where it was refused or undone; None where the newest one judges."""
    number = max(collection.reader.set_aside().versions, default=0)
    return _saved(collection, number) if number > collection.reader.judge_version() else None


def jump_in(collection: CollectionWriter | Collection) -> Jump | None:
    """The last large change of what a collection keeps, if nobody has decided on it yet."""
    packed = collection.reader.jump()
    return msgspec.json.decode(packed, type=Jump) if packed else None


def jump_told(collection: CollectionWriter | Collection) -> str:
    """The same for people; nothing without any."""
    jump = jump_in(collection)
    return jump.told(collection.directory) if jump else ""


def _saved(collection: CollectionWriter | Collection, number: int) -> Version | None:
    try:
        return load_version(collection.directory / "models", number) if number else None
    except ModelError:
        return None
