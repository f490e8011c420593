"""`pip install lycosa`, without any extra, can crawl, judge, ask and learn."""

from __future__ import annotations

import os
import re
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.commands.calling import one_by_one

WITHOUT = "import sys; sys.modules.update(dict.fromkeys({absent!r}))  # None: an import of it fails"


def plain_install() -> set[str]:
    """The packages that come with a plain install."""
    found: set[str] = set()
    left = ["lycosa"]
    while left:
        name = canonicalize_name(left.pop())
        if name not in found:
            found.add(name)
            needed = map(Requirement, requires(name) or [])
            left += [one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})]
    return found


def absent_modules() -> list[str]:
    """Modules that are installed here, but not by a plain install."""
    plain = plain_install()
    return sorted(
        module
        for module, packages in packages_distributions().items()
        if plain.isdisjoint(map(canonicalize_name, packages)) and module.isidentifier()
    )


def test_a_plain_install_crawls_asks_learns_and_goes_back(tmp_path: Path):
    """All that the README shows, with every package missing that only an extra brings."""
    absent = absent_modules()
    assert {"matplotlib", "pyarrow", "ray", "playwright"} <= set(absent)

    (tmp_path / "sitecustomize.py").write_text(
        WITHOUT.format(absent=absent)
    )  # child processes read it as well
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])

    commands = [
        ["demo", "--out", "demo"],
        ["label", "demo", "--count", "5"],
        ["judge", "--history", "demo"],
        ["judge", "--undo", "demo"],
        ["report", "demo"],
        ["export", "demo", "--jsonl", "pages.jsonl"],
        ["init", "owls", "--topic"],
    ]
    found = one_by_one(tmp_path, {**os.environ, "PYTHONPATH": path}, *commands, typed="y\nn\ny\nn\ny\n")
    assert [told.code for told in found] == [0] * len(commands), found
    demo, labelled, history, undone, *_ = [told.out for told in found]
    assert "kept as relevant" in demo
    assert re.search(
        r"kept \d+ → \d+", labelled
    )  # whether the version is used depends on how right these answers are
    assert "in use" in history
    assert "Back to judge version" in undone
    assert (tmp_path / "owls" / "crawl.toml").exists()
