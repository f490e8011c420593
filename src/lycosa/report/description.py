"""What a crawl was for, by its own spec. In: a collection. Out: its title, strategy, description, keywords and event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from lycosa.collection.collection import Collection
from lycosa.spec.sections import Spec
from lycosa.wording import counted

EXAMPLES = 10
"""So many are named."""


class Description(msgspec.Struct, frozen=True):
    """The heading of a collection. Whoever wrote the spec, these are strings."""

    title: str
    strategy: str
    description: str
    keywords: list[str]
    event: str  # what happened, where and when, as far as the spec says it
    given: str  # where the crawl was to begin, and how much it was to fetch
    examples: list[str]  # pages that are relevant, by URL or file
    telling_words: list[str]  # those by which the spec says what it is about: marked where pages are read


def described(collection: Collection) -> Description:
    """The heading of a collection; its directory's name where its spec gives none."""
    spec = collection.spec()
    top, topic = spec.get("", {}), spec.get("topic", {})
    keywords, event = _strings(topic.get("keywords")), spec.get("event", {})
    return Description(
        title=str(top.get("name") or collection.directory.name),
        strategy=str(top.get("strategy", Spec.model_fields["strategy"].default)),
        description=str(topic.get("description", "")),
        keywords=keywords,
        event=event_in_words(event),
        given=given_in_words(spec),
        examples=_strings(topic.get("examples"))[:EXAMPLES],
        telling_words=[*keywords, *_strings(event.get("what")), *_strings(event.get("where"))],
    )


def given_in_words(spec: Mapping[str, Mapping[str, Any]]) -> str:
    """Where a crawl begins, and how much it may fetch, as far as its spec says so.

    >>> given_in_words({"topic": {"examples": ["a", "b"]}, "seeds": {"urls": ["c"]}, "limits": {"pages": 1000}})
    '1 seed, 2 example pages, at most 1,000 pages'
    >>> given_in_words({})
    ''
    """
    seeds, limit = spec.get("seeds", {}), spec.get("limits", {}).get("pages")
    counts = {
        "seed": len(_strings(seeds.get("urls"))),
        "list of seeds": len(_strings(seeds.get("files"))),
        "example page": len(_strings(spec.get("topic", {}).get("examples"))),
    }
    parts = [counted(count, what) for what, count in counts.items() if count]
    return ", ".join([*parts, *([f"at most {counted(limit, 'page')}"] if isinstance(limit, int) else [])])


def _strings(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def event_in_words(event: Mapping[str, Any]) -> str:
    """The section [event] of a spec in one line.

    >>> event_in_words({"what": ["flood", "river"], "where": ["Marlow"], "date": "2024-05-02", "pages": ["a", "b"]})
    'flood, river; in Marlow; on 2024-05-02; as told by 2 model pages'
    >>> event_in_words({"date": "2024-05-02", "end_date": "2024-05-09"}), event_in_words({"what": "x"})
    ('from 2024-05-02 to 2024-05-09', '')
    >>> event_in_words({"about": "2024-05-02, Marlow: the river floods the town"})
    '2024-05-02, Marlow: the river floods the town'
    """
    lists = {name: event[name] for name in ("what", "where", "pages") if isinstance(event.get(name), list)}
    begin, end = event.get("date") or "", event.get("end_date") or ""
    parts = [str(event.get("about") or ""), ", ".join(map(str, lists.get("what", ())))]
    parts += [f"in {', '.join(map(str, lists['where']))}"] if lists.get("where") else []
    parts += [f"from {begin} to {end}" if end else f"on {begin}"] if begin else []
    if pages := len(lists.get("pages", ())):
        parts.append(f"as told by {counted(pages, 'model page')}")
    return "; ".join(filter(None, parts))
