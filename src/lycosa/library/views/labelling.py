"""Store labels from readers, and explain their effect."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, clear_label, set_label
from lycosa.errors import SpecError
from lycosa.learn.fitting.crawl_fitter import MIN_UNASKED
from lycosa.methods.lookup import guide_named, method_of_judge, strategy_class
from lycosa.spec.code_files import in_file
from lycosa.spec.sections import Spec

ASKED = "yes"
"""Value in forms and addresses of a page that was asked about."""


def label_page(collection: Collection, number: int, said: str, *, asked: bool) -> None:
    """Store a label of a page (by its id): yes, no, or clear. `asked`: Lycosa asked; otherwise the reader chose the page."""
    stored = collection.reader.page_by_id(number)
    if stored is None:
        raise HTTPException(404, "There is no such page in this collection.")
    key = stored.link.key
    if said == "clear":
        clear_label(collection.directory, key)
    else:
        set_label(collection.directory, Label(key, stored.link.url, said == "yes", time.time(), asked))


def effect_of_labels(spec: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what labels teach the judge of this spec, or what to do if they teach it nothing."""
    kind = str(spec.get("judge", {}).get("kind", "topic"))
    if strategy := _judging_itself(spec):
        return (
            f"The strategy {strategy} judges pages itself and does not learn from labels: to widen or narrow it, "
            f"edit [{strategy}] in crawl.toml and run the crawl again."
        )
    if method := method_of_judge(kind):
        taught = f"{_EFFECTS['topic']} " if method.judges[kind].learns else ""
        return (
            f"{taught}Labels do not change what [{method.name}] describes: for that, edit [{method.name}] in crawl.toml, "
            "its pages for instance, and run the crawl again."
        )
    if kind == "text" and spec.get("topic", {}).get("model"):
        return (
            "This crawl judges by a model from a file, which labels do not change: train another with "
            "“lycosa train text” and name it in crawl.toml as topic.model."
        )
    return _EFFECTS.get(kind, _EFFECTS["topic"])


def _judging_itself(spec: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the strategy, or its guide, that judges pages itself; '' if none does."""
    strategy = str(spec.get("", {}).get("strategy", Spec.model_fields["strategy"].default))
    if in_file(strategy):
        return ""  # reading a collection must not run code named in its spec
    try:
        judging = guide_named(strategy, spec) or strategy
        return judging if strategy_class(judging).judges_itself else ""
    except (SpecError, AttributeError):  # not installed here, or a stranger's that does not say
        return ""


_EFFECTS = {
    "topic": "Answers under “Ask me” also teach the judge about all other pages. Labels on pages of your own choice "
    f"do so from {MIN_UNASKED} of them on: they are not a fair sample, and a few would mislead it.",
    "text": "The classifier is trained again, with the labelled pages as further examples.",
    "all": "This crawl keeps every page it finds, so there is no judge to teach: only the labelled pages change.",
}
