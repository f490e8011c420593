"""`lycosa train event`: an event model from its pages, with what labelled pages and links teach."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lycosa.commands import as_json, room_for, say
from lycosa.errors import InputError

if TYPE_CHECKING:
    from lycosa.methods.event.model import EventModel, Facts
    from lycosa.methods.event.training.scoring import Taught


def register(train: typer.Typer) -> None:
    """Add the command to `train`."""
    train.command("event")(event)


def event(
    out: Annotated[Path, typer.Option(help="Where the model goes: JSON that you can edit.")],
    pages: Annotated[
        list[Path] | None, typer.Argument(help="Model pages of the event: HTML or text files, or folders.")
    ] = None,
    positive: Annotated[
        list[Path] | None, typer.Option(help="Other pages about the event, to learn from.")
    ] = None,
    negative: Annotated[list[Path] | None, typer.Option(help="Pages that are not about the event.")] = None,
    links: Annotated[
        Path | None, typer.Option(help="Labelled links: a CSV file with url, anchor and relevant (1 or 0).")
    ] = None,
    collection: Annotated[
        Path | None,
        typer.Option(
            help="A collection with labelled pages: they teach the page side, links to them the link side."
        ),
    ] = None,
    date: Annotated[
        str, typer.Option(help="When it happened (2016-06-12), instead of the pages' dates.")
    ] = "",
    end_date: Annotated[str, typer.Option(help="When it ended.")] = "",
    where: Annotated[
        list[str] | None, typer.Option(help="Where it happened, instead of the pages' places.")
    ] = None,
    scoring: Annotated[str, typer.Option(help="ours or paper.")] = "ours",
    who: Annotated[
        bool, typer.Option("--who", help="Let people and organisations count too, as a fourth aspect.")
    ] = False,
    min_pages: Annotated[
        int, typer.Option(min=1, help="Only terms on at least this many model pages count (the paper: 5).")
    ] = 1,
    language: Annotated[str, typer.Option(help="Of the stemmer and the stop words.")] = "english",
    json: Annotated[bool, typer.Option("--json", help="Print the model as JSON.")] = False,
) -> None:
    """Make the model of an event; with labelled pages or links, learn weights, sizes and thresholds.

    Without model pages, --collection gives the event as well.

    Example: lycosa train event pages/ --positive good/ --negative other/ --out orlando.json
    """
    from lycosa.learn.training.examples import documents_in
    from lycosa.methods.event.model import (
        event_model,
        load_event,
        page_facts,
        save_event,
        scored_by,
    )
    from lycosa.methods.event.table import event_table

    room_for(out)  # before the work, not after it
    if scoring not in ("ours", "paper"):
        raise InputError(f"--scoring {scoring}: choose ours or paper.")
    if bool(positive) != bool(negative):
        raise InputError("Learning needs both --positive and --negative pages. Give both, or neither.")
    if not pages and not collection:
        raise InputError("Give model pages of the event, or a --collection whose event to take.")

    def facts(paths: list[Path] | None) -> list[Facts]:
        return [page_facts(document, names=True) for document in documents_in(paths or (), language)]

    taught = _Taught.of(collection, links, language)
    taught.add_pages(facts(positive), relevant=True)
    taught.add_pages(facts(negative), relevant=False)
    try:
        model = (
            event_model(
                facts(pages),
                where=where or (),
                date=date,
                end_date=end_date,
                min_pages=min_pages,
                language=language,
            )
            if pages
            else taught.event()
        )
    except ValueError as error:
        raise InputError(f"{error}. Change --date or --end-date.") from None
    model = scored_by(model, "ours" if scoring == "ours" else "paper")
    there = load_event(out) if out.exists() and taught.pages_or_links else None
    model, is_better = taught.learned(model, there, who=who)
    if is_better or there is None:
        save_event(out, model)
    written = f"Wrote {out}." if is_better or there is None else f"{out} stays as it was."
    typer.echo(as_json(model) if json else f"{event_table(model)}\n\n{written}")


class _Taught:
    """Labelled pages and links, and the event of the collection that they come from."""

    def __init__(self, model: EventModel | None = None) -> None:
        self.model = model
        self.pages: list[Facts] = []
        self.relevant: list[bool] = []
        self.links: list[Facts] = []
        self.relevant_links: list[bool] = []

    @classmethod
    def of(cls, collection: Path | None, links: Path | None, language: str) -> _Taught:
        """The labels of a collection and of a file of links."""
        from lycosa.methods.event.training.links import facts_of_links, read_labelled_links

        taught, found = cls(), []
        if collection:
            from lycosa.methods.event.training.lessons import event_lessons

            lessons = event_lessons(collection, say)
            taught.model, taught.pages, taught.relevant = lessons.model, lessons.pages, lessons.relevant
            found += lessons.links
        if links:
            found += read_labelled_links(links)
        taught.links = facts_of_links(found, language)
        taught.relevant_links = [link.relevant for link in found]
        return taught

    def add_pages(self, pages: list[Facts], *, relevant: bool) -> None:
        self.pages = [*self.pages, *pages]
        self.relevant = [*self.relevant, *[relevant] * len(pages)]

    def event(self) -> EventModel:
        assert self.model is not None
        return self.model

    @property
    def pages_or_links(self) -> bool:
        """Whether there are labels."""
        return bool(self.pages or self.links)

    def learned(self, model: EventModel, there: EventModel | None, *, who: bool) -> tuple[EventModel, bool]:
        """The trained model, and whether any side is better than before; prints the figures."""
        from lycosa.methods.event.training.scoring import train_event

        model, figures = train_event(
            model,
            (self.pages, self.relevant),
            (self.links, self.relevant_links),
            who=who,
            before=there,
        )
        taught = {"pages": len(self.pages), "links": len(self.links)}
        for side, figure in figures.items():
            say(f"{taught[side]} labelled {side}: {_told(figure)}")
        return model, any(figure.is_better for figure in figures.values())


def _told(figure: Taught) -> str:
    """The cross-validation of a side, and whether it is used."""
    if figure.f1 is None:
        return "too few labels of one kind, so the model stays as it was. Label at least two of each."
    if figure.is_better:
        return f"F1 {figure.f1:.3f} in cross-validation; before {figure.before:.3f}."
    return (
        f"F1 {figure.f1:.3f} in cross-validation, worse than {figure.before:.3f} before, so the model stays as it was. "
        "Label more pages of both kinds."
    )
