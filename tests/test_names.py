"""Names are words of the field: one word has one meaning, and a shared type has one definition."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import lycosa
import lycosa_lab

ROOT = Path(lycosa.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)


def names_in(tree: ast.AST) -> Iterator[str]:
    """Every name that code binds: variables, arguments, attributes, functions, classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


@cache
def public_types() -> dict[str, list[str]]:
    """The classes and type aliases that stand at the top of modules, with where they stand."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(name_of(path))
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name) and target.id[:1].isupper() and not target.id.isupper():
                        found[target.id].append(name_of(path))
    return found


def test_a_limit_is_called_limit_or_max():
    """A maximum is named `limit`, `max_…` or `MAX_…`, never `most`."""
    wrong = [
        f"{name_of(path)}: {name}"
        for path in MODULES
        for name in names_in(ast.parse(path.read_text(encoding="utf-8")))
        if name in ("most", "MOST", "LEAST") or name.startswith(("MOST_", "LEAST_"))
    ]
    assert not wrong


def test_a_shared_type_is_defined_once():
    """Types that every stage uses are defined in `values` alone."""
    assert public_types()["Say"] == public_types()["Floats"] == ["lycosa.values"]


def test_a_public_name_has_one_meaning():
    """No module but those of `lycosa.testing` defines another class with a public name of `lycosa`."""
    homes = {
        name: [home for home in public_types().get(name, []) if not home.startswith("lycosa.testing.")]
        for name in {*lycosa.__all__, *lycosa_lab.__all__}
    }
    assert not {name: found for name, found in homes.items() if len(found) > 1}
