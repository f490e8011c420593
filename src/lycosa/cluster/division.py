"""How a crawl is divided into shards: which shard owns a source, in which folder it is, and how the parts are merged.

NAME/shards.json stores the number of shards, which never changes.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from functools import lru_cache
from pathlib import Path

import msgspec

from lycosa.collection import Counts
from lycosa.collection.catalogue.schema import open_for_reading
from lycosa.collection.labels import FILE as LABELS
from lycosa.collection.shards.mail import correspondence
from lycosa.collection.shards.merge import merge_shards, shares_in
from lycosa.errors import CollectionError, InputError
from lycosa.files import read_file, write_file
from lycosa.urls import authority_of, hash_of, source_of

FILE = "shards.json"
SHARDS = "shards"


@lru_cache(maxsize=50_000)
def _hash_of_source(authority: str) -> int:
    """Cached, because every link is looked up and most go to few hosts."""
    return hash_of(source_of(authority))


class Division(msgspec.Struct, frozen=True):
    """The number of shards of a crawl. Each shard owns the sources that hash to it."""

    shards: int

    def owner_of(self, url: str) -> int:
        """Return the shard that a URL belongs to: the same for ever, on every machine.

        >>> Division(4).owner_of("http://www.example.org/"), Division(4).owner_of("http://example.org:81/a")
        (1, 1)
        """
        return _hash_of_source(authority_of(url)) % self.shards


def shard_directory(directory: Path, shard: int) -> Path:
    """Where the collection of a shard is."""
    return directory / SHARDS / f"{shard:02}"


def division_in(directory: Path) -> Division | None:
    """The division of a collection; None without shards."""
    path = directory / FILE
    try:
        return msgspec.json.decode(read_file(path), type=Division) if path.is_file() else None
    except msgspec.MsgspecError:
        raise CollectionError(
            f"{path} is damaged, or from an earlier version of Lycosa. Make a collection of what the shards have found with: "
            f"lycosa import {directory / SHARDS}/[0-9]* --out NEW"
        ) from None


def note_division(directory: Path, division: Division) -> None:
    """Remember how a collection is divided."""
    directory.mkdir(parents=True, exist_ok=True)
    write_file(directory / FILE, msgspec.json.encode(division))


def directories_in(directory: Path) -> list[Path]:
    """The collections of all shards, in their order; none where there is no shard."""
    division = division_in(directory)
    return [shard_directory(directory, shard) for shard in range(division.shards if division else 0)]


def refuse_lost(directory: Path) -> None:
    """Refuse to go on with a crawl of which a shard is gone: what it had found and what waited there are missing."""
    for shard, folder in enumerate(directories_in(directory)):
        if not folder.is_dir():
            raise CollectionError(
                f"{folder} is gone, with {_held(directory, shard)}. Put it back from a copy; or, to go on without what it "
                f"held, make it anew with: mkdir {folder}"
            )


def _held(directory: Path, shard: int) -> str:
    """What others know of a shard's content: from the last merge, and from its messages."""
    folders, links = directories_in(directory), 0
    for path in folders:
        if (path / "catalogue.db").is_file():
            with closing(open_for_reading(path / "catalogue.db")) as connection:
                links += sum(sent for receiver, sent, _ in correspondence(connection) if receiver == shard)
    held = f"one of {len(folders)} parts of the sources and {links:,} links that others have sent it"
    if not (directory / "catalogue.db").is_file():
        return held
    with closing(open_for_reading(directory / "catalogue.db")) as connection:
        shares = shares_in(connection)
    pages = shares[shard].judged if shard < len(shares) else 0
    return f"{held}; when the shards were last brought together it had {pages:,} pages"


def merge_collection(directory: Path, out: Path | None = None) -> Counts:
    """Bring together what the shards of a crawl have found so far: in its own folder, or as a collection elsewhere.

    A collection elsewhere is one of its own, which a crawl in one process goes on with.
    """
    if division_in(directory) is None:
        raise InputError(f"{directory} has no shards. Name the folder of a crawl that was run with --shards.")
    if out is not None and (out / "catalogue.db").exists():
        raise InputError(f"{out} is already there. Choose another folder with --out.")
    shards = directories_in(directory)
    if missing := [path for path in shards if not (path / "catalogue.db").is_file()]:
        raise CollectionError(
            f"{missing[0]} is missing, with all that this shard has found. Put it back from a copy, or wait until the "
            "shard has begun."
        )
    target = out or directory
    counts = merge_shards(shards, target)
    shutil.copytree(shards[0] / "models", target / "models", dirs_exist_ok=True)
    shutil.copyfile(shards[0] / "crawl.toml", target / "crawl.toml")
    if target != directory and (directory / LABELS).is_file():
        shutil.copyfile(directory / LABELS, target / LABELS)
    return counts
