"""`lycosa train text`: a text classifier from example pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lycosa.commands import as_json, room_for
from lycosa.errors import InputError


def register(train: typer.Typer) -> None:
    """Add the command to `train`."""
    train.command("text")(text)


def text(
    positive: Annotated[list[Path], typer.Argument(help="Relevant pages: HTML or text files, or folders.")],
    out: Annotated[Path, typer.Option(help="Where the model goes.")],
    negative: Annotated[list[Path] | None, typer.Option(help="Pages that are not relevant.")] = None,
    unlabelled: Annotated[list[Path] | None, typer.Option(help="Pages of which nothing is known.")] = None,
    classifier: Annotated[str, typer.Option(help="linear, rbf, naive-bayes or tree.")] = "linear",
    field: Annotated[
        list[str] | None,
        typer.Option(help="Keep title, body or anchor (of links) apart from each other; repeat it."),
    ] = None,
    folds: Annotated[int, typer.Option(help="Of the cross-validation.")] = 5,
    weighting: Annotated[str, typer.Option(help="tfc, tfidf or tfipndf.")] = "tfc",
    language: Annotated[str, typer.Option(help="Of the stemmer and the stop words.")] = "english",
    json: Annotated[bool, typer.Option("--json", help="Print the model's metadata as JSON.")] = False,
) -> None:
    """Fit a text classifier; cross-validated figures are printed and kept in the model.

    Example: lycosa train text owls/ --negative other/ --out owls.model
    """
    import msgspec

    from lycosa.learn.training.classifiers import FIELDS, fit_models
    from lycosa.learn.training.examples import example_pages
    from lycosa.learn.training.text import Label
    from lycosa.learn.training.text_forms import TextSettings

    room_for(out)  # before the work, not after it
    if not negative and not unlabelled:
        raise InputError("Give --negative pages, or --unlabelled ones to find negatives among.")
    if unknown := sorted(set(field or ()) - set(FIELDS)):
        raise InputError(f"--field {unknown[0]}: choose among {', '.join(FIELDS)}.")
    if folds < 2:
        raise InputError(f"--folds {folds}: give at least 2.")
    chosen = tuple(name for name in FIELDS if name in (field or ()))
    try:
        settings = msgspec.convert(
            {"classifier": classifier, "weighting": weighting, "fields": chosen, "folds": folds},
            TextSettings,
        )
    except msgspec.ValidationError as error:
        raise InputError(f"{error}. See: lycosa train text --help") from None
    pages = {
        Label.POSITIVE: example_pages(positive, language),
        Label.NEGATIVE: example_pages(negative or [], language),
        Label.UNLABELLED: example_pages(unlabelled or [], language),
    }
    provenance = {"language": language, "positive": [str(path) for path in positive]}
    model = fit_models(["text"], pages, settings=settings, provenance=provenance)["text"]
    model.save(out)
    figures = model.metadata["cross_validation"]
    typer.echo(as_json(model.metadata) if json else _told(out, figures))


def _told(out: Path, figures: object) -> str:
    if not isinstance(figures, dict):
        return f"Wrote {out} (too few examples for cross-validation)."
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in figures.items() if isinstance(value, float))
    return f"Wrote {out}. Cross-validated: {numbers}."
