"""Describe what a crawl was for, by its spec: title, strategy, description, keywords and the sections of methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from lycosa.collection.collection import Collection
from lycosa.methods.registry import methods
from lycosa.spec.sections import Spec
from lycosa.wording import counted

EXAMPLES = 10
"""Maximum number of examples listed."""


class Description(msgspec.Struct, frozen=True):
    """The heading of a collection."""

    title: str
    strategy: str
    description: str
    keywords: list[str]
    sections: dict[str, str]  # the sections of methods in one line each, by name
    given: str  # where the crawl was to begin, and how much it was to fetch
    examples: list[str]  # pages that are relevant, by URL or file
    telling_words: list[str]  # the spec's words for its topic, highlighted in pages


def described(collection: Collection) -> Description:
    """Return the heading of a collection; the title is its folder's name if the spec has none."""
    spec = collection.spec()
    top, topic = spec.get("", {}), spec.get("topic", {})
    keywords = _strings(topic.get("keywords"))
    own = {
        each.name: each.report.describe(spec.get(each.name, {})) for each in methods() if each.report.describe
    }
    return Description(
        title=str(top.get("name") or collection.directory.name),
        strategy=str(top.get("strategy", Spec.model_fields["strategy"].default)),
        description=str(topic.get("description", "")),
        keywords=keywords,
        sections={name: words for name, (words, _) in own.items()},
        given=given_in_words(spec),
        examples=_strings(topic.get("examples"))[:EXAMPLES],
        telling_words=[*keywords, *(word for _, telling in own.values() for word in telling)],
    )


def given_in_words(spec: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the seeds and the page limit of a spec in words.

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
