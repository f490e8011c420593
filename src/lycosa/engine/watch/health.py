"""The quality of a crawl: the precision of its judge, titles to check, and the best next step."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.progress import ReasonCounts
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.engine.loop import NOTHING_LEFT
from lycosa.engine.watch.summary import Summary
from lycosa.learn.figures import Figures
from lycosa.learn.history import saved_version
from lycosa.learn.judges.calibration import Estimate
from lycosa.learn.judges.version import Version
from lycosa.learn.questions import Question, questions_in, scores_of
from lycosa.learn.words.request import is_sentence
from lycosa.page.text.terms import terms_of
from lycosa.values import Reason
from lycosa.wording import CANNOT_TELL, MEASURES, counted, percent

TITLES = 5
TITLE_CHARS = 90
MANY_ANSWERS = 20
"""Number of answers from which on more change little, unless much lies near the threshold."""
MUCH = 0.1
UNSURE = 0.2
"""Width of the harvest's interval from which on answers help."""
UNSURE_KEPT = 0.3
"""The same for the precision of what is kept."""
FEW_PAGES = 50
"""A crawl that runs out of links with fewer pages has hardly begun."""
LOOKED_AT = 500
"""Pages that are searched for the keywords."""
LITTLE = 0.05
"""A harvest below this: hardly any page that was found is of the topic."""
NAMED = 3
"""Maximum number of the user's own pages listed."""
NOTHING_UNTAKEN = ReasonCounts({}, {}, {})


class Health(msgspec.Struct, frozen=True):
    """The health of a crawl: what is wrong with it, what is believed of it, and what would help."""

    figures: Figures
    near: float  # the share of pages that lie near the threshold
    look_at: list[Question]
    answers: int
    advice: str
    troubles: tuple[str, ...] = ()

    def __str__(self) -> str:
        """For people, the worst first.

        >>> asked = Question(1, 1, "http://a.test/", "Owls", 0.5)
        >>> told = 0.124, [asked], 0, "lycosa label c", ("Little was found.",)
        >>> print(Health(Figures(0.31, 0.22, 0.4, 0.85, 0.7, 0.95), *told))
        Health: Little was found.
        Health: harvest about 31 % (22 % to 40 %), precision about 85 % (70 % to 95 %); no labels yet; 12 % of the pages lie near the threshold.
        Harvest: relevant pages among the pages judged. Precision: relevant pages among the pages kept. Recall: relevant pages kept among all relevant pages that can be reached. Missed: relevant pages that can be reached and are not kept. All are estimated; pages that you gave do not count.
        Worth a look, as their answers would teach most (with how likely each is to be relevant):
          0.50  Owls  http://a.test/
        What would help most: lycosa label c
        """
        told = [
            str(self.figures) or "harvest not known",
            counted(self.answers, "label") if self.answers else "no labels yet",
            f"{percent(self.near)} of the pages lie near the threshold.",
        ]
        lines = [
            *(f"Health: {trouble}" for trouble in self.troubles),
            f"Health: {'; '.join(told)}",
            *([MEASURES] if self.figures.harvest is not None else []),
            *(
                ["Worth a look, as their answers would teach most (with how likely each is to be relevant):"]
                if self.look_at
                else []
            ),
            *(
                f"  {page.probability:.2f}  {_shortened(page.title) or '(no title)'}  {page.url}"
                for page in self.look_at
            ),
            f"What would help most: {self.advice}",
        ]
        return "\n".join(lines)


def health_of(summary: Summary) -> Health | None:
    """The health of a crawl that has ended; None where nothing was judged by a score."""
    directory = Path(summary.collection)
    with Collection.open(directory) as collection:
        scores, answers = scores_of(collection), len(labels_in(directory))
        version = saved_version(collection)
        told = version.estimate if version else None
        if version is None and {page.probability for page in scores.pages} <= {0.0, 1.0}:
            return None
        near = scores.near
        unfound = unfound_keywords(collection, version.language) if version else []
        return Health(
            figures=summary.figures,
            near=near,
            look_at=questions_in(collection, TITLES),
            answers=answers,
            advice=_advice(summary, version, near, answers),
            troubles=_troubles(
                summary,
                told,
                unfound,
                collection.reader.counts_by_reason(),
                collection.reader.seeds_left_out(Reason.NOINDEX),
            ),
        )


def unfound_keywords(collection: Collection, language: str) -> list[str]:
    """Keywords of which no page has a word: misspelt, or of another language than the pages. None before FEW_PAGES."""
    keywords = collection.spec().get("topic", {}).get("keywords", ())
    keywords = [word for word in keywords if not is_sentence(word, language)]
    terms = {word: frozenset(terms_of(word, language)) for word in keywords}
    missing = {word for word in keywords if terms[word]}
    pages = 0
    for page in islice(collection.reader.terms(), LOOKED_AT):
        each = page.terms.each()
        missing = {word for word in missing if terms[word].isdisjoint(each)}
        pages += 1
    return [word for word in keywords if word in missing] if pages >= FEW_PAGES else []


