"""The commands, one file per group, each with `register(app)`. Heavy imports are inside the commands."""

from __future__ import annotations

import inspect
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from lycosa.errors import InputError

Json = Annotated[bool, typer.Option("--json", help="Print a JSON summary on standard output.")]
Changes = Annotated[
    list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Change one key of the spec.")
]


def with_options(command: Callable[..., None], options: Mapping[str, tuple[Any, Any]]) -> Callable[..., None]:
    """A command whose `**` parameter becomes options, such as those that methods add: (type, typer.Option) by name."""
    *own, _ = inspect.signature(command, eval_str=True).parameters.values()
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if kind is bool else None,
            annotation=Annotated[kind, option],
        )
        for name, (kind, option) in options.items()
    ]
    command.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return command


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
    """Print a message to the user, apart from the results."""
    # Not typer.echo: it would write past the live progress, which then draws over the message.
    print(fitted(message, sys.stderr), file=sys.stderr, flush=True)


def fitted(text: str, stream: IO[str]) -> str:
    """A text as a stream shows it: on a terminal its lines end between words, elsewhere they are left as they are."""
    return wrapped(text, shutil.get_terminal_size().columns) if stream.isatty() else text


def wrapped(text: str, columns: int) -> str:
    """Lines that are no longer than that, further lines of one indented a little more. Words and URLs stay whole.

    >>> print(wrapped("Look at:\\n  0.93  Owls of the night  http://a.test/owls", 24))
    Look at:
      0.93  Owls of the
        night
        http://a.test/owls
    """
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(
            line,
            max(20, columns),
            subsequent_indent=indent + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join(lines)


def warn_no_contact() -> None:
    """For commands that ask servers: they should say on whose behalf."""
    say("Note: No contact address set: site owners cannot identify you. Give --contact ADDRESS.")


def as_json(value: object) -> str:
    """A value as one line of JSON."""
    import msgspec

    return msgspec.json.encode(value).decode()
