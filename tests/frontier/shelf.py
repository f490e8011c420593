"""A second durable backend, a dbm file: what a storage and holds of one's own take."""

import math
import shelve
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from lycosa import urls
from lycosa.frontier import Policy
from lycosa.frontier.choice import Authority, Head
from lycosa.frontier.entry import DONE, LATER, TAKEN, WAITING, Entry
from lycosa.frontier.holds import MemoryHolds
from lycosa.frontier.queued import QueuedFrontier
from lycosa.frontier.storage import Loaded, Weights
from lycosa.values import AGAIN, Kind, Link

Row = tuple[int, int, int, int, float, float | None, Link]
"""(number, key, authority, state, priority, time, link)."""


class ShelfStorage:
    """Rows in a dbm file, with a copy in memory that every selection scans."""

    window = 4

    def __init__(self, path: Path) -> None:
        self.file = shelve.open(str(path))  # noqa: SIM115 (closed with the frontier)
        self._authorities: Sequence[Authority] = ()
        self._rows: dict[int, Row] = self._table("url")
        self._ids = {row[1]: id for id, row in self._rows.items()}
        self._leases: dict[int, int] = self._table("lease")
        self._interrupted: dict[int, int] = self._table("interrupted")

    def _table(self, name: str) -> dict[int, Any]:
        keys = [key for key in self.file if key.startswith(f"{name}:")]
        return dict(sorted((int(key.partition(":")[2]), self.file[key]) for key in keys))

    def load(self, authorities: Sequence[Authority]) -> Loaded:
        self._authorities = authorities
        asked, leases = set(self._leases.values()), len(self._leases)
        for number in asked:
            self._interrupted[number] = self._interrupted.get(number, 0) + 1
            self.file[f"interrupted:{number}"] = self._interrupted[number]
        for id in self._leases:
            del self.file[f"lease:{id}"]
        self._leases.clear()
        waiting: dict[int, tuple[int, int]] = {}
        for row in self._rows.values():
            if row[3] != DONE:
                count, later = waiting.get(row[2], (0, 0))
                waiting[row[2]] = count + 1, later + (row[3] == LATER)
        return Loaded(
            [*self._table("source").values()],
            [*self._table("authority").values()],
            waiting,
            max(self._rows, default=0),
            self.file.get("dropped", {}),
            leases,
            {number: self._interrupted[number] for number in asked},
        )

    def look_up(self, keys: Collection[int]) -> dict[int, Entry]:
        return {key: self.read(self._ids[key]) for key in keys if key in self._ids}

    def entries(self, ids: Collection[int]) -> list[Entry]:
        return [self.read(id) for id in ids]

    def read(self, id: int) -> Entry:
        _, key, authority, state, priority, at, link = self._rows[id]
        found = replace(link, priority=priority)
        return Entry(
            id, key, self._authorities[authority], TAKEN if id in self._leases else state, priority, at,
            link.trail, link.depth, link.attempts, link.kind, found, link.record,
        )  # fmt: skip

    def insert(self, entries: Collection[Entry]) -> None:
        for e in entries:
            assert e.link is not None
            link = replace(
                e.link, depth=e.depth, trail=e.trail, attempts=e.attempts, kind=e.kind, record=e.record
            )
            self._ids[e.key] = e.id
            self._rows[e.id] = row = (e.id, e.key, e.authority.id, e.state, e.priority, e.at, link)
            self.file[f"url:{e.id}"] = row

    update = insert

    def delete(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            del self._rows[entry.id], self._ids[entry.key], self.file[f"url:{entry.id}"]

    def lease(self, entry: Entry) -> None:
        self._leases[entry.id] = self.file[f"lease:{entry.id}"] = entry.authority.id

    def end_lease(self, entry: Entry) -> None:
        del self._leases[entry.id], self.file[f"lease:{entry.id}"]
        if self._interrupted.pop(entry.authority.id, 0):
            del self.file[f"interrupted:{entry.authority.id}"]

    def _select(self, wanted: Callable[[Row], bool], *states: int) -> list[Row]:
        rows = self._rows.values()
        return [row for row in rows if row[3] in states and row[0] not in self._leases and wanted(row)]

    def heads(self, authority: Authority, limit: int) -> list[Head]:
        rows = self._select(lambda row: row[2] == authority.id, WAITING)
        return sorted((-row[4], row[0]) for row in rows)[:limit]

    def later(self, limit: int, *, again: bool) -> list[tuple[float, int]]:
        rows = self._select(lambda row: (row[6].attempts == AGAIN) is again, LATER)
        return sorted((row[5] or 0.0, row[0]) for row in rows)[:limit]

    def worst(self, count: int) -> list[Entry]:
        rows = self._select(lambda row: True, WAITING, LATER)
        return self.entries([-id for _, id in sorted((row[4], -row[0]) for row in rows)[:count]])

    def pages(self, authority: Authority) -> list[Entry]:
        rows = self._select(lambda row: row[2] == authority.id and _is_page(row[6]), WAITING, LATER)
        return self.entries([row[0] for row in rows])

    def _found(self) -> list[Entry]:
        rows = self._select(
            lambda row: _is_page(row[6]) and row[6].parent != 0 and not row[6].redirects, WAITING, LATER
        )
        return self.entries([row[0] for row in rows])

    def sink(self) -> None:
        found = self._found()
        for entry in found:
            entry.priority = -math.inf
        self.update(found)

    def sunk(self, limit: int) -> list[Entry]:
        return [entry for entry in self._found() if entry.priority == -math.inf][:limit]

    def note(
        self,
        authorities: Collection[Authority] = (),
        weights: Collection[Weights] = (),
        dropped: Mapping[str, int] = {},
    ) -> None:
        for a in authorities:
            self.file.setdefault(f"source:{a.source}", (urls.source_of(a.name), 0.0, 0.0))
            row = a.name, a.source, a.may_go_at, a.rest, a.pages, a.done, a.tries
            self.file[f"authority:{a.id}"] = row
        for number, *source in weights:
            self.file[f"source:{number}"] = tuple(source)
        if dropped:
            self.file["dropped"] = self.file.get("dropped", {}) | dropped


class ShelfHolds(MemoryHolds):
    """Holds in memory; `save` stores all of them."""

    def __init__(self, file: shelve.Shelf[Any]) -> None:
        super().__init__()
        vars(self).update(file.get("holds", {}))
        self._file = file

    def save(self) -> None:
        self._file["holds"] = {name: value for name, value in vars(self).items() if name != "_file"}


class ShelfFrontier(QueuedFrontier):
    """A frontier in a dbm file. `close` ends a run."""

    def __init__(self, path: Path, policy: Policy, *, now: float, restart_rest_s: float) -> None:
        self.storage = ShelfStorage(path)
        self.stored_holds = ShelfHolds(self.storage.file)
        super().__init__(self.storage, self.stored_holds, policy, now=now, restart_rest_s=restart_rest_s)

    def close(self) -> None:
        self.stored_holds.save()
        self.storage.file.close()


def _is_page(link: Link) -> bool:
    return link.kind is Kind.PAGE and link.attempts != AGAIN
