"""What a crawl was for, by its own spec. In: a collection. Out: its title, strategy, description and keywords."""

from __future__ import annotations

import msgspec

from lycosa.spec.sections import Spec
from lycosa.store.collection import Collection


class Description(msgspec.Struct, frozen=True):
    """The heading of a collection. Whoever wrote the spec, these are strings."""

    title: str
    strategy: str
    description: str
    keywords: list[str]


def described(collection: Collection) -> Description:
    """The heading of a collection; its directory's name where its spec gives none."""
    spec = collection.spec()
    top, topic = spec.get("", {}), spec.get("topic", {})
    keywords = topic.get("keywords")
    return Description(
        title=str(top.get("name") or collection.directory.name),
        strategy=str(top.get("strategy", Spec.model_fields["strategy"].default)),
        description=str(topic.get("description", "")),
        keywords=[str(word) for word in keywords] if isinstance(keywords, list) else [],
    )