def _shortened(title: str) -> str:
    return title if len(title) <= TITLE_CHARS else f"{title[: TITLE_CHARS - 1].rstrip()}…"


def _troubles(
    summary: Summary,
    told: Estimate | None,
    unfound: Sequence[str] = (),
    untaken: ReasonCounts = NOTHING_UNTAKEN,
    unindexed_seeds: Sequence[str] = (),
) -> tuple[str, ...]:
    """Problems that make a collection differ from what the user expects, the worst first."""
    found = []
    if unfound:
        words = ", ".join(map(repr, unfound))
        found.append(
            f"no page has the keyword {words}: misspelt, or in another language than the pages?"
            if len(unfound) == 1
            else f"no page has any of the keywords {words}: misspelt, or in another language than the pages?"
        )
    if summary.changed:
        found.append(summary.changed)
    if summary.unsure:
        found.append(
            f"{CANNOT_TELL}: {summary.unsure}. What is kept is the best so far, and marked as uncertain. "
            f"lycosa label {shlex.quote(summary.collection)} --count 5 asks five questions."
        )
    elif told and told.pages and told.kept and told.precision < 0.5:
        right = Figures.of(told).precision_told
        found.append(f"most of the pages kept are probably off topic: {right} of them are right.")
    if summary.harvest is not None and summary.harvest < LITTLE:
        found.append("hardly any of the pages found are about the topic.")
    if unindexed := untaken.pages.get(Reason.NOINDEX.name, 0):
        found.append(_of_unindexed(unindexed, unindexed_seeds))
    if summary.when_starved:
        found.append(
            f"no link was left after {counted(summary.pages, 'page')}, as the strategy refuses those that it thinks too "
            f"unlikely: {summary.when_starved}."
        )
    elif summary.ended == NOTHING_LEFT and summary.pages < FEW_PAGES:
        traps = untaken.links.get(Reason.TRAP.name, 0)
        found.append(
            f"no link was left after {counted(summary.pages, 'page')}, "
            + (
                f"beside {counted(traps, 'link')} refused as crawler traps: with scope.avoid_traps = false all are followed."
                if traps
                else "so this is all that the seeds lead to."
            )
        )
    return tuple(found)


def _of_unindexed(pages: int, seeds: Sequence[str]) -> str:
    """What is said of pages that ask not to be indexed; those that the user gave are named.

    >>> print(_of_unindexed(1, ["http://a.test/owls"]))
    1 page asks not to be indexed (noindex), your own http://a.test/owls: archived, but not counted as relevant. What you name in topic.examples or label as relevant counts; with fetch.obey_nofollow = false a new crawl counts all.
    """
    ask = f"{counted(pages, 'page')} ask{'s' if pages == 1 else ''}"
    more = f" and {len(seeds) - NAMED:,} more" if len(seeds) > NAMED else ""
    among = "" if pages == len(seeds) else "among them "
    own = f", {among}your own {', '.join(seeds[:NAMED])}{more}" if seeds else ""
    return (
        f"{ask} not to be indexed (noindex){own}: archived, but not counted as relevant. What you name in topic.examples "
        "or label as relevant counts; with fetch.obey_nofollow = false a new crawl counts all."
    )


def _advice(summary: Summary, version: Version | None, near: float, answers: int) -> str:
    """The one command that would help most: answers while the judge is unsure, then more pages, then reading them."""
    where = shlex.quote(summary.collection)
    if summary.when_starved:
        return f"the same crawl again: {summary.when_starved}"
    if summary.ended == NOTHING_LEFT and summary.pages < FEW_PAGES:
        return "the same crawl with further seeds, or a wider scope (docs/spec.md: [seeds], [scope])"
    told = version.estimate if version else None
    width = (summary.harvest_high or 0.0) - (summary.harvest_low or 0.0)
    off = told is not None and told.kept > 0 and (told.precision < 0.5 or _spread(told) > UNSURE_KEPT)
    if summary.unsure or (
        answers < MANY_ANSWERS and (off or near > MUCH or width > UNSURE or not summary.judge_version)
    ):
        return f"lycosa label {where}"
    if near > MUCH:
        return f"lycosa label {where} --count 10"
    if summary.waiting and summary.last_relevant:
        brought = f"{summary.last_relevant:,} of the last {summary.last_pages:,} pages were kept"
        return f"the same crawl with a higher --max-pages: {brought}"
    return f"lycosa report {where}"


def _spread(told: Estimate) -> float:
    """The width of the interval of the precision."""
    return told.precision_high - told.precision_low
