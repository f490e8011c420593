"""Print the end of a crawl from its summary: lines for people, or JSON. Raise if it stopped early."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from lycosa.commands import as_json, fitted, say
from lycosa.errors import LycosaError, StoppedEarly
from lycosa.wording import counted

if TYPE_CHECKING:
    from lycosa.engine.watch.summary import Summary


def _lately(summary: Summary) -> str:
    """The yield of the last pages, if there were earlier ones: whether going on is worthwhile."""
    if summary.last_pages >= summary.pages:
        return ""
    return f" The last {summary.last_pages:,} pages brought {summary.last_relevant:,} of the kept ones."


def _rendered(summary: Summary) -> str:
    """What a browser has done, and what one would do.

    >>> from lycosa.engine.watch.summary import Summary
    >>> print(_rendered(Summary("c", 9, 3, None, 0, 0.0, 0, "", False, False, {}, unrendered=2)))
    Without a browser hardly anything is seen of 2 pages. With fetch.render = "needed" the promising ones are rendered.
    """
    told = [f"A browser rendered {counted(summary.rendered, 'page')}."] if summary.rendered else []
    if summary.unrendered:
        told.append(f"Without a browser hardly anything is seen of {counted(summary.unrendered, 'page')}.")
        told.append(
            "What is promising among them would be rendered with a higher limits.rendered."
            if summary.rendered
            else 'With fetch.render = "needed" the promising ones are rendered.'
        )
    return " ".join(told)


def tell(summary: Summary, *, json: bool) -> None:
    """Say how a crawl went; one that brought nothing is an error."""
    if json:
        typer.echo(as_json(summary))
    else:
        figures = f" ({summary.figures})" if str(summary.figures) else ""
        told = (
            f"{counted(summary.pages, 'page')}, {summary.relevant:,} kept as relevant{figures}, "
            f"{summary.waiting:,} waiting; {summary.ended}.{_lately(summary)}\nThe collection: {summary.collection}"
        )
        typer.echo(fitted(told, sys.stdout))
        if not summary.fetched_now and summary.ended.startswith("limits."):
            typer.echo(
                "Nothing was fetched: earlier runs had reached the limit. Raise it, for example with --max-pages (N pages in all)."
            )
        _tell_health(summary)
    if summary.rendered or summary.unrendered:
        say(_rendered(summary))
    if summary.known:
        say(
            f"{summary.known:,} URLs were left to the collections of archive.known. Where each of them is: "
            f"lycosa why {summary.collection} URL"
        )
    if walls := summary.refused.get("wall"):
        say(
            f"{walls:,} URLs led to walls (captchas, blocks, log-ins, questions of consent) and were left alone. "
            f"Which: lycosa why {summary.collection} URL, or crawl.log. Ask the owners of the sites if you need them."
        )
    if summary.pages and not summary.relevant and not summary.known:
        say(
            "No page was judged relevant. See how a page scored: "
            f"lycosa why {summary.collection} URL; then change [topic] or [event], or lower judge.threshold."
        )
    if summary.stopped_early:
        raise StoppedEarly("Stopped early; run the same command again and it goes on.")
    if not summary.pages and summary.failed_seeds:
        url, reason = next(iter(summary.failed_seeds.items()))
        raise LycosaError(
            f"No page was collected: no seed could be fetched ({url}: {reason}). "
            "Check [seeds] and the connection, then run the same command: they are tried again."
        )
    if not summary.pages:
        raise LycosaError(
            "No page was collected: all that the seeds lead to was refused. "
            f"See why: lycosa why {summary.collection} SEED"
        )


def _tell_health(summary: Summary) -> None:
    from lycosa.engine.watch.health import health_of

    health = health_of(summary) if summary.pages else None
    if health is not None:
        typer.echo(f"\n{fitted(str(health), sys.stdout)}")
