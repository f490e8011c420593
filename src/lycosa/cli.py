"""The command line: a thin layer over the library. Help is quick, because nothing heavy is imported."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, NoReturn

import typer

from lycosa import __version__
from lycosa.errors import MACHINE_FAULTS, LycosaError, MachineError, StoppedEarly
from lycosa.methods.registry import offered
from lycosa.processes import ONE_THREAD, SMALL_PAGES, YOUNG

GROUPS = {
    "engine": "init strategies check crawl why report demo import",
    "control": "status pause resume stop",
    "seeding": "seeds",
    "training": "train",
    "labelling": "label",
    "judging": "judge",
    "library": "serve publish export index changes merge",
}
"""The modules of `lycosa.commands`, with the names of their commands."""
COMMANDS = "lycosa.commands"
"""The entry points of further commands: functions that take the typer app."""
DEBUG = "LYCOSA_DEBUG"
IN_THE_LAB = ("lab", "bench")
"""Commands of the package lycosa-lab."""
EXTRAS = {"matplotlib": "lab", "pyarrow": "parquet", "scrapy": "bench"}
"""The extra of the package that installs a missing module."""


app = typer.Typer(
    name="lycosa",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A focused web crawler: the pages about one topic, why each was taken, and an archive of them.",
    epilog="Begin with: lycosa demo. Then: lycosa init owls --topic, edit owls/crawl.toml, lycosa crawl owls.",
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error too.")] = False,
) -> None:
    if version:
        typer.echo(f"lycosa {__version__}")
        raise typer.Exit
    if debug:
        os.environ[DEBUG] = "1"  # worker processes of the lab should know it too


def _register(word: str) -> None:
    """Add the commands; of a known one only its group, because a command line has to start fast."""
    homes = {name: group for group, names in GROUPS.items() for name in names.split()}
    for group in [homes[word]] if word in homes else GROUPS:
        import_module(f"lycosa.commands.{group}").register(app)
    if word not in homes:
        for point in offered(COMMANDS):
            point.load()(app)


def _first_word() -> str:
    return next((word for word in sys.argv[1:] if not word.startswith("-")), "")


_register(_first_word())


@app.command("help")
def show_help(
    context: typer.Context,
    command: Annotated[list[str] | None, typer.Argument(help="A command, such as crawl or lab run.")] = None,
) -> None:
    """Show what a command does; without one, all commands. The same as COMMAND --help.

    Example: lycosa help lab run
    """
    words = command or []
    typer.main.get_command(app).main([*words, "--help"], prog_name=context.find_root().info_name)


def main() -> NoReturn:
    """Run the command line; errors are one line and an exit code."""
    _open_standard_streams()
    _hear_of_children()
    # Judges are fitted in this process too: by `label`, the library, the lab. Workers of a crawl are copies of it.
    for name, value in (ONE_THREAD | SMALL_PAGES).items():
        os.environ.setdefault(name, value)
    gc.set_threshold(YOUNG)
    if (word := _first_word()) in IN_THE_LAB and find_spec("lycosa_lab") is None:
        _end(f"{word} is a command of lycosa-lab. Install it with: pip install 'lycosa[lab]'", 1)
    try:
        app()
    except LycosaError as error:
        _end(str(error), error.exit_code)
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        _end(f"{error.name} is not installed. Install it with: pip install 'lycosa[{extra}]'", 1)
    except OSError as error:
        if error.errno in MACHINE_FAULTS:
            _end(str(MachineError.of(error)), MachineError.exit_code)
        if error.filename is None:
            raise
        _end(f"{os.fsdecode(error.filename)}: {error.strerror}. Fix that and run the same command.", 1)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def _open_standard_streams() -> None:
    """Reopen closed standard streams on /dev/null: else the next opened file gets their number."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _hear_of_children() -> None:
    """Restore default SIGCHLD handling: an inherited SIG_IGN breaks `wait()`.

    Then the system forgets each as it ends: to wait for one is an error, and nobody knows how it ended.
    """
    if hasattr(signal, "SIGCHLD") and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _end(message: str, code: int) -> NoReturn:
    if os.environ.get(DEBUG) and code != StoppedEarly.exit_code:
        traceback.print_exc()
    typer.echo(f"lycosa: {message}", err=True)
    sys.exit(code)
