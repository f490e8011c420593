"""An explanation of one URL, as values and as text."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lycosa.evidence.words import fact_in_words
from lycosa.learn.judges.version import Reasons
from lycosa.values import Fact, Judgement, Score

NEAR = 5
"""Maximum number of pages listed that link to a URL, and of URLs close to an unknown one."""
COUNTED = 1000
"""Maximum number of links to a URL that are counted."""


class FoundOn(msgspec.Struct, frozen=True):
    """A page that links to the URL, and the decision there."""

    page: str
    anchor: str
    priority: float
    rule: str
    refusal: str
    evidence: dict[str, float | str]  # a score, a class, or the link it belongs to


class LinkNear(msgspec.Struct, frozen=True):
    """A page with a link to a URL close to the one asked for."""

    page: str
    target: str


class OpenedBy(msgspec.Struct, frozen=True):
    """The image that made a link worth following, and what it shows."""

    url: str
    shows: Score | None


class Explanation(msgspec.Struct, frozen=True):
    """All that is known of one URL. `verdict` says it in a sentence."""

    url: str
    verdict: str
    status: int = 0
    title: str = ""
    at: str = ""
    judgement: Judgement | None = None
    words: Reasons | None = None  # what each word adds, by a judge that learns
    answer: str = ""  # an assistant's answer about the page, with its reason
    apart: str = ""  # why the score differs from the probability of these words; '': it does not
    evidence: dict[str, Fact] = {}
    refusal: str = ""
    archive: str = ""
    path: tuple[str, ...] = ()
    found_on: tuple[FoundOn, ...] = ()  # at most NEAR
    more: int = 0  # other links to the URL, at most COUNTED
    image: OpenedBy | None = None
    ranked_by: tuple[tuple[str, float], ...] = ()  # the parts of its rank in the queue
    nearby: tuple[str, ...] = ()
    links_near: tuple[LinkNear, ...] = ()

    def __str__(self) -> str:
        return explanation_text(self)


def explanation_text(why: Explanation) -> str:
    """Return an explanation as lines of text."""
    return "\n".join(_printable(line) for line in (why.url, why.verdict, *_page(why), *_links(why)))


def _page(why: Explanation) -> Iterator[str]:
    if why.title:
        yield f"  title     {why.title}"
    if why.at:
        yield f"  when      {why.at}" + (f", status {why.status}" if why.status else "")
    if why.judgement:
        yield f"  score     {why.judgement.score:.4f}  ({why.judgement.rule})"
    if why.answer:
        yield f"  assistant {why.answer}"
    if words := why.words:
        told = ", ".join(f"{word} {amount:+.2f}" for word, amount in (*words.words, *words.more))
        yield f"  words     {told}: {words.score:+.2f}, probability {words.probability:.2f}"
        if why.apart:
            yield f"            {why.apart}"
    for name, fact in why.evidence.items():
        yield f"  evidence  {name} = {fact_in_words(name, fact)}"
    if why.ranked_by:
        yield f"  ranked by {sum(value for _, value in why.ranked_by):+.2f}, the sum of"
        yield from (f"            {value:+.2f}  {part}" for part, value in why.ranked_by)
    if why.archive:
        yield f"  archive   {why.archive}"


def _links(why: Explanation) -> Iterator[str]:
    if len(why.path) > 1:
        yield "  path from the seed"
        yield from (f"    {'→ ' if number else '  '}{url}" for number, url in enumerate(why.path))
    for found in why.found_on:
        decided = f"refused: {found.refusal}" if found.refusal else f"priority {found.priority:.4g}"
        numbers = [
            f"{name} {value}" if isinstance(value, str) else f"{name} {value:.3f}"
            for name, value in found.evidence.items()
        ]
        yield f"  found on  {found.page}"
        yield "            " + "; ".join(
            [f"anchor {found.anchor!r}", decided, f"rule: {found.rule}", *filter(None, [", ".join(numbers)])]
        )
    if why.image:
        shows = why.image.shows
        seen = f" shows {shows.label} ({shows.value:.2f})" if shows else ""
        yield f"  image     {why.image.url}{seen}"
    if why.more:
        yield f"            and {why.more}{'+' if why.more == COUNTED - NEAR else ''} more links to it"
    if why.nearby:
        yield "  fetched nearby"
        yield from (f"    {url}" for url in why.nearby)
    if why.links_near:
        yield "  pages that link near it"
        yield from (f"    {near.page} → {near.target}" for near in why.links_near)


def _printable(line: str) -> str:
    """Replace control characters: titles and anchors come from strangers.

    >>> _printable("owls\\x1b[2J")
    'owls�[2J'
    """
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
