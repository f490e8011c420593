"""Find the tags that occur with a start tag, in two rounds [Zhang & Nasraoui, 6]."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.errors import InputError, SpecError
from lycosa.files import size_of

_WORD = re.compile(r"\w+")

TagSet = frozenset[str]


class CoTag(msgspec.Struct, frozen=True):
    """A row of the table: how many different tag sets have the tag with a start tag, and at all."""

    tag: str
    together: int
    alone: int  # different tag sets with the tag, those without the start tag too
    phi: float
    round: int


def correlation(together: int, first: int, second: int) -> float:
    """How much more often two tags go together than each alone would make us think.

        φ(T, T1) = n(T ∩ T1) / (n(T) · n(T1))                          [eq. 6]

    Within a sample of items tagged T it is constant, n(T ∩ T1) being n(T1) there: count T1 outside, too.

    >>> correlation(6, 10, 20)
    0.03
    """
    return together / (first * second) if first and second else 0.0


def clean_tag(tag: str) -> str:
    """A tag as it is compared: lower case, one space between words.

    >>> clean_tag("  Heavy   METAL ")
    'heavy metal'
    """
    return " ".join(tag.lower().split())


def words_of_tag(tag: str) -> tuple[str, ...]:
    """The words of a tag, or of a part of a URL: the terms of profiles and topics.

    >>> words_of_tag("Heavy-Metal"), words_of_tag("/heavy+metal")
    (('heavy', 'metal'), ('heavy', 'metal'))
    """
    return tuple(_WORD.findall(tag.lower().replace("_", " ")))


class TopicTags:
    """The tags of a topic. A tag belongs to it if it is one of them, or has all words of one in a row."""

    def __init__(self, tags: Iterable[str]) -> None:
        self.tags = frozenset(clean_tag(tag) for tag in tags)
        self._runs = tuple(sorted({words for tag in self.tags if (words := words_of_tag(tag))}))

    def has(self, tag: str) -> bool:
        """Whether a tag (or a part of a URL) is of the topic.

        >>> metal = TopicTags(["metal"])
        >>> metal.has("Black Metal"), metal.has("metalcore")
        (True, False)
        """
        words = words_of_tag(tag)
        return any(
            words[i : i + len(run)] == run for run in self._runs for i in range(len(words) - len(run) + 1)
        )

    def of(self, tags: Iterable[str]) -> list[str]:
        """Those of the tags that are of the topic."""
        return [tag for tag in tags if self.has(tag)]


def co_tags(
    items: Iterable[Collection[str]],
    start: str,
    *,
    top: int = 15,
    starters: int = 3,
    stop: Collection[str] = (),
    by: str = "count",
    support: int = 3,
    min_phi: float = 0.0,
) -> list[CoTag]:
    """The start tag and the `top` tags that go with it, best first.

    Items with identical tags count once. The `starters` best tags of the first round start a second one, whose
    votes are added. `stop` are noise tags. by: `count` (as the paper's tables), or `phi`, which favours rare tags
    and therefore needs a minimum `support`, and items without the start tag among the items. Tags below `min_phi`
    are left out.
    """
    sets = {frozenset(map(clean_tag, tags)) for tags in items} - {frozenset()}
    alone: Counter[str] = Counter(tag for tags in sets for tag in tags)
    start = clean_tag(start)
    if not alone[start]:
        raise InputError(
            f"No item has the tag {start!r}. Spell it as the site does, start from its list page, or collect more."
        )
    noise = {clean_tag(tag) for tag in stop} | {start}
    first = _round(sets, start, alone, noise, by, support)
    votes: Counter[str] = Counter(dict(first))
    rounds = dict.fromkeys(votes, 1)
    together = Counter(tag for tags in sets if start in tags for tag in tags)
    for starter, _ in first[:starters]:
        # The votes of a starter count by how much of it belongs to the start tag: rock is more than metal.
        trust = together[starter] / alone[starter]
        for tag, vote in _round(sets, starter, alone, noise, by, support):
            votes[tag] += trust * vote  # type: ignore[assignment]
            rounds.setdefault(tag, 2)
    own = alone[start]
    enough = [tag for tag in votes if correlation(together[tag], own, alone[tag]) >= min_phi]
    best = sorted(enough, key=lambda tag: (-votes[tag], tag))[:top]
    return [
        CoTag(start, own, own, correlation(own, own, own), 0),
        *(CoTag(t, together[t], alone[t], correlation(together[t], own, alone[t]), rounds[t]) for t in best),
    ]


def _round(
    sets: Collection[TagSet],
    start: str,
    alone: Mapping[str, int],
    noise: Collection[str],
    by: str,
    support: int,
) -> list[tuple[str, float]]:
    together = Counter(
        tag for tags in sets if start in tags for tag in tags if tag not in noise and tag != start
    )
    kept = {tag: count for tag, count in together.items() if count >= support}
    scored = {
        tag: correlation(count, alone[start], alone[tag]) if by == "phi" else float(count)
        for tag, count in kept.items()
    }
    return sorted(scored.items(), key=lambda item: (-item[1], item[0]))


def write_table(path: Path, rows: Sequence[CoTag]) -> None:
    """Write the table as CSV: delete the lines of tags that do not belong, then name the file in `topic_tags`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("tag", "together", "alone", "phi", "round"))
        table.writerows((row.tag, row.together, row.alone, f"{row.phi:.6f}", row.round) for row in rows)


def tags_given(given: Sequence[str] | str | None, folder: Path) -> Sequence[str]:
    """Tags as a spec says them: a list, or a file (from `folder` on); () for none."""
    if isinstance(given, str) and given:
        return read_tags(folder / given)
    if given and not (isinstance(given, list | tuple) and all(isinstance(tag, str) for tag in given)):
        raise SpecError(
            f"[profile] topic_tags is {given!r}. Write a list of tags, or the name of a file with one tag a line."
        )
    return given or ()


def read_tags(path: Path) -> tuple[str, ...]:
    """The tags of a table, or of a file with one tag a line."""
    try:
        size_of(path)  # it is a file
        with path.open(newline="", encoding="utf-8") as file:
            rows = [
                row[0] for row in csv.reader(file) if row and row[0].strip() and not row[0].startswith("#")
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or error
        raise InputError(f"{path} cannot be read as a table of tags ({why}). Write one tag a line.") from None
    tags = tuple(dict.fromkeys(clean_tag(tag) for tag in (rows[1:] if rows[:1] == ["tag"] else rows)))
    if not tags:
        raise InputError(f"{path} has no tags. Write one tag a line.")
    return tags
