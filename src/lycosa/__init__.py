"""Lycosa: a focused web crawler.

What a program or a notebook needs is here, on one page: docs/python.md. A name is loaded when it is first
used, so that `import lycosa` costs nothing; everything else in the package may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lycosa.collection.catalogue.page_filter import PageFilter as PageFilter
    from lycosa.collection.catalogue.page_filter import Relevance as Relevance
    from lycosa.collection.collection import Collection as Collection
    from lycosa.demo.web import demo_web as demo_web
    from lycosa.engine.python_api import crawl as crawl
    from lycosa.engine.python_api import crawl_async as crawl_async
    from lycosa.engine.start.post_seeds import find_seeds as find_seeds
    from lycosa.engine.watch.summary import Summary as Summary
    from lycosa.errors import LycosaError as LycosaError
    from lycosa.evidence import Evidence as Evidence
    from lycosa.evidence import Need as Need
    from lycosa.learn.judges.kinds import Judge as Judge
    from lycosa.methods import BaseStrategy as BaseStrategy
    from lycosa.methods import Lazy as Lazy
    from lycosa.methods import Method as Method
    from lycosa.methods import Strategy as Strategy
    from lycosa.page.document import Document as Document
    from lycosa.page.places.place_recognition import PlaceMention as PlaceMention
    from lycosa.seeds.posts.reading import PostFile as PostFile
    from lycosa.seeds.posts.selection import PostFilter as PostFilter
    from lycosa.spec.sections import Spec as Spec
    from lycosa.values import Category as Category
    from lycosa.values import Count as Count
    from lycosa.values import Data as Data
    from lycosa.values import Decision as Decision
    from lycosa.values import Fact as Fact
    from lycosa.values import Judgement as Judgement
    from lycosa.values import Link as Link
    from lycosa.values import Memo as Memo
    from lycosa.values import NotSaid as NotSaid
    from lycosa.values import Page as Page
    from lycosa.values import Reason as Reason
    from lycosa.values import Refusal as Refusal
    from lycosa.values import Score as Score
    from lycosa.why import explain as explain

__version__ = "0.1.0"

_HOMES = {
    "BaseStrategy": "lycosa.methods",
    "Category": "lycosa.values",
    "Collection": "lycosa.collection.collection",
    "Count": "lycosa.values",
    "Data": "lycosa.values",
    "Decision": "lycosa.values",
    "Document": "lycosa.page.document",
    "Evidence": "lycosa.evidence",
    "Fact": "lycosa.values",
    "Judge": "lycosa.learn.judges.kinds",
    "Judgement": "lycosa.values",
    "Lazy": "lycosa.methods",
    "Link": "lycosa.values",
    "LycosaError": "lycosa.errors",
    "Memo": "lycosa.values",
    "Method": "lycosa.methods",
    "Need": "lycosa.evidence",
    "NotSaid": "lycosa.values",
    "Page": "lycosa.values",
    "PageFilter": "lycosa.collection.catalogue.page_filter",
    "PlaceMention": "lycosa.page.places.place_recognition",
    "PostFile": "lycosa.seeds.posts.reading",
    "PostFilter": "lycosa.seeds.posts.selection",
    "Reason": "lycosa.values",
    "Refusal": "lycosa.values",
    "Relevance": "lycosa.collection.catalogue.page_filter",
    "Score": "lycosa.values",
    "Spec": "lycosa.spec.sections",
    "Strategy": "lycosa.methods",
    "Summary": "lycosa.engine.watch.summary",
    "crawl": "lycosa.engine.python_api",
    "crawl_async": "lycosa.engine.python_api",
    "demo_web": "lycosa.demo.web",
    "explain": "lycosa.why",
    "find_seeds": "lycosa.engine.start.post_seeds",
}
"""The module that each public name comes from."""
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lycosa' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
