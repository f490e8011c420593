"""Generalise path strings: drop marks that belong to a single page or entry.

Sites write numbers and names into classes (`post-17`, `tag-kite`) and mark odd and even rows. Pages may have more
marks than a template, so a template without them still matches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from lycosa.methods.profile.site.matching import Step, steps_of
from lycosa.page.links.paths import Outline


def general_outlines(
    pages: Sequence[Outline], outermost: Mapping[str, frozenset[str]] | None = None
) -> list[Outline]:
    """The outlines of pages of one type, with path strings that leave out passing marks; see `outermost_marks`."""
    steps = [_steps(page) for page in pages]
    always = outermost or {}
    counts = Counter(mark for page in steps for mark in {(tag, m) for tag, marks in page for m in marks})
    once = {mark for mark, count in counts.items() if count == 1 and len(pages) > 1}
    made_up = len(once) > len(counts) / 2  # a tool writes new names on each page
    found = []
    for page, own in zip(pages, steps, strict=True):
        kept = [(tag, _lasting(tag, marks, once, made_up) & always.get(tag, marks)) for tag, marks in own]
        found.append(_rebuilt(page, _alike(page, kept)))
    return found


def outermost_marks(pages: Sequence[Outline]) -> dict[str, frozenset[str]]:
    """The marks that html and body have on all pages of a site: people may choose a theme."""
    steps = [dict(_steps(page)[:2]) for page in pages]
    return {
        tag: frozenset[str].intersection(*(page.get(tag, frozenset()) for page in steps))
        for tag in ("html", "body")
    }


def _steps(page: Outline) -> list[Step]:
    return [steps_of(page.strings[path])[0] for path in page.paths]


def _lasting(tag: str, marks: frozenset[str], once: set[tuple[str, str]], made_up: bool) -> frozenset[str]:
    """The marks but those of one page only; the last word of an element goes only if it has a number or is made up."""
    rest = frozenset(mark for mark in marks if (tag, mark) not in once)
    if rest or made_up:
        return rest
    return frozenset(mark for mark in marks if not any(map(str.isdigit, mark)))


def _alike(page: Outline, steps: list[Step]) -> list[Step]:
    """Siblings of which some look the same are one family: it keeps the marks that all of them have."""
    families: dict[tuple[int, str], list[int]] = defaultdict(list)
    for element, (tag, _) in enumerate(steps):
        families[page.parents[element], tag].append(element)
    for (_, tag), members in families.items():
        looks = Counter(steps[element][1] for element in members)
        common = frozenset[str].intersection(*looks)
        if 1 < len(looks) < len(members) and common:
            for element in members:
                steps[element] = (tag, common)
    return steps


def _rebuilt(page: Outline, steps: Sequence[Step]) -> Outline:
    numbers: dict[str, int] = {}
    paths: list[int] = []
    strings: list[str] = []
    for element, (parent, (tag, marks)) in enumerate(zip(page.parents, steps, strict=True)):
        if parent >= 0 and page.paths[element] == page.paths[parent]:
            paths.append(paths[parent])  # beyond the caps of path strings
            continue
        outer = strings[paths[parent]] if parent >= 0 else ""
        string = f"<{tag}{''.join(sorted(f'-{mark}' for mark in marks))}>{outer}"
        paths.append(numbers.setdefault(string, len(strings)))
        if paths[-1] == len(strings):
            strings.append(string)
    return msgspec.structs.replace(page, strings=tuple(strings), paths=tuple(paths))
