"""Judges of the user's own: a class or function in a file (`judge.kind = "FILE.py:NAME"`) or of the program that crawls.

They are called with care: an error, or a result that is no judgement, ends the crawl with a CodeError that names the
judge, the line and the page.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from msgspec.structs import replace

from lycosa.errors import CodeError, LycosaError, SpecError, fault_in
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.topic import TopicModel
from lycosa.spec.code_files import PROGRAM, in_file, module_of
from lycosa.values import Judgement, Page

_of_this_program: dict[str, Any] = {}


def kind_of(judge: Any) -> str:
    """Make a judge of this program known, and return the `judge.kind` that means it.

    A function or class of an imported file is called by that file, so that `lycosa crawl` can go on with the crawl.
    """
    module, name = getattr(judge, "__module__", ""), getattr(judge, "__qualname__", type(judge).__qualname__)
    file = getattr(sys.modules.get(module), "__file__", None)
    is_findable = file and module != "__main__" and name.isidentifier() and hasattr(judge, "__qualname__")
    kind = f"{file}:{name}" if is_findable and in_file(f"{file}:") else f"{PROGRAM}{name}"
    _of_this_program[kind] = judge
    return kind


def custom_judge(kind: str, topic: TopicModel, threshold: float | None) -> Judge:
    """The judge that a `judge.kind` of the user's own names, prepared for a topic."""
    found = _of_this_program.get(kind)
    if found is None and kind.startswith(PROGRAM):
        raise SpecError(
            f"[judge] kind: {kind!r} is a function of a Python program. Run that program again to go on with its crawl."
        )
    if found is None:
        module, name = module_of(kind, "judge")
        if not hasattr(module, name):
            raise SpecError(f"{module.__file__} has no judge {name!r}. Name a class or a function in it.")
        found = getattr(module, name)
    if not callable(found) and not hasattr(found, "judge"):
        raise SpecError(f"{kind} is no judge: give a class with `judge`, or a function of a page.")
    return CustomJudge(found, topic, threshold)


class CustomJudge(Judge):
    """A judge whose errors, and results that are no judgements, are a CodeError."""

    def __init__(self, code: Any, topic: TopicModel | None = None, threshold: float | None = None) -> None:
        """`code` is a class, an instance with `judge`, or a function from a page to a Judgement, a bool or a number."""
        self._name = getattr(code, "__qualname__", type(code).__qualname__)
        self._module = getattr(code, "__module__", "")
        self._threshold = 0.5 if threshold is None else threshold
        start = "before the crawl began"
        inner = self._ask(code, start) if isinstance(code, type) else code
        if topic is not None and hasattr(inner, "fit"):
            inner = self._ask(inner.fit, start, topic, threshold)
        self.inner: Any = inner
        self._judge: Callable[[Page], Any] = getattr(inner, "judge", inner)
        self.needs = tuple(getattr(inner, "needs", ()))
        if getattr(inner, "judge_many", None) is not None:
            self.judge_many = self._judge_many

    def judge(self, page: Page) -> Judgement:
        """The verdict of the user's code; its explanation joins the rule."""
        return self._judgement(self._ask(self._judge, f"at {page.url}", page), page)

    def learn(self, labels: Mapping[int, bool], pages: Sequence[Page]) -> str:
        learn = getattr(self.inner, "learn", None)
        return str(self._ask(learn, "while it learned from labels", labels, pages) or "") if learn else ""

    def explain(self, page: Page) -> Sequence[tuple[str, float]]:
        explain = getattr(self.inner, "explain", None)
        return (
            self._ask(lambda: [(str(word), float(by)) for word, by in explain(page)], f"at {page.url}")
            if explain
            else ()
        )

    async def _judge_many(self, pages: Sequence[Page]) -> Sequence[Judgement]:
        when = f"at {pages[0].url} and others"
        try:
            found = list(await self.inner.judge_many(pages))
        except LycosaError:
            raise
        except Exception as error:
            raise self._fault(error, when) from error
        if len(found) != len(pages):
            raise self._fault(TypeError(f"{len(found)} judgements of {len(pages)} pages"), when)
        return [self._judgement(one, page) for one, page in zip(found, pages, strict=True)]

    def _judgement(self, found: Any, page: Page) -> Judgement:
        if isinstance(found, bool | int | float):
            found = Judgement(float(found) >= self._threshold, float(found), f"{self._name} says so")
        if type(found) is not Judgement or not isfinite(found.score):
            raise self._fault(TypeError(f"it returned {found!r:.100}, not a Judgement"), f"at {page.url}")
        words = ", ".join(f"{word} {amount:+.2f}" for word, amount in self.explain(page))
        return replace(found, rule=f"{found.rule} ({words})") if words else found

    def _ask(self, code: Callable[..., Any], when: str, *arguments: Any) -> Any:
        try:
            return code(*arguments)
        except LycosaError:
            raise
        except Exception as error:
            raise self._fault(error, when) from error

    def _fault(self, error: Exception, when: str) -> CodeError:
        return CodeError(fault_in(f"The judge {self._name}", self._module, error, when))
