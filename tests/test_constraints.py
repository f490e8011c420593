"""constraints.txt: the versions that `make demo` and `make test` install."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from research.constraints import PYPROJECT, constraints, pinned

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
TEXT = (ROOT / "constraints.txt").read_text(encoding="utf-8")
PINNED = dict(line.split("==") for line in TEXT.splitlines() if line and not line.startswith("#"))


def test_every_dependency_is_pinned_within_its_range():
    """All that `make demo` and `make test` install; Scrapy, which only the bench wants, is not among it."""
    extras = [
        one
        for name in ("browser", "lab", "parquet", "cluster", "dev")
        for one in PROJECT["optional-dependencies"][name]
    ]
    for requirement in map(Requirement, [*PROJECT["dependencies"], *extras]):
        if requirement.name not in (PROJECT["name"], "lycosa-lab"):
            version = PINNED.get(canonicalize_name(requirement.name))
            assert version, f"{requirement.name} is not in constraints.txt. Run: make constraints"
            assert requirement.specifier.contains(version), f"{requirement} excludes {version}"


def test_the_package_itself_keeps_ranges():
    for requirement in map(Requirement, PROJECT["dependencies"]):
        assert all(one.operator == ">=" for one in requirement.specifier), str(requirement)


def test_a_plain_install_can_train():
    """Whoever labels pages or gives examples needs no extra; plots, Parquet, a browser, shards and the comparison with Scrapy do."""
    plain = {Requirement(one).name for one in PROJECT["dependencies"]}
    assert {"scikit-learn", "scipy"} <= plain
    assert {*PROJECT["optional-dependencies"]} == {
        "lab",
        "parquet",
        "bench",
        "browser",
        "cluster",
        "docs",
        "fonts",
        "meaning",
        "dev",
    }


def test_the_program_finds_what_a_package_needs_too():
    found = pinned([Requirement("pytest>=8")])
    assert {"pytest", "pluggy", "packaging"} <= {*found}
    assert all(line.count("==") == 1 for line in constraints().splitlines() if not line.startswith("#"))


def test_both_commands_use_it():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = [line for line in makefile.splitlines() if "-e '.[" in line]
    assert len(installs) == 3
    assert sum("-c constraints.txt" in line for line in installs) == 2  # the third one renews it
