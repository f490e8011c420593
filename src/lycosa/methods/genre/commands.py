"""`lycosa train genre` and `lycosa train genre-prior`: the models of the genre strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lycosa.commands import as_json, room_for
from lycosa.errors import InputError


def register(train: typer.Typer) -> None:
    """Add the commands to `train`."""
    train.command("genre")(genre)
    train.command("genre-prior")(genre_prior)


def genre(
    examples: Annotated[Path, typer.Argument(help="A CSV file with the columns file, url and genre.")],
    out: Annotated[Path, typer.Option(help="Where the model goes.")],
    words: Annotated[Path | None, typer.Option(help="A TOML file with more words, by list.")] = None,
    paper: Annotated[bool, typer.Option("--paper", help="The paper's nine features only.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the model's metadata as JSON.")] = False,
) -> None:
    """Fit a genre model on your own pages; its figures are of sites that it had not seen.

    Example: lycosa train genre examples.csv --out genres.model
    """
    from lycosa.methods.genre.signs import read_words
    from lycosa.methods.genre.training import GenreSettings, train_genre
    from lycosa.methods.genre.training_files import read_examples

    room_for(out)  # before the work, not after it
    lists = read_words(words) if words else None
    model = train_genre(
        read_examples(examples, lists),
        GenreSettings(paper=paper),
        words=lists,
        provenance={"examples": str(examples)},
    )
    model.save(out)
    figures = model.metadata["cross_validation"]
    if json:
        typer.echo(as_json(model.metadata))
    else:
        typer.echo(
            f"Wrote {out}. Cross-validated by site: accuracy {figures['accuracy']:.3f} on "
            f"{figures['tested']} pages (always the most frequent genre: {figures['majority']:.3f})."
        )


def genre_prior(
    collection: Annotated[Path, typer.Argument(help="A collection whose pages have a genre.")],
    out: Annotated[Path, typer.Option(help="Where the prior goes (JSON).")],
) -> None:
    """Count on a crawled graph how often links lead to relevant pages, by genre: P(I, G).

    Example: lycosa train genre-prior owls/owls --out prior.json
    """
    from lycosa.collection.collection import Collection
    from lycosa.methods.genre.prior import GenrePrior
    from lycosa.methods.genre.report import link_counts

    room_for(out)  # before the work, not after it
    with Collection.open(collection) as opened:
        counts = link_counts(opened)
    if not counts:
        raise InputError(
            f'{collection} has no links between pages with a genre. Crawl it with strategy = "genre", '
            'or with [index] genre = "now".'
        )
    GenrePrior(dict(counts), {"collection": str(collection)}).save(out)
    typer.echo(f"Wrote {out}: {sum(links for _, links in counts.values()):,} links counted.")
