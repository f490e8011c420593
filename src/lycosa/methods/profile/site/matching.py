"""Match path strings with templates: exactly, with extra attributes, or loosely."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from lycosa.page.links.paths import DISPLAY

NEAR = 3
"""This many innermost elements make a loose match: what stands further out may have changed."""

_MARK = re.compile(rf"-(?=(?:{'|'.join(DISPLAY)})/)")

Step = tuple[str, frozenset[str]]


@lru_cache(maxsize=1 << 14)
def steps_of(string: str) -> tuple[Step, ...]:
    """A path string as (tag, display attributes), innermost first.

    >>> [(tag, sorted(marks)) for tag, marks in steps_of("<td><tr-align/left-class/col-4><body>")]
    [('td', []), ('tr', ['align/left', 'class/col-4']), ('body', [])]
    """
    steps = []
    for part in string[1:-1].split("><"):
        tag, *marks = _MARK.split(part)
        steps.append((tag, frozenset(marks)))
    return tuple(steps)


def covers(string: str, template: str) -> bool:
    """Whether a page's path string is the template's, apart from attributes that it has in addition.

    >>> covers("<a><li-class/first-class/tag>", "<a><li-class/tag>")
    True
    >>> covers("<a><li-class/tag>", "<a><li-class/first-class/tag>")
    False
    """
    if string == template:
        return True
    own, wanted = steps_of(string), steps_of(template)
    return len(own) == len(wanted) and _fits(own, wanted)


def covers_loosely(string: str, template: str) -> bool:
    """Whether the innermost elements agree: for templates that changed further out.

    >>> covers_loosely("<a><li-class/tag><div><body><html>", "<a><li-class/tag><body><html>")
    True
    >>> covers_loosely("<a><li-class/user><body><html>", "<a><li-class/tag><body><html>")
    False
    """
    wanted = _near(template)
    own = steps_of(string)
    return bool(wanted) and len(own) >= len(wanted) and _fits(own[: len(wanted)], wanted)


def on_page(strings: Iterable[str], template: str) -> bool:
    """Whether any of a page's path strings covers a template."""
    return any(covers(string, template) for string in strings)


@lru_cache(maxsize=1 << 12)
def _near(template: str) -> tuple[Step, ...]:
    steps = [step for step in steps_of(template) if step[0] not in ("body", "html")]
    # The nearest element that has a mark says most; without any mark, tags alone say too little.
    marked = next((i for i, (_, marks) in enumerate(steps) if marks), None)
    if marked is None:
        return ()
    return tuple(steps[: min(NEAR, marked + 1)])


def _fits(own: tuple[Step, ...], wanted: tuple[Step, ...]) -> bool:
    return all(
        tag == want and marks >= needed for (tag, marks), (want, needed) in zip(own, wanted, strict=True)
    )
