"""Change the number of shards between two runs.

As few slots as possible move, with the state of their sources: URLs, robots.txt, rests, mail. Pages stay in the shard
that archived them; a shard without slots keeps its pages and does not run. The next run finishes an interrupted move
before it fetches anything.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import msgspec

from lycosa.cluster.division.division import (
    Division,
    directories_in,
    division_in,
    note_division,
    shard_directory,
)
from lycosa.cluster.division.slots import SLOTS, Slots, slot_of
from lycosa.collection.shards.moving import Move, ShardCatalogue, rename_collection
from lycosa.collection.writer import lock_directory
from lycosa.errors import CollectionBusy
from lycosa.values import Say

BUSY_S = 120.0
"""Timeout for the collection of a shard, which a dying shard may still lock."""
ADOPTED = ("archive", "models", "crawl.log", "catalogue.db")
"""What a crawl in one process has in its folder and a shard has in its own. The catalogue is last: with it all is there."""


def resize(directory: Path, shards: int, name: str, say: Say) -> bool:
    """See that a crawl that has begun is divided among this many shards; one that has not is left alone.

    Returns whether anything has moved.
    """
    division = division_in(directory)
    if division is None and (directory / "catalogue.db").exists():
        division = Division((0,) * SLOTS, is_adopting=True)
    if division is None:
        return False
    before = division
    if division.is_adopting:
        division = _adopt(directory, division, name, say)
    if division.next_owners:
        say("The last change of the number of shards was cut off: it is finished first.")
        division = _move(directory, division)
    if division.slots.shards != shards:
        division = _begin_move(directory, division, division.slots.among_others(shards), say)
        division = _move(directory, division)
    return division != before


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """The collection of a shard, once nobody else writes it."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            lock = lock_directory(directory)
            break
        except CollectionBusy:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)
    with closing(lock):
        yield


def _adopt(directory: Path, division: Division, name: str, say: Say) -> Division:
    """Make the collection of a crawl in one process the one shard of a divided one."""
    say("This crawl was begun in one process: what it has found becomes its first shard.")
    folder = shard_directory(directory, 0)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ADOPTED[-1]).exists():
        rename_collection(directory, f"{name}-00")
    note_division(directory, division)
    for part in ADOPTED:
        if (directory / part).exists() and not (folder / part).exists():
            (directory / part).rename(folder / part)
    division = msgspec.structs.replace(division, is_adopting=False)
    note_division(directory, division)
    return division


def _begin_move(directory: Path, division: Division, slots: Slots, say: Say) -> Division:
    folders = max(division.shards, slots.shards)
    for shard in range(folders):
        shard_directory(directory, shard).mkdir(parents=True, exist_ok=True)
    changed = sum(ours != theirs for ours, theirs in zip(division.owners, slots.owners, strict=True))
    say(
        f"From {division.slots.shards} shards to {slots.shards}: {changed:,} of {SLOTS:,} slots change hands."
    )
    begun = msgspec.structs.replace(
        division,
        next_owners=slots.owners,
        folders=folders,
        moves=division.moves + 1,
        are_all_taken_over=False,
    )
    note_division(directory, begun)
    return begun


def _move(directory: Path, division: Division) -> Division:
    """Do what is left to do of a move."""
    owners, before = division.next_owners, division.owners
    move = Move(
        division.moves,
        owner_of=lambda source: owners[slot_of(source)],
        is_retired=lambda shard: shard not in owners,
    )
    gained = {(ours, theirs) for ours, theirs in zip(before, owners, strict=True) if ours != theirs}
    with ExitStack() as stack:
        shards: dict[int, ShardCatalogue] = {}
        for number, folder in enumerate(directories_in(directory)):
            stack.enter_context(locked(folder))
            shards[number] = stack.enter_context(closing(ShardCatalogue(folder, number)))
        if not division.are_all_taken_over:
            for sender in shards.values():
                undelivered = sender.undelivered(move, shards)
                for receiver in shards.values():
                    links = undelivered.get(receiver.shard, ())
                    if links or (sender.shard, receiver.shard) in gained:
                        receiver.take_over(sender, move, links)
            division = msgspec.structs.replace(division, are_all_taken_over=True)
            note_division(directory, division)
        for shard in shards.values():
            shard.hand_over(move)
    division = msgspec.structs.replace(division, owners=owners, next_owners=(), are_all_taken_over=False)
    note_division(directory, division)
    return division
