"""`lycosa train event`: an event model from its pages, with weights learned from labelled pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lycosa.commands import as_json, say
from lycosa.errors import InputError


def register(train: typer.Typer) -> None:
    """Add the command to `train`."""
    train.command("event")(event)


def event(
    pages: Annotated[
        list[Path], typer.Argument(help="Model pages of the event: HTML or text files, or folders.")
    ],
    out: Annotated[Path, typer.Option(help="Where the model goes: JSON that you can edit.")],
    positive: Annotated[
        list[Path] | None, typer.Option(help="Other pages about the event, to learn from.")
    ] = None,
    negative: Annotated[list[Path] | None, typer.Option(help="Pages that are not about the event.")] = None,
    date: Annotated[
        str, typer.Option(help="When it happened (2016-06-12), instead of the pages' dates.")
    ] = "",
    end_date: Annotated[str, typer.Option(help="When it ended.")] = "",
    where: Annotated[
        list[str] | None, typer.Option(help="Where it happened, instead of the pages' places.")
    ] = None,
    scoring: Annotated[str, typer.Option(help="ours or paper.")] = "ours",
    weights: Annotated[str, typer.Option(help="f1 (the paper's procedure) or search.")] = "f1",
    background: Annotated[
        list[Path] | None, typer.Option(help="Any other pages: what is rare on them counts more.")
    ] = None,
    min_pages: Annotated[
        int, typer.Option(help="Only terms on so many model pages count (the paper: 5).")
    ] = 1,
    language: Annotated[str, typer.Option(help="Of the stemmer and the stop words.")] = "english",
    json: Annotated[bool, typer.Option("--json", help="Print the model as JSON.")] = False,
) -> None:
    """Make the model of an event; with --positive and --negative, learn weights, size and threshold."""
    import msgspec

    from lycosa.evidence.event_model import (
        Facts,
        background_of,
        event_model,
        event_table,
        page_facts,
        save_event,
        scored_by,
    )
    from lycosa.train.event import train_event
    from lycosa.train.pages import documents_in

    if scoring not in ("ours", "paper") or weights not in ("f1", "search"):
        raise InputError("--scoring is ours or paper, --weights is f1 or search.")
    if bool(positive) != bool(negative):
        raise InputError("Learning needs both --positive and --negative pages. Give both, or neither.")

    def facts(paths: list[Path]) -> list[Facts]:
        return [page_facts(document, names=True) for document in documents_in(paths, language)]

    try:
        model = event_model(
            facts(pages),
            where=where or (),
            date=date,
            end_date=end_date,
            min_pages=min_pages,
            language=language,
        )
    except ValueError as error:
        raise InputError(f"{error}. Change --date or --end-date.") from None
    model = scored_by(model, "ours" if scoring == "ours" else "paper")
    if background:
        model = msgspec.structs.replace(model, background=background_of(facts(background)))
    if positive and negative:
        yes, no = facts(positive), facts(negative)
        labels = [True] * len(yes) + [False] * len(no)
        learned = train_event(model, ([*yes, *no], labels), how="f1" if weights == "f1" else "search")
        model, figures = learned
        say(f"F1 on what it was learned from: {figures['pages']:.3f}")
    save_event(out, model)
    typer.echo(as_json(model) if json else f"{event_table(model)}\n\nWrote {out}.")
