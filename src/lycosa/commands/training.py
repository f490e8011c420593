"""`lycosa train …`: models from examples. Each kind is a file of its own with `register(train)`."""

from __future__ import annotations

import typer

from lycosa.commands import training_text
from lycosa.methods.event import commands as training_event
from lycosa.methods.genre import commands as training_genre
from lycosa.methods.multimedia import commands as training_media
from lycosa.methods.profile import commands as training_page_types

train = typer.Typer(no_args_is_help=True, help="Fit a model from labelled pages.")


def register(app: typer.Typer) -> None:
    """Add `train` to the command line."""
    for kind in (training_text, training_event, training_genre, training_media, training_page_types):
        kind.register(train)
    app.add_typer(train, name="train")
