"""A strategy from a file or a class gets what the built-in strategy gets: the same learning judge, the same models."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from lycosa.methods.lookup import fitted, strategy_class, strategy_names
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.grids.variants import Variant
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.webs.cache import CachedWeb

PROTOCOLS = {"trained": None} | {
    given: parse_given(given)
    for given in ("keywords", "examples:3", "keywords,examples:3", "keywords,examples:3,labels:5")
}
TOPICS = {"event": "whale-bremen", "profile": "kites", "multimedia": "air-quality"}
COPIED = ("breadth-first", "best-first", "best-first-page", "opic", "shark-search")
PAGES = {"keywords,examples:3,labels:5": 60}  # the first question comes after 50 pages


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, str], Any]]:
    """How a strategy is named in a file: as an empty subclass, as a copy of its source, and as a class."""
    folder = tmp_path_factory.mktemp("twins")
    found: dict[tuple[str, str], Any] = {}
    for name in strategy_names():
        kind = strategy_class(name)
        file = folder / f"sub_{name.replace('-', '_')}.py"
        file.write_text(
            f"from {kind.__module__} import {kind.__name__}\n\n\nclass Mine({kind.__name__}):\n    pass\n"
        )
        found[name, "subclass"] = f"{file}:Mine"
        found[name, "class"] = type("Mine", (kind,), {"__module__": __name__})
        if name in COPIED:
            file = folder / f"copied_{name.replace('-', '_')}.py"
            file.write_text(inspect.getsource(sys.modules[kind.__module__]))
            found[name, "copy"] = f"{file}:{kind.__name__}"
    before = [*sys.path]
    yield found
    sys.path[:] = before


def outcome(run: Run) -> dict[str, Any]:
    """All that a run found, without the name of its strategy."""
    return {key: getattr(run, key) for key in run.__struct_fields__ if key != "strategy"} | {
        key: getattr(run, key) for key in ("recall", "f1", "calibration_error", "brier", "harvest_error")
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", strategy_names())
def test_a_twin_from_a_file_reaches_the_same(web: CachedWeb, twins, name: str, protocol: str):
    """The same URLs in the same order, the same judgements and the same answers."""
    given = PROTOCOLS[protocol]
    laboratory = Laboratory(
        web, TOPICS.get(name, "owls"), 1, Options(pages=PAGES.get(protocol, 25), given=given)
    )
    mine = [twin for (twin_of, _), twin in twins.items() if twin_of == name]
    laboratory.prepare([name, *mine])
    built_in = laboratory.run(Variant(name))

    assert built_in.fetched
    assert bool(built_in.answered) == bool(given and given.labels)
    for twin in mine:
        assert outcome(laboratory.run(Variant(twin))) == outcome(built_in), twin


def test_a_starved_twin_names_the_setting_to_change(web: CachedWeb, twins):
    """The advice of a strategy that refuses links reaches the user from a file, too."""
    laboratory, twin = Laboratory(web, "owls", 1, Options(pages=25)), twins["selective", "subclass"]
    laboratory.prepare(["selective", twin])
    how = {"combine": "paper"}
    built_in, mine = (fitted(name, how, laboratory.preparations[name]) for name in ("selective", twin))

    assert mine.when_starved == built_in.when_starved != ""
