"""Toy strategies and evidence, each with one habit that a test of the loop needs."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Self

import pytest
from msgspec.structs import replace

from lycosa.evidence import Evidence
from lycosa.methods import BaseStrategy, Lazy, Method, Step, registry
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.values import Decision, Fact, Judgement, Kind, Link, Memo, Page, Reason, Refusal, Release, Score


class Awaited(Memo, frozen=True, tag="patient"):
    """The hold that waits for a profile."""

    hold: str


class Patient(BaseStrategy):
    """Holds links to /detail… until their page's link to /profile… has arrived, which decides on them."""

    def __init__(self) -> None:
        pass

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        profiles = [link.key for link in page.links if "/profile" in link.url or "/picture" in link.url]
        hold = f"of {page.url}"
        steps: list[Step] = []
        for link in page.links:
            if "/detail" in link.url:
                steps.append(Decision(link, hold=hold, waits_for=tuple(profiles), rule="held"))
            elif "/profile" in link.url:
                steps.append(Decision(Awaited(hold).on(link), 0.1, rule="a profile"))
            elif "/picture" in link.url:
                steps.append(Decision(replace(link, kind=Kind.IMAGE), 0.1, rule="a picture"))
            else:
                steps.append(Decision(link, 0.5, rule="a page"))
        if (memo := Awaited.of(page.link)) is not None:
            steps.append(Release(memo.hold, 0.9))
        return steps

    def settle(self, links: Sequence[Link], value: float | None) -> list[Decision]:
        if value is not None:
            return [Decision(link, value, rule="its profile is good") for link in links]
        refusal = Refusal(Reason.LOW_PRIORITY, "no profile")
        return [
            Decision(link, 0.2, rule="without a profile")
            if "/detail/anyway" in link.url
            else Decision(link, refusal=refusal, rule="without a profile")
            for link in links
        ]


class Explorer(BaseStrategy):
    """Links with the anchor 'look' are only explored; all others are selected."""

    def __init__(self) -> None:
        pass

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        trail = page.link.trail + 1
        return [
            Decision(replace(link, trail=trail), 0.1, rule="looked through")
            if link.anchor == "look"
            else Decision(link, 0.5, rule="selected")
            for link in page.links
        ]


class Fatal(Evidence):
    """Evidence that ends its process on some pages, sleeps on others, and comes to no end on yet others."""

    name = "fatal"
    tells = Score

    def of_page(self, document: Document) -> Score:
        if "deadly" in document.url:
            os._exit(7)
        if "sleepy" in document.url:
            time.sleep(60)
        while "busy" in document.url:
            pass
        return Score(1.0)


class Pupil(BaseStrategy):
    """Takes new pages before it comes back to seeds, and remembers every lesson it was given."""

    def __init__(self) -> None:
        pass

    def fit(self, preparation: Preparation) -> Self:
        super().fit(preparation)
        self.lessons_: list[tuple[str, Judgement, dict[str, Fact]]] = []
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        return [Decision(link, 2.0, rule="a page") for link in page.links]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        self.lessons_.append((link.url, judgement, dict(evidence)))


TOYS = Method(
    name="toys",
    strategies={
        "patient": Lazy("tests.toys:Patient"),
        "explorer": Lazy("tests.toys:Explorer"),
        "pupil": Lazy("tests.toys:Pupil"),
    },
)


def add_toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let specs name the toys, as if they came with the program."""
    known = (*registry.built_in(), TOYS)
    monkeypatch.setattr(registry, "built_in", lambda: known)
