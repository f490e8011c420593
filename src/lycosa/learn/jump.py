"""Notices a version that changes much of what is kept."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Set
from itertools import islice
from pathlib import Path

import msgspec

from lycosa.learn.judges.version import Version
from lycosa.wording import counted

MIN_KEPT, MIN_PAGES = 10, 100
"""With fewer pages kept, or fitted on, versions change much by nature."""
MUCH = 1 / 3
"""Share of the kept pages: a version that removes or adds more than this is a jump."""
TITLES = 3


class Jump(msgspec.Struct, frozen=True):
    """A version, and how much of what the one before kept it changes. While `is_held` that one goes on judging."""

    version: int
    instead_of: int
    kept: int
    joined: int
    left: int
    titles_joined: tuple[str, ...] = ()
    titles_left: tuple[str, ...] = ()
    is_held: bool = False

    def told(self, directory: Path) -> str:
        """For people, with the command that decides.

        >>> print(Jump(7, 6, 46, 0, 43, (), ("Owls", "Barn owl")).told(Path("c")))
        Judge version 7 changed much of what version 6 kept: of 46 pages 43 left ("Owls", "Barn owl", …) and 0 joined. lycosa judge c --undo goes back.
        """
        changed = "would change" if self.is_held else "changed"
        verbs = ("would leave", "would join") if self.is_held else ("left", "joined")
        where = shlex.quote(str(directory))
        advice = (
            f"--accept applies it. Until then version {self.instead_of} judges"
            if self.is_held
            else "--undo goes back"
        )
        return (
            f"Judge version {self.version} {changed} much of what version {self.instead_of} kept: of "
            f"{counted(self.kept, 'page')} {self.left:,} {verbs[0]}{_titles(self.left, self.titles_left)} and "
            f"{self.joined:,} {verbs[1]}{_titles(self.joined, self.titles_joined)}. lycosa judge {where} {advice}."
        )


def jump_between(
    old: Version,
    new: Version,
    before: Set[int],
    now: Mapping[int, bool],
    titles: Callable[[Set[int]], Mapping[int, str]],
) -> Jump | None:
    """The jump from one version to another; None if it is none, or new answers explain it.

    `before` are the pages kept, `now` says of each page that the new version has seen whether it keeps it.
    """
    if old.pages < MIN_PAGES or len(before) < MIN_KEPT or old.said != new.said:
        return None
    left = {key for key in before if not now.get(key, True)}
    joined = {key for key, is_kept in now.items() if is_kept} - before
    if max(len(left), len(joined)) <= MUCH * len(before):
        return None
    first_left, first_joined = (
        tuple(titles(set(islice(sorted(keys), TITLES))).values()) for keys in (left, joined)
    )
    return Jump(new.number, old.number, len(before), len(joined), len(left), first_joined, first_left)


def _titles(number: int, titles: tuple[str, ...]) -> str:
    if not titles:
        return ""
    named = ", ".join(f'"{title}"' for title in titles)
    return f" ({named}{', …' if number > len(titles) else ''})"
