"""Write paragraphs from sentence banks (TOML).

A sentence may contain slots, `{place}`, and choices, `[a|b]`. All draws come from the given random source, so that a page
always reads the same.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any

TOPICS = ("owls", "bread", "tides", "bridges", "comets")
FOREIGN = {"german": ("de", "owls"), "french": ("fr", "bread")}
"""Banks in other languages: the language's code and the topic."""

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Text:
    """What a page says: its title, the subject's name, and paragraphs of plain text."""

    title: str
    subject: str
    paragraphs: tuple[str, ...]


@cache
def bank(name: str) -> dict[str, Any]:
    """The sentence bank of this name."""
    return tomllib.loads((resources.files(__package__) / "texts" / f"{name}.toml").read_text("utf-8"))


def fill(template: str, rng: Random, slots: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> str:
    """Make the free choices and fill the slots; a slot used twice gets two different values.

    >>> fill("the {subject} [sings|sings] at {place}", Random(1), {"place": ["Hale"]}, {"subject": "wren"})
    'The wren sings at Hale'
    """
    chosen = _CHOICE.sub(lambda choice: rng.choice(choice[1].split("|")), template)
    used: set[str] = set()

    def value(slot: re.Match[str]) -> str:
        if slot[1] in names:
            return names[slot[1]]
        values = slots[slot[1]]
        drawn = rng.choice([each for each in values if each not in used] or values)
        used.add(drawn)
        return drawn

    filled = _SLOT.sub(value, chosen)
    return filled[:1].upper() + filled[1:]


def article(topic: str, rng: Random, number: int, kind: str) -> Text:
    """The number-th text of a topic: kind 'article', 'news' or 'question', each with a subject."""
    words = bank(topic)
    subject = words["subjects"][number % len(words["subjects"])]
    names = _names(subject["name"])
    title = fill(rng.choice(words["titles"][kind]), rng, words["slots"], names)
    aspects = rng.sample(sorted(words["aspects"]), {"article": 4, "news": 3, "question": 1}[kind])
    bodies = [_paragraph(words["aspects"][aspect], rng, words["slots"], names) for aspect in aspects]
    if kind == "question":
        return Text(title, subject["name"], tuple(bodies))
    return Text(title, subject["name"], (subject["lead"], *bodies))


def near_miss(topic: str, rng: Random, number: int) -> Text:
    """A text from next door to a topic, and not on it."""
    words = bank(topic)
    subjects = words["near"]["subjects"]
    return _plain(words["near"], rng, words["slots"], _names(subjects[number % len(subjects)]))


def noise(kind: str, rng: Random) -> Text:
    """A text on nothing that any topic asks for."""
    words = bank("noise")
    title = fill(rng.choice(words["kinds"][kind]["title"]), rng, words["slots"], {})
    return Text(title, title, _paragraphs(words["kinds"][kind]["sentences"], rng, words["slots"], {}))


def foreign(language: str, rng: Random, number: int) -> Text:
    """A text on owls in German or on bread in French."""
    words = bank(language)
    subject = words["subjects"][number % len(words["subjects"])]
    bodies = _paragraphs(words["text"]["sentences"], rng, words["slots"], subject)
    title = subject["name"][:1].upper() + subject["name"][1:]
    return Text(title, subject["name"], (subject["lead"], *bodies))


def see_also(language: str) -> str:
    """What leads to a link in a language other than English."""
    return next(
        str(bank(name)["text"]["see_also"]) for name, (code, _) in FOREIGN.items() if code == language
    )


def calm(rng: Random) -> tuple[str, str]:
    """A lead-in and an anchor that do not say where a link leads."""
    words = bank("noise")["calm"]
    return rng.choice(words["lead_in"]), rng.choice(words["blank_anchor"])


def _names(subject: str) -> dict[str, str]:
    the = subject if subject.startswith("Comet ") else f"the {subject}"
    return {"subject": subject, "the": the, "The": the[:1].upper() + the[1:]}


def _plain(
    words: Mapping[str, Any], rng: Random, slots: Mapping[str, Sequence[str]], names: Mapping[str, str]
) -> Text:
    title = fill(rng.choice(words["title"]), rng, slots, names)
    return Text(title, names["subject"], _paragraphs(words["sentences"], rng, slots, names))


def _paragraph(
    sentences: Sequence[str], rng: Random, slots: Mapping[str, Sequence[str]], names: Mapping[str, str]
) -> str:
    drawn = rng.sample(sentences, min(len(sentences), rng.randint(3, 5)))
    return " ".join(fill(sentence, rng, slots, names) for sentence in drawn)


def _paragraphs(
    sentences: Sequence[str], rng: Random, slots: Mapping[str, Sequence[str]], names: Mapping[str, str]
) -> tuple[str, str]:
    """Two paragraphs that together say nothing twice."""
    drawn = [fill(sentence, rng, slots, names) for sentence in rng.sample(sentences, len(sentences))]
    middle = len(drawn) // 2
    return " ".join(drawn[:middle]), " ".join(drawn[middle:])
