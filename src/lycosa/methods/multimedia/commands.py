"""`lycosa train links` and `lycosa train images`: the models of the multimedia strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lycosa.commands import as_json, room_for, say
from lycosa.errors import InputError


def register(train: typer.Typer) -> None:
    """Add the commands to `train`."""
    train.command("links")(links)
    train.command("images")(images)


def links(
    examples: Annotated[
        list[Path],
        typer.Argument(help="CSV files with the columns anchor, before, after, relevant and page."),
    ],
    out: Annotated[Path, typer.Option(help="Where the model goes.")],
    language: Annotated[str, typer.Option(help="Of the stemmer and the stop words.")] = "english",
    json: Annotated[bool, typer.Option("--json", help="Print the model's metadata as JSON.")] = False,
) -> None:
    """Fit a link classifier on links of which you know whether they lead to relevant pages.

    Example: lycosa train links links.csv --out links.model
    """
    from lycosa.methods.multimedia.link_training import read_links, train_links

    room_for(out)  # before the work, not after it
    found = [example for path in examples for example in read_links(path, language)]
    provenance = {"language": language, "links": [str(path) for path in examples]}
    model = train_links(found, provenance=provenance)
    model.save(out)
    figures = model.metadata["cross_validation"]
    told = f"F1 {figures['f1']:.3f} on held-out links" if figures else "too few examples for cross-validation"
    typer.echo(as_json(model.metadata) if json else f"Wrote {out} ({told}).")


def images(
    folders: Annotated[
        list[Path],
        typer.Argument(help="A folder of example images for each class; the last, or `other`, is the rest."),
    ],
    out: Annotated[Path, typer.Option(help="Where the model goes.")],
    sources: Annotated[
        Path | None,
        typer.Option(help="A CSV with the columns file and source: folds hold out whole sources."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print what is known of the model as JSON.")] = False,
) -> None:
    """Fit an image model from folders of examples; files that are no images are skipped and listed.

    Example: lycosa train images maps/ other/ --out maps.model
    """
    from lycosa.methods.multimedia.image_training import read_sources, train_images

    room_for(out)  # before the work, not after it
    by_label = {folder.absolute().name: folder for folder in folders}
    if len(by_label) < len(folders):
        raise InputError(
            "Two of the folders have the same name, and a folder's name is its class. Rename one of them."
        )
    model = train_images(
        by_label,
        sources=read_sources(sources) if sources else None,
        provenance=", ".join(map(str, folders)),
        say=say,
    )
    model.save(out)
    if json:
        typer.echo(as_json(model.about))
        return
    for file, why in model.about["skipped"]:
        typer.echo(f"Skipped {file}: {why}", err=True)
    for label, figures in model.about["figures"].items():
        best = figures["mean"]
        typer.echo(
            f"{label}: precision {best['precision']:.3f}, recall {best['recall']:.3f}, F1 {best['f1']:.3f} on folds."
        )
    typer.echo(f"Wrote {out}.")
