"""What a simulated user gives: `--given keywords,examples:3`. In: its words. Out: a Given, or what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lycosa.errors import InputError, SpecError
from lycosa.lab.web import Topic

MOST = 1_000
_COUNTED = re.compile(r"(examples):([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Given:
    """All that is known of a topic beforehand: its keywords, or this many relevant pages, or both."""

    keywords: bool = False
    examples: int = 0

    def __str__(self) -> str:
        """As it is written on the command line.

        >>> str(Given(keywords=True, examples=3))
        'keywords,examples:3'
        """
        parts = ["keywords"] if self.keywords else []
        return ",".join([*parts, *([f"examples:{self.examples}"] if self.examples else [])])


def parse_given(text: str) -> Given:
    """What `--given` says.

    >>> parse_given("keywords,examples:3")
    Given(keywords=True, examples=3)
    """
    found: dict[str, int] = {}
    for part in text.split(","):
        counted = _COUNTED.fullmatch(part.strip())
        name, count = (counted[1], int(counted[2])) if counted else (part.strip(), 1)
        if name in found or not (counted or name == "keywords") or count > MOST:
            raise SpecError(
                f"--given {text}: {part.strip()!r} is not understood. Write keywords, examples:3, "
                "or keywords,examples:3."
            )
        found[name] = count
    return Given("keywords" in found, found.get("examples", 0))


def refuse_ungiven(given: Given, topics: Iterable[Topic]) -> None:
    """Refuse topics that cannot give so much, before anything is parsed."""
    topics = list(topics)
    bare = [topic.name for topic in topics if given.keywords and not topic.keywords]
    if bare:
        raise InputError(
            f"The web has no keywords for {', '.join(bare)}. Write them into its web.toml, "
            f'[topics.{bare[0]}] keywords = ["…", "…"], or choose --given examples:3.'
        )
    for topic in topics:
        if len(topic.relevant_urls) <= given.examples:
            raise InputError(
                f"{topic.name} has {len(topic.relevant_urls)} relevant pages: too few to give {given.examples} and "
                "find others. Give fewer examples, or choose another --topic."
            )
