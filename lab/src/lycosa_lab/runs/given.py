"""What a simulated user gives: parses `--given keywords,examples:3`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lycosa.errors import InputError, SpecError
from lycosa_lab.webs.web import Topic

MAX_GIVEN = 1_000
HOW = (
    "Write keywords, description, examples:3, or keywords,examples:3; with answers to the program's questions …,labels:10; "
    "with an encoder …,meaning."
)
_COUNTED = re.compile(r"(examples|labels):([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Given:
    """What a user gives: keywords or a description, a number of relevant pages, and a number of answers; and whether an
    encoder is installed."""

    keywords: bool = False
    examples: int = 0
    labels: int = 0
    description: bool = False
    meaning: bool = False

    def __str__(self) -> str:
        """Return the command-line form.

        >>> str(Given(keywords=True, examples=3))
        'keywords,examples:3'
        """
        counts = {"examples": self.examples, "labels": self.labels}
        parts = [name for name in ("keywords", "description") if getattr(self, name)]
        return ",".join(
            [
                *parts,
                *(f"{name}:{count}" for name, count in counts.items() if count),
                *["meaning"] * self.meaning,
            ]
        )


def parse_given(text: str) -> Given:
    """Parse the value of `--given`.

    >>> parse_given("keywords,examples:3")
    Given(keywords=True, examples=3, labels=0, description=False, meaning=False)
    """
    found: dict[str, int] = {}
    for part in text.split(","):
        counted = _COUNTED.fullmatch(part.strip())
        name, count = (counted[1], int(counted[2])) if counted else (part.strip(), 1)
        if (
            name in found
            or not (counted or name in ("keywords", "description", "meaning"))
            or count > MAX_GIVEN
        ):
            raise SpecError(f"--given {text}: {part.strip()!r} is not understood. {HOW}")
        found[name] = count
    if not found.keys() - {"labels", "meaning"}:
        raise SpecError(f"--given {text}: nobody can be asked before anything is known of the topic. {HOW}")
    words, description, meaning = (name in found for name in ("keywords", "description", "meaning"))
    return Given(words, found.get("examples", 0), found.get("labels", 0), description, meaning)


def refuse_ungiven(given: Given, topics: Iterable[Topic]) -> None:
    """Raise InputError for topics with too few keywords or pages, before any page is parsed."""
    topics = list(topics)
    bare = [topic.name for topic in topics if given.keywords and not topic.keywords]
    if bare:
        raise InputError(
            f"The web has no keywords for {', '.join(bare)}. Write them into its web.toml, "
            f'[topics.{bare[0]}] keywords = ["…", "…"], or choose --given examples:3.'
        )
    if given.description and (bare := [topic.name for topic in topics if not topic.description]):
        raise InputError(
            f"The web has no description of {', '.join(bare)}. Write it into its web.toml, or choose --given keywords."
        )
    for topic in topics:
        if len(topic.relevant_urls) <= given.examples:
            raise InputError(
                f"{topic.name} has {len(topic.relevant_urls)} relevant pages: too few to give {given.examples} and "
                "find others. Give fewer examples, or choose another --topic."
            )
