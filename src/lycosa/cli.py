"""The command line: a thin layer over the library. Help is quick, because nothing heavy is imported."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from lycosa import __version__
from lycosa.commands import engine, judging, lab, library, seeding, training
from lycosa.errors import MACHINE_FAULTS, LycosaError, MachineError

app = typer.Typer(
    name="lycosa",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A focused web crawler: the pages about one topic, why each was taken, and an archive of them.",
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"lycosa {__version__}")
        raise typer.Exit


for group in (engine, seeding, training, judging, library, lab):
    group.register(app)


def main() -> NoReturn:
    """Run the command line; errors are one line and an exit code."""
    try:
        app()
    except LycosaError as error:
        typer.echo(f"lycosa: {error}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno not in MACHINE_FAULTS:
            raise
        typer.echo(f"lycosa: {MachineError.of(error)}", err=True)
        sys.exit(MachineError.exit_code)
    except KeyboardInterrupt:
        sys.exit(3)
    sys.exit(0)
