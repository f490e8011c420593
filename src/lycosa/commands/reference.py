"""Pages of the documentation written from the program itself: `python -m lycosa.commands.reference [spec|strategies]`."""

from __future__ import annotations

import sys
from typing import Any

import typer

HEAD = """# The commands

Written from the program's own help by `python -m lycosa.commands.reference > docs/commands.md`; a test
keeps it up to date. `lycosa COMMAND --help` says the same.

Results go to standard output, words about them to standard error. Folders above a file that is to be written
are made. `lycosa --install-completion` teaches your shell to complete commands and options with the Tab key.
`lycosa --debug COMMAND …` (or `LYCOSA_DEBUG=1`) shows the traceback of an error, too.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed: the Web, the disk, a damaged or busy collection, a strategy of yours |
| 2 | wrong use: an option, a spec, a file or collection that is not there or no such thing |
| 3 | a crawl stopped early, by Ctrl-C or a signal: run the same command again and it goes on |
| 130 | any other command stopped by Ctrl-C |
"""

CHOOSING = """# Which strategy?

Take [fused](fused.md), the default, unless one of the other rows describes your crawl. `lycosa strategies` prints the
same table.

{}

The other strategies are methods of papers and baselines: [all of them](index.md). You can change the strategy in the
middle of a crawl, because the judge decides whether a page is relevant. [The lab](../lab.md) compares strategies on
webs of your own.

This page is written by `python -m lycosa.commands.reference strategies > docs/strategies/choosing.md`.
"""


def commands_reference() -> str:
    """Every command with its arguments and options."""
    from lycosa.cli import app

    return HEAD + "".join(_described("lycosa", name, command) for name, command in _commands(app))


def _commands(app: typer.Typer) -> list[tuple[str, Any]]:
    """All commands by their full name, groups unfolded."""
    found: list[tuple[str, Any]] = []
    waiting = [("", typer.main.get_command(app))]
    while waiting:
        name, command = waiting.pop(0)
        inner = getattr(command, "commands", None)
        if inner is None:
            found.append((name, command))
        else:
            waiting += [(f"{name} {key}".strip(), item) for key, item in inner.items()]
    return found


def _described(program: str, name: str, command: Any) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join(
        [program, name, *(_argument(param) for param in arguments), *(["[OPTIONS]"] if options else [])]
    )
    told, _, example = (command.help or "").partition("Example:")
    lines = ["", f"## lycosa {name}", "", told.strip(), "", "```", usage, "```"]
    if example:
        lines += ["", f"Example: `{' '.join(example.split())}`"]
    if command.params:
        lines += ["", "| | |", "|---|---|"]
        lines += [f"| `{_argument(param)}` | {_help(param)} |" for param in arguments]
        lines += [f"| `{_option(param)}` | {_help(param)} |" for param in options]
    return "\n".join(lines) + "\n"


def _argument(param: Any) -> str:
    name = (param.metavar or param.name).upper()
    return f"{name}..." if param.nargs == -1 else name if param.required else f"[{name}]"


def _option(param: Any) -> str:
    names = " / ".join([*param.opts, *param.secondary_opts])
    if param.is_flag:
        return names
    return f"{names} {param.metavar or param.name.upper().replace('_', '-')}"


def _help(param: Any) -> str:
    text = " ".join((param.help or "").split()).replace("|", "\\|")
    default = param.default
    shown = not callable(default) and default not in (None, False, (), "") and not isinstance(default, bool)
    return f"{text} Default: {default}." if shown else text


def spec_pages() -> str:
    """Every key of a spec, with the sections of the installed methods."""
    from lycosa.methods.lookup import all_settings
    from lycosa.spec.writing import spec_reference

    return spec_reference(all_settings())


def choosing_page() -> str:
    """Advice on the choice of a strategy, from the current figures."""
    from lycosa.methods.choosing import choices_table

    return CHOOSING.format(choices_table())


PAGES = {"spec": spec_pages, "strategies": choosing_page}

if __name__ == "__main__":
    print(PAGES.get("".join(sys.argv[1:]), commands_reference)(), end="")
