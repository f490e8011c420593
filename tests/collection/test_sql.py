"""SQL stands in one place: the catalogue's in collection, the frontier's in frontier."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lycosa

ROOT = Path(lycosa.__file__).parent
STATEMENT = re.compile(
    r"\b(SELECT\b.*\bFROM|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|DROP TABLE|ATTACH DATABASE"
    r"|CREATE (TEMP |VIRTUAL )?(TABLE|INDEX|TRIGGER)|PRAGMA \w+)\b",
    re.DOTALL,
)
TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE(?: IF NOT EXISTS)?) (\w+)")

OWN_DATABASES = {
    "seeds/posts/tally.py": "counts posts in a file of its own, which is deleted when the counting ends",
    "seeds/posts/expansion.py": "remembers where short links lead, in a cache beside no collection",
}
"""Modules with SQL elsewhere, and why: none of them touches a collection."""


def strings_of(path: Path) -> Iterator[str]:
    """The string literals of a module that are no docstrings; of an f-string what stands between its braces' values."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def imports_sqlite(path: Path) -> bool:
    return bool(re.search(r"^\s*(import|from) sqlite3\b", path.read_text(encoding="utf-8"), re.MULTILINE))


def has_sql(path: Path) -> bool:
    return imports_sqlite(path) or any(STATEMENT.search(string) for string in strings_of(path))


def test_there_is_no_sql_outside_collection_and_frontier():
    """Whoever wants to know something of a collection asks a named query for it."""
    elsewhere = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] not in ("collection", "frontier") and has_sql(path)
    }
    assert elsewhere == set(OWN_DATABASES)


@pytest.mark.parametrize(("folder", "other"), [("collection", "frontier"), ("frontier", "collection")])
def test_each_keeps_to_its_own_tables(folder, other):
    """The catalogue and the frontier share a file, and neither reads the other's tables."""
    foreign = tables_made_in(other) - {"sqlite_master", "temp"}
    assert foreign
    named = {
        (path.relative_to(ROOT).as_posix(), table)
        for path in (ROOT / folder).rglob("*.py")
        for string in strings_of(path)
        for table in TABLE.findall(string)
        if table in foreign
    }
    assert not named


def tables_made_in(folder: str) -> set[str]:
    made = re.compile(r"CREATE (?:VIRTUAL )?TABLE(?: IF NOT EXISTS)? (\w+)")
    strings = [string for path in (ROOT / folder).rglob("*.py") for string in strings_of(path)]
    strings += [path.read_text("utf-8") for path in (ROOT / folder).rglob("*.sql")]
    return {table for string in strings for table in made.findall(string)}
