"""The commands, one file per group, each with `register(app)`. Heavy imports are inside the commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lycosa.errors import InputError

Json = Annotated[bool, typer.Option("--json", help="Print a JSON summary on standard output.")]
Changes = Annotated[
    list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Change one key of the spec.")
]


def room_for(path: Path) -> Path:
    """The path of a file to write, with the folders above it made."""
    try:
        path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be written ({reason}). Choose another place.") from None
    if path.is_dir():
        raise InputError(f"{path} is a folder. Name a file in it.")
    return path


def say(message: str) -> None:
    """A word to the user, beside the results."""
    # Not typer.echo: it would write past the live progress, which then draws over the message.
    print(message, file=sys.stderr, flush=True)


def warn_no_contact() -> None:
    """For commands that ask servers: they should say on whose behalf."""
    say("Note: nobody whose site is asked can tell who asks, or reach you. Give --contact ADDRESS.")


def as_json(value: object) -> str:
    """A value as one line of JSON."""
    import msgspec

    return msgspec.json.encode(value).decode()
