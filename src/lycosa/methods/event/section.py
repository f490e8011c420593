"""[event] of a spec: what happened, where and when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lycosa.spec.sections import PLACEHOLDER, Day, Section
from lycosa.wording import counted

START = {
    "": {"strategy": "event"},
    "event": {"pages": [f"{PLACEHOLDER}what-happened"], "about": ""},
    "seeds": {"urls": [PLACEHOLDER], "files": [], "feeds": []},
    "judge": {"kind": "event"},
    "archive": {"requisites": "relevant"},
}
"""What `lycosa init --event` writes out."""


class EventSpec(Section):
    """What happened, where and when: model pages, or words by hand. For the strategy and judge `event`."""

    pages: tuple[str, ...] = ()
    """Model pages about the event: URLs (fetched politely and archived) or files (HTML or text)."""
    about: str = ""
    """The event in one line, a day, a place and a sentence: "2016-06-12, Orlando, Florida: a gunman attacks a nightclub".
    It stands for `date`, `where` and `what`, which go before it where they are given."""
    what: tuple[str, ...] = ()
    """Words for what happened; they join those of the model pages."""
    where: tuple[str, ...] = ()
    """Where it happened ("Orlando, Florida"), instead of the places of the model pages."""
    date: Day | None = None
    """When it happened or began, instead of the dates of the model pages."""
    end_date: Day | None = None
    """When it ended; pages dated in between are all equally near."""
    kind: Literal["", "outbreak"] = ""
    """`outbreak`: place and date do not matter, the topic alone decides."""
    scoring: Literal["ours", "paper"] = "ours"
    """How aspects are compared and weighed: see docs/strategies/event.md."""
    model: str = ""
    """A file written by `lycosa train event`: its weights, sizes and thresholds instead of the defaults."""
    source_priors: str = ""
    """An earlier collection: what its sources gave counts as if this crawl had found it."""


def described(event: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The section of a spec, which a stranger may have written, in one line, and its words for what and where.

    >>> described({"what": ["flood"], "where": ["Marlow"], "date": "2024-05-02", "pages": ["a", "b"]})
    ('flood; in Marlow; on 2024-05-02; as told by 2 model pages', ['flood', 'Marlow'])
    >>> described({"date": "2024-05-02", "end_date": "2024-05-09"}), described({"what": "x"})
    (('from 2024-05-02 to 2024-05-09', []), ('', []))
    >>> described({"about": "2024-05-02, Marlow: the river floods the town"})
    ('2024-05-02, Marlow: the river floods the town', [])
    """
    what, where, pages = (
        [str(one) for one in value] if isinstance(value := event.get(name), list) else []
        for name in ("what", "where", "pages")
    )
    begin, end = event.get("date") or "", event.get("end_date") or ""
    parts = [
        str(event.get("about") or ""),
        ", ".join(what),
        f"in {', '.join(where)}" if where else "",
        (f"from {begin} to {end}" if end else f"on {begin}") if begin else "",
        f"as told by {counted(len(pages), 'model page')}" if pages else "",
    ]
    return "; ".join(filter(None, parts)), [*what, *where]
