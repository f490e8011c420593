"""Copy the shards' collections to other storage, and restore a shard from its copy.

A copy holds the catalogue as of one commit, the models, and the archive up to that commit. WARC files are copied once, in
segments named by their byte range. The catalogue is copied last, so an interrupted copy leaves the previous one valid.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from lycosa.cluster.division.division import directories_in, division_in, shard_directory
from lycosa.collection.catalogue.schema import open_for_reading
from lycosa.collection.shards.copying import copy_catalogue, number_on
from lycosa.collection.shards.mail import correspondence
from lycosa.errors import InputError
from lycosa.values import Say

CATALOGUE = "catalogue.db"


class Place(Protocol):
    """Storage for copies. A file is there whole or not at all."""

    def put(self, file: Path, name: str) -> None: ...

    def get(self, name: str, file: Path) -> None: ...

    def names(self, folder: str) -> list[str]:
        """All that is in a folder and below it, as names from there."""
        ...


class Folder:
    """A folder, perhaps of another machine."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, file: Path, name: str) -> None:
        target = self._root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.draft")
        with file.open("rb") as source, draft.open("wb") as copy:
            shutil.copyfileobj(source, copy)
            copy.flush()
            os.fsync(copy.fileno())
        draft.replace(target)

    def get(self, name: str, file: Path) -> None:
        shutil.copyfile(self._root / name, file)

    def names(self, folder: str) -> list[str]:
        root = self._root / folder
        found = (path for path in root.rglob("*") if path.is_file() and not path.name.startswith("."))
        return [path.relative_to(root).as_posix() for path in found]


class Remote:
    """Any storage that fsspec supports."""

    def __init__(self, files: Any, root: str) -> None:
        """`files`: a file system of fsspec."""
        self._files, self._root = files, root.rstrip("/")

    def put(self, file: Path, name: str) -> None:
        self._files.makedirs(f"{self._root}/{name}".rpartition("/")[0], exist_ok=True)
        self._files.put_file(str(file), f"{self._root}/{name}")

    def get(self, name: str, file: Path) -> None:
        self._files.get_file(f"{self._root}/{name}", str(file))

    def names(self, folder: str) -> list[str]:
        root = f"{self._root}/{folder}"
        found = self._files.find(root) if self._files.exists(root) else []
        return [str(path).partition(f"{root.lstrip('/')}/")[2] for path in found]


def place_at(address: str, folder: Path) -> Place:
    """The storage of `cluster.replicate`; relative paths start at the spec's folder."""
    if "://" not in address:
        return Folder(folder / address)
    try:
        import fsspec
    except ImportError:
        raise InputError(
            f"cluster.replicate = {address!r} needs fsspec, which is not installed. Install it with: pip install fsspec, "
            "or name a folder."
        ) from None
    return Remote(*fsspec.core.url_to_fs(address))


class Replica:
    """The copy of one shard."""

    def __init__(self, place: Place, shard: int) -> None:
        self._place = place
        self._folder = f"{shard:02}"

    def copy(self, directory: Path) -> dict[int, int]:
        """Bring the copy up to date; by shard, up to which number it then has what that has sent."""
        there = set(self._place.names(self._folder))
        with tempfile.TemporaryDirectory(prefix="lycosa-") as folder:
            snapshot, segment = Path(folder) / CATALOGUE, Path(folder) / "segment"
            copied = copy_catalogue(directory, snapshot)
            for name, size in copied.files.items():
                self._copy_file(directory / "archive" / name, size, there, segment)
            for path in (directory / "models").rglob("*"):
                name = f"models/{path.relative_to(directory / 'models').as_posix()}"
                if path.is_file() and (name not in there or path.suffix == ".json"):
                    self._place.put(path, f"{self._folder}/{name}")
            self._place.put(snapshot, f"{self._folder}/{CATALOGUE}")
        return copied.taken_in

    def restore(self, directory: Path, taken_in: Mapping[int, int]) -> bool:
        """Make the folder of a shard from its copy; False where there is none.

        `taken_in`: by shard, up to which number that has what this one has sent it.
        """
        names = self._place.names(self._folder)
        if CATALOGUE not in names:
            return False
        draft = directory.with_name(f"{directory.name}.draft")
        shutil.rmtree(draft, ignore_errors=True)
        (draft / "archive").mkdir(parents=True)
        for name in names:
            if name == CATALOGUE or name.startswith("models/"):
                (draft / name).parent.mkdir(parents=True, exist_ok=True)
                self._place.get(f"{self._folder}/{name}", draft / name)
        for name in sorted(name for name in names if name.startswith("archive/")):
            with (draft / "archive" / Path(name).parent.name).open("ab") as warc:
                self._place.get(f"{self._folder}/{name}", draft / "segment")
                warc.write((draft / "segment").read_bytes())
        (draft / "segment").unlink(missing_ok=True)
        number_on(draft / CATALOGUE, taken_in)
        draft.rename(directory)
        return True

    def _copy_file(self, path: Path, size: int | None, there: set[str], segment: Path) -> None:
        """Copy what is new of a WARC file, up to a size."""
        of_file = [name for name in there if name.startswith(f"archive/{path.name}/")]
        begin = max((int(name.rpartition("-")[2]) for name in of_file), default=0)
        end = path.stat().st_size if size is None else size
        if begin >= end:
            return
        with path.open("rb") as warc, segment.open("wb") as part:
            warc.seek(begin)
            part.write(warc.read(end - begin))
        self._place.put(segment, f"{self._folder}/archive/{path.name}/{begin:015}-{end:015}")


def copy_all(directory: Path, place: Place) -> None:
    """Bring the copies of all shards up to date, when sources have moved: an older one would put them back twice, or not at all."""
    for shard, folder in enumerate(directories_in(directory)):
        if (folder / CATALOGUE).is_file():
            Replica(place, shard).copy(folder)


def restore_lost(directory: Path, place: Place, say: Say) -> None:
    """Put back shards whose folders are gone, as far as there are copies of them."""
    if division_in(directory) is None:
        return
    for shard, folder in enumerate(directories_in(directory)):
        if not folder.is_dir() and Replica(place, shard).restore(folder, _taken_in_from(directory, shard)):
            say(f"{folder} was gone: it is put back from its copy, and goes on from there.")


def _taken_in_from(directory: Path, sender: int) -> dict[int, int]:
    """By shard: the number up to which it has received the messages of `sender`."""
    found: dict[int, int] = {}
    for shard in range(len(directories_in(directory))):
        path = shard_directory(directory, shard) / CATALOGUE
        if path.is_file():
            with closing(open_for_reading(path)) as connection:
                found[shard] = sum(
                    taken_in for other, _, taken_in in correspondence(connection) if other == sender
                )
    return found
