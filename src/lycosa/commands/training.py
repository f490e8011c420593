"""`lycosa train …`: models from examples. `text` is everybody's; each method brings its own."""

from __future__ import annotations

import typer

from lycosa.commands import training_text
from lycosa.methods.registry import methods

train = typer.Typer(no_args_is_help=True, help="Fit a model from labelled pages.")


def register(app: typer.Typer) -> None:
    """Add `train` to the command line."""
    training_text.register(train)
    for method in methods():
        if method.commands.train:
            method.commands.train(train)
    app.add_typer(train, name="train")
