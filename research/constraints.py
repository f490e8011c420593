"""Write constraints.txt: the installed and tested versions of all dependencies.

Command line: make constraints    (installs the newest versions that pyproject.toml allows, then runs this)
          or: python -m research.constraints > constraints.txt    (the versions of this environment)
Expected time: under a second; with the installing, a few minutes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
HEAD = """\
# The versions that the tests ran with. `make demo` and `make test` install these; pyproject.toml has the ranges.
# Written by `make constraints`; do not edit.
"""


def requirements() -> list[Requirement]:
    """Requirements of pyproject.toml: dependencies and all extras except our own name."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    named = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    return [found for found in map(Requirement, named) if found.name != project["name"]]


def pinned(wanted: list[Requirement]) -> dict[str, str]:
    """Installed versions of the requirements and of their dependencies, by name."""
    versions: dict[str, str] = {}
    waiting, seen = [*wanted], set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, *sorted(requirement.extras)) in seen or not _applies(requirement):
            continue
        seen.add((name, *sorted(requirement.extras)))
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError:  # an extra that is not installed here
            continue
        versions[name] = found.version
        waiting += _needs(found.requires or [], requirement.extras)
    return dict(sorted(versions.items()))


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def _needs(named: list[str], extras: set[str]) -> Iterator[Requirement]:
    for requirement in map(Requirement, named):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            requirement.marker = None
            yield requirement


def constraints() -> str:
    """The text of constraints.txt."""
    found = pinned(requirements()).items()
    return HEAD + "".join(f"{name}=={version}\n" for name, version in found if not name.startswith("lycosa"))


if __name__ == "__main__":
    print(constraints(), end="")
