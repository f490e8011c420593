"""How a crawl is divided into shards: which shard owns which slots, and in which folder.

NAME/shards.json stores it. It is written when the crawl begins and when slots move.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec

from lycosa.cluster.division.slots import Slots
from lycosa.collection.catalogue.schema import open_for_reading
from lycosa.collection.shards.mail import correspondence
from lycosa.collection.shards.merge import shares_in
from lycosa.errors import CollectionError
from lycosa.files import write_file

FILE = "shards.json"
SHARDS = "shards"


class Division(msgspec.Struct, frozen=True):
    """The division of a crawl, as its folder stores it: the owner of each slot, and unfinished moves."""

    owners: tuple[int, ...]
    folders: int = (
        0  # as many shards as there ever were: those without slots keep the pages that they have found
    )
    moves: int = 0  # how often owners have changed
    next_owners: tuple[int, ...] = ()  # of a move that has begun
    are_all_taken_over: bool = False  # and whether its first half is done
    is_adopting: bool = False  # the collection of a crawl in one process is just becoming the first shard

    @property
    def slots(self) -> Slots:
        """Who owns what, as long as no move has ended."""
        return Slots(self.owners)

    @property
    def shards(self) -> int:
        """Number of shard folders."""
        return max(self.folders, self.slots.shards)


def shard_directory(directory: Path, shard: int) -> Path:
    """Where the collection of a shard is."""
    return directory / SHARDS / f"{shard:02}"


def division_in(directory: Path) -> Division | None:
    """The division of a collection; None without shards."""
    path = directory / FILE
    return msgspec.json.decode(path.read_bytes(), type=Division) if path.is_file() else None


def note_division(directory: Path, division: Division) -> None:
    """Remember how a collection is divided."""
    directory.mkdir(parents=True, exist_ok=True)
    write_file(directory / FILE, msgspec.json.encode(division))


def directories_in(directory: Path) -> list[Path]:
    """The collections of all shards that there ever were, in their order; none where there is no shard."""
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
    division, links = division_in(directory), 0
    assert division is not None
    for path in directories_in(directory):
        if (path / "catalogue.db").is_file():
            with closing(open_for_reading(path / "catalogue.db")) as connection:
                links += sum(sent for receiver, sent, _ in correspondence(connection) if receiver == shard)
    owners = division.owners
    held = f"{owners.count(shard)} of {len(owners)} slots and {links:,} links that others have sent it"
    if not (directory / "catalogue.db").is_file():
        return held
    with closing(open_for_reading(directory / "catalogue.db")) as connection:
        shares = shares_in(connection)
    pages = shares[shard].judged if shard < len(shares) else 0
    return f"{held}; when the shards were last brought together it had {pages:,} pages"
