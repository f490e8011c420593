"""The user's own code in a spec: `FILE.py:NAME`, or `python:NAME` for a function of the calling program."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from lycosa.errors import LycosaError, SpecError

PROGRAM = "python:"


def in_file(name: str) -> bool:
    """Whether a name refers to a file.

    >>> in_file("ideas/short.py:ShortPaths"), in_file("best-first")
    (True, False)
    """
    return ".py:" in name


def is_code(name: str) -> bool:
    """Whether a name refers to the user's own code."""
    return in_file(name) or name.startswith(PROGRAM)


def seen_from(folder: Path, name: str) -> str:
    """Return a name with an absolute path, if it refers to a file."""
    return str((folder / name).absolute()) if in_file(name) else name


def module_of(name: str, what: str) -> tuple[ModuleType, str]:
    """Import the file of `FILE.py:NAME`; return the module and NAME. Errors say that NAME should be a `what`.

    The module has its own name, so that worker processes find it too.
    """
    where, _, attribute = name.rpartition(":")
    path = Path(where).absolute()
    if not path.is_file():
        raise SpecError(f"{name}: there is no file {path}. Name a {what} as FILE.py:NAME.")
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        module = import_module(path.stem)
    except LycosaError:
        raise
    except Exception as error:
        raise SpecError(
            f"{path} cannot be loaded ({type(error).__name__}: {error}). Correct the file."
        ) from error
    if Path(getattr(module, "__file__", None) or "").absolute() != path:
        raise SpecError(f"{path}: another module is called {path.stem!r} already. Rename the file.")
    return module, attribute
