"""Simulate power cuts, and check that what each leaves on disk is a valid collection.

`writes.c` is loaded into the crawl (LD_PRELOAD; a C compiler is needed) and logs every change of a file and every sync.
After a cut the disk has what was synced; each later write may be there, be there in part, or be missing.

Command line: python -m research.endurance.power [--pages 300] [--cuts 200] [--resumed 20] [--note]
Expected time: a second of CPU for a cut, five for one after which the crawl goes on
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from lycosa.testing import SiteProcess
from research.endurance.kills import contents, crawl_command, pages_in, records_in, write_spec
from research.endurance.noting import write_note
from research.measured import arguments, table

SECTOR = 512
WHOLE = 200
_HEAD = struct.Struct("=c3xIQQ")


class Note(NamedTuple):
    """A change: written (W), truncated (T), created (C), synced (S), renamed (R) or removed (U)."""

    what: str
    path: str
    number: int
    data: bytes


def notes_in(raw: bytes) -> Iterator[Note]:
    """Read the log that `writes.c` made."""
    at = 0
    while at + _HEAD.size <= len(raw):
        what, path, number, length = _HEAD.unpack_from(raw, at)
        at += _HEAD.size
        yield Note(what.decode(), raw[at : at + path].decode(), number, raw[at + path : at + path + length])
        at += path + length


@dataclass
class StoredFile:
    """The synced part of a file, and the changes since."""

    safe: bytearray = field(default_factory=bytearray)
    pending: list[Note] = field(default_factory=list)

    def sync(self) -> None:
        """Mark all changes as synced."""
        for note in self.pending:
            _apply(self.safe, note)
        self.pending.clear()

    def after_a_cut(self, chance: Random) -> bytearray:
        """A possible state of the file: missing, a beginning, or any part of the unsynced changes."""
        found, kind = bytearray(self.safe), chance.randrange(3)
        kept = self.pending[: chance.randrange(len(self.pending) + 1)] if kind == 1 else self.pending
        for note in kept if kind else ():
            if kind == 2 and chance.random() < 0.5:
                continue
            if kind == 2 and note.what == "W" and chance.random() < 0.3:  # torn at a sector
                sectors = chance.randrange(len(note.data) // SECTOR + 1)
                note = note._replace(data=note.data[: sectors * SECTOR])
            _apply(found, note)
        return found


def _apply(content: bytearray, note: Note) -> None:
    if note.what == "W":
        content.extend(bytes(max(0, note.number - len(content))))
        content[note.number : note.number + len(note.data)] = note.data
    elif note.what == "T":
        del content[note.number :]
        content.extend(bytes(max(0, note.number - len(content))))


def disk_after_a_cut(notes: Sequence[Note], chance: Random) -> dict[str, bytes]:
    """Files as they may be after a power cut at this point of the log. Names are never lost."""
    return {path: bytes(file.after_a_cut(chance)) for path, file in _files_after(notes).items()}


def disk_without_a_cut(notes: Sequence[Note]) -> dict[str, bytes]:
    """Files as they are after this point of the log if only the program ends."""
    files = _files_after(notes)
    for file in files.values():
        file.sync()
    return {path: bytes(file.safe) for path, file in files.items()}


def _files_after(notes: Sequence[Note]) -> dict[str, StoredFile]:
    files: dict[str, StoredFile] = {}
    for note in notes:
        if note.what == "S":
            if note.path in files:  # folders are synced too, so names are never lost
                files[note.path].sync()
        elif note.what == "R":
            files[note.data.decode()] = files.pop(note.path, StoredFile())
        elif note.what == "U":
            files.pop(note.path, None)
        else:
            files.setdefault(note.path, StoredFile()).pending.append(note)
    return files


def compiled(folder: Path) -> Path:
    """Compile the shim as a library for LD_PRELOAD."""
    library = folder / "writes.so"
    source = Path(__file__).with_name("writes.c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def noted_crawl(spec: Path, out: Path, folder: Path) -> list[Note]:
    """Crawl with the shim and return its log."""
    log = folder / "notes"
    extra = {"LD_PRELOAD": str(compiled(folder)), "LYCOSA_WRITES_OF": f"{out}/", "LYCOSA_WRITES_TO": str(log)}
    subprocess.run(
        crawl_command(spec, out), check=True, env={**os.environ, **extra}, stdout=subprocess.DEVNULL
    )
    return list(notes_in(log.read_bytes()))


@dataclass
class Result:
    """Result of the cuts: committed pages that are lost, at most and on average, and failures."""

    cuts: int = 0
    resumed: int = 0
    lost: list[int] = field(default_factory=list)
    notes: int = 0
    syncs: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def endure(pages: int, cuts: int, resumed: int) -> Result:
    """Crawl once, cut the power at random points, open the results, and resume some of them to the end."""
    result, begun, chance = Result(), time.monotonic(), Random(cuts)
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        with SiteProcess("research.endurance.kills:faulty_web", pages=pages) as site:
            spec = write_spec(folder, "fused", pages, site)
            out = folder / "crawl"
            notes = noted_crawl(spec, out, folder)
            whole = contents(out)
            result.notes, result.syncs = len(notes), sum(note.what == "S" for note in notes)
            for cut in range(cuts):
                point = chance.randrange(len(notes) // 20, len(notes))
                copy = folder / f"cut{cut}"
                _write(disk_after_a_cut(notes[:point], chance), out, copy)
                goes_on = cut * resumed // cuts != (cut + 1) * resumed // cuts
                _write(disk_without_a_cut(notes[:point]), out, folder / f"end{cut}")
                committed = pages_in(folder / f"end{cut}")
                _look(result, copy, f"cut {cut} after note {point}")
                result.lost.append(committed - pages_in(copy))
                if goes_on:
                    _go_on(result, spec, copy, whole, f"cut {cut} after note {point}")
                shutil.rmtree(copy)
                shutil.rmtree(folder / f"end{cut}")
    result.seconds = time.monotonic() - begun
    return result


def _write(files: dict[str, bytes], out: Path, copy: Path) -> None:
    for part in ("archive", "models"):
        (copy / part).mkdir(parents=True)
    for path, content in files.items():
        to = copy / Path(path).relative_to(out)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(content)


def _look(result: Result, copy: Path, told: str) -> None:
    """Recover the collection as the next run does, and read all of it."""
    result.cuts += 1
    command = [sys.executable, "-m", "lycosa", "index", str(copy), "--workers", "0"]
    if not (copy / "catalogue.db").exists() or not (copy / "catalogue.db").stat().st_size:
        return  # before the first commit: the next run starts from nothing
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        result.wrong.append(f"{told}: {done.stderr.strip()[-300:]}")
        return
    try:
        contents(copy)
        records_in(copy)
    except Exception as error:  # any error is a finding
        result.wrong.append(f"{told}: {type(error).__name__}: {error}")


def _go_on(result: Result, spec: Path, copy: Path, whole: dict[str, object], told: str) -> None:
    before = pages_in(copy)
    done = subprocess.run(crawl_command(spec, copy), capture_output=True, text=True, check=False)
    if done.returncode:
        result.wrong.append(f"{told}: the crawl ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        return
    result.resumed += 1
    found = contents(copy)
    if len(found["pages"]) < before:
        result.wrong.append(f"{told}: {before} pages became {len(found['pages'])}")
    for part, all_of_it in whole.items():
        if found[part] != all_of_it:
            result.wrong.append(f"{told}: other {part}")


def main() -> None:
    """Run, and report failures."""
    parser = arguments(__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--cuts", type=int, default=WHOLE)
    parser.add_argument("--resumed", type=int, default=20)
    parser.add_argument("--note", action="store_true", help="write the figures into research/endurance.md")
    asked = parser.parse_args()
    found = endure(asked.pages, asked.cuts, asked.resumed)
    lost = f"{max(found.lost)}, {sum(found.lost) / len(found.lost):.0f} in the mean"
    heads = [
        "pages",
        "changes of files",
        "syncs",
        "cuts",
        "pages lost at most",
        "crawled on to the end",
        "went wrong",
    ]
    row = [
        f"{asked.pages:,}",
        f"{found.notes:,}",
        f"{found.syncs:,}",
        str(found.cuts),
        lost,
        str(found.resumed),
        str(len(found.wrong)),
    ]
    figures = table(heads, [row])
    print(figures, *found.wrong[:20], f"{found.seconds:.0f} s", sep="\n")
    if asked.note:
        write_note("power", figures, whole="" if found.cuts >= WHOLE else f"makes {WHOLE} cuts")


if __name__ == "__main__":
    main()
