"""Imports point down the list of stages, and what is heavy is imported only where it is used."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import lycosa

ROOT = Path(lycosa.__file__).parent
STAGES = "spec seeds frontier fetch page evidence collection learn methods engine report".split()
"""In the order of a crawl: a stage imports earlier ones and the root's values."""
REGISTRY = "lycosa.methods.registry"
"""Every stage may ask it what the methods say of themselves; it imports nothing of them."""
BELOW_ALL = {"values", "urls", "errors", "clock", "files", "processes", "wording"}
"""Root modules that every stage may import; they import only one another."""
METHODS = {path.parent.name for path in ROOT.glob("methods/*/__init__.py")}
ON_TOP = {
    "commands": {"commands"},
    "demo": {"engine", "demo", "testing"},
}
"""Top-level modules and folders of a method, loaded by name only, and what they may import in addition to the stages."""
HEAVY = {"sklearn", "scipy", "matplotlib", "pandas", "joblib", "pyarrow", "scrapy", "torch"}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = [*path.relative_to(ROOT.parent).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """The stage or root module that a module belongs to: `lycosa.page.text.terms` is of `page`."""
    return module.split(".")[1] if "." in module else ""


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(path: Path, *, at_import_time: bool) -> Iterator[str]:
    """The modules that a file imports: everywhere, or only while it is itself imported."""
    waiting: list[ast.AST] = [tree_of(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and at_import_time:
            continue
        guarded = isinstance(node, ast.If) and ast.unparse(node.test) in (
            "TYPE_CHECKING",
            "__name__ == '__main__'",
        )
        if guarded and at_import_time:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "lycosa":
                yield from (f"lycosa.{alias.name}" for alias in node.names if not alias.name.startswith("__"))
        waiting.extend(ast.iter_child_nodes(node))


def method_of(module: str) -> str:
    """The method whose folder a module is in; '' for all others."""
    parts = module.split(".")
    return parts[2] if part_of(module) == "methods" and len(parts) > 2 and parts[2] in METHODS else ""


def role_of(module: str) -> str:
    """Which part of a method a module is: its strategy, evidence …, or one that stands on top."""
    return module.split(".")[3] if method_of(module) and module.count(".") > 2 else ""


def allowed(importer: str, imported: str) -> bool:
    """Whether the layers permit it."""
    if imported == REGISTRY and part_of(importer) not in BELOW_ALL:
        return True
    here, there = part_of(importer), part_of(imported)
    own, other = method_of(importer), method_of(imported)
    if other and own != other:
        return False  # a method is met through the registry only, also by other methods
    if own and own == other:
        return role_of(imported) not in ON_TOP or role_of(importer) in ON_TOP
    if not there or here == there or there in BELOW_ALL:
        return here != there or here not in BELOW_ALL
    if here in BELOW_ALL:
        return False
    if here not in STAGES or there in ON_TOP.get(role_of(importer), ()):
        return True  # library, lab, commands, demo …: the layers above the stages
    return there in STAGES and STAGES.index(there) < STAGES.index(here)


def test_imports_point_down():
    """The folders are the stages of a crawl; a module imports its own, earlier ones and the values."""
    wrong = [
        f"{importer} imports {imported}"
        for path in modules()
        for importer in [name_of(path)]
        for imported in imports_of(path, at_import_time=False)
        if imported.split(".")[0] == "lycosa" and not allowed(importer, imported)
    ]
    assert not wrong, "a stage imports a later one: see docs/architecture.md"


def test_nothing_heavy_is_imported_at_import_time():
    """Training and plotting libraries are imported inside the functions that use them."""
    heavy = [
        f"{name_of(path)} imports {imported}"
        for path in modules()
        for imported in imports_of(path, at_import_time=True)
        if imported.split(".")[0] in HEAVY
    ]
    assert not heavy


CRAWL = """
import json, sys
from pathlib import Path
from tests.crawling import crawl, spec_text
from lycosa.testing import Site
page = "<title>Owls</title><p>owl night <a href=/owls>owls</a> <a href=/x>x</a>"
with Site({"/": page, "/owls": page + "!", "/x": "<p>x"}) as site:
    text = spec_text(site, ["http://a.test/"], top={"strategy": "best-first"}, topic={"keywords": ["owl"]},
                     judge={"kind": "topic"}, process={"workers": 1})
    pages = crawl(text, Path(sys.argv[1])).pages
print(json.dumps([pages, sorted(name for name in sys.modules if "." not in name)]))
"""


def test_a_crawl_loads_nothing_heavy(tmp_path):
    """A whole crawl with topic, strategy, index and archive runs without scikit-learn and its kin."""
    command = [sys.executable, "-W", "ignore", "-c", CRAWL, str(tmp_path / "out")]
    done = subprocess.run(
        command, cwd=ROOT.parents[1], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    pages, loaded = json.loads(done.stdout)
    assert pages == 3
    assert not set(loaded) & HEAVY


WIRING = "lycosa.engine.session"
ROOMS_OF_OTHERS = 10
"""How many rooms (other modules of the engine, and folders of other stages) a module of the engine may know."""
BEGINS_A_CRAWL = {"lycosa.engine.run", "lycosa.engine.python_api"}


def rooms_known_to(path: Path) -> set[str]:
    """The modules of the engine and the other stages that a module imports."""
    ours = (name for name in imports_of(path, at_import_time=False) if name.startswith("lycosa."))
    others = {name if part_of(name) == "engine" else part_of(name) for name in ours}
    return others - BELOW_ALL - {name_of(path), ""}


def test_one_module_of_the_engine_wires_the_others():
    """The wiring knows all; every other module knows the few that it works with, and none of them the wiring."""
    known = {name_of(path): rooms_known_to(path) for path in (ROOT / "engine").glob("*.py")}
    wires = {name for name, rooms in known.items() if len(rooms) > ROOMS_OF_OTHERS}
    assert wires == {WIRING}, {name: sorted(known[name]) for name in wires}
    assert {name for name, rooms in known.items() if WIRING in rooms} == BEGINS_A_CRAWL


def test_the_root_has_only_what_many_stages_use():
    """A module of the root that serves one stage belongs into its folder."""
    entrances = {"lycosa", "lycosa.__main__", "lycosa.cli"}
    assert {name_of(path) for path in ROOT.glob("*.py")} - entrances == {
        f"lycosa.{name}" for name in BELOW_ALL
    }
    imports = {name_of(path): set(imports_of(path, at_import_time=False)) for path in modules()}
    for name in BELOW_ALL:
        stages = {part_of(user) for user, imported in imports.items() if f"lycosa.{name}" in imported}
        assert len(stages & set(STAGES)) >= 2, f"{name} is used by {sorted(stages)}"


FOR_A_CRAWL = {"aiohttp", "yarl", "fastwarc", "uvloop", "sqlite3", "jinja2", "starlette", "PIL", "lxml"}
STARTS = {
    "sys.argv[1:] = ['--help']; from lycosa.cli import main; main()": HEAVY
    | FOR_A_CRAWL
    | {"numpy", "pydantic", "msgspec", "selectolax"},
    "sys.argv[1:] = ['check', 'crawl.toml']; from lycosa.cli import main; main()": HEAVY | FOR_A_CRAWL,
}
STARTS["import lycosa.engine.processes.workers"] = HEAVY | FOR_A_CRAWL | {"pydantic", "typer"}
"""What is not loaded yet when a program has only just begun, by its first line."""


@pytest.mark.parametrize("first_line", STARTS)
def test_what_begins_quickly_loads_little(tmp_path, first_line):
    """A command begins in half a second because it loads what it needs; no test can time that, but this one can look."""
    (tmp_path / "crawl.toml").write_text('[topic]\nkeywords = ["owl"]\n[seeds]\nurls = ["http://a.test/"]\n')
    told = "import atexit, json, sys; atexit.register(lambda: print('\\n' + json.dumps(list(sys.modules))))"
    done = subprocess.run(
        [sys.executable, "-c", f"{told}\n{first_line}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}
    assert not loaded & STARTS[first_line]
