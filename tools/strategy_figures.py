"""Writes the figures that `lycosa strategies` and docs/strategies/index.md show, from results of the lab.

Command line: lycosa lab run ../shared/webs/wikischools --given keywords,examples:3 --strategy fused --strategy best-first \
--strategy breadth-first --pages 200 --runs 3 --json results.json
         then: python -m tools.strategy_figures "12 topics of wikischools, 200 pages" results.json
         then: make docs
Expected time: under a second; the runs of the lab before, some minutes.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from lycosa.methods.choosing import FIGURES, Figures

MEASURES = ("harvest", "recall", "precision", "kept_recall", "f1")


def figures_of(measured: str, results: Sequence[Mapping[str, Any]]) -> Figures:
    """The mean of each measure by strategy, over what several `lab run --json` wrote."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for found in result["strategies"]:
            for measure in MEASURES:
                if measure in found:
                    values[found["strategy"]][measure].append(found[measure]["mean"])
    means = {
        name: {measure: round(fmean(those), 4) for measure, those in found.items()}
        for name, found in sorted(values.items())
    }
    return Figures(measured, dict(results[0]["options"]) if results else {}, means)


def write(figures: Figures, path: Path = FIGURES) -> None:
    """Write the file that is shipped."""
    packed = msgspec.json.encode(msgspec.to_builtins(figures))
    path.write_bytes(msgspec.json.format(packed, indent=2) + b"\n")


def main(arguments: Sequence[str]) -> None:
    """Read results, write the figures."""
    measured, *files = arguments
    results: Iterable[Any] = (msgspec.json.decode(Path(name).read_bytes()) for name in files)
    write(figures_of(measured, [*results]))


if __name__ == "__main__":
    main(sys.argv[1:])
