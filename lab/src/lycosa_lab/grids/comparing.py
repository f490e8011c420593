"""Compare strategies on one virtual web."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from lycosa.methods import BaseStrategy
from lycosa_lab import results
from lycosa_lab.grids.grid import chosen_topics, run_grid
from lycosa_lab.grids.processes import Done
from lycosa_lab.grids.variants import ORACLES, strategy_name, taken_sections, variants
from lycosa_lab.runs.given import refuse_ungiven
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.runs.user import refuse_untrained
from lycosa_lab.webs.web import VirtualWeb

DEFAULTS = Options()


@dataclass(frozen=True)
class Comparison:
    """The runs of a comparison, and all that follows from them."""

    web: VirtualWeb
    strategies: tuple[str, ...]
    topics: tuple[str, ...]
    random_seeds: tuple[int, ...]
    options: Options
    runs: tuple[Run, ...]
    baseline: str = ""

    def results(self) -> dict[str, Any]:
        """Means, paired tests and every run, as plain data: what `lab run --json` writes."""
        return results.summary(
            self.runs,
            self.options,
            self.baseline,
            web=self.web.title,
            topics=list(self.topics),
            random_seeds=list(self.random_seeds),
            strategies=list(self.strategies),
        )

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a run, for a data frame."""
        return [results.row_of(run) for run in self.runs]

    def __str__(self) -> str:
        return results.table_text(self.results())


def compare(
    web: str | PathLike[str],
    strategies: Sequence[str | type[BaseStrategy]],
    *,
    topics: Sequence[str] = (),
    changes: Sequence[str] = (),
    options: Options = DEFAULTS,
    runs: int = 5,
    random_seed: int = 1,
    baseline: str = "",
    processes: int | None = 1,
    progress: Done = lambda _done, _all: None,
    parsing: Done = lambda _done, _all: None,
    fresh: bool = False,
) -> Comparison:
    """Run strategies on topics of a virtual web (all of them by default), each from the same draws.

    A strategy is a name (also `oracle`, or `FILE.py:Class`) or a class of your own. `changes` are settings and
    grids of them, as `lab run --set` takes them; those of a method's own section (`genre.want=news`) hold for all.
    The others are tested against the `baseline`, by default the first strategy. With `processes` above 1 (None: the
    cores) runs are made in parallel: a script then needs its `if __name__ == "__main__":`. Classes run in this process.
    `parsing` hears of the web's pages while they are parsed, the first time, and `progress` of the runs.
    Runs that were made before come from the cache, unless `fresh`.
    """
    changes, sections = taken_sections(changes)
    options = replace(options, sections=sections) if sections else options
    wanted = variants(strategies, changes)  # all that can be wrong is found before a web is parsed
    reference = results.baseline_of([variant.name for variant in wanted], baseline)
    opened = VirtualWeb.open(Path(web))
    chosen = chosen_topics(opened, topics)
    if options.given:
        refuse_ungiven(options.given, [opened.topics[name] for name in chosen])
        refuse_untrained([strategy for strategy in strategies if strategy not in ORACLES])
    seeds = range(random_seed, random_seed + runs)
    made = run_grid(
        opened.path,
        chosen,
        wanted,
        options,
        random_seeds=seeds,
        processes=processes,
        progress=progress,
        parsing=parsing,
        fresh=fresh,
    )
    names = tuple(map(strategy_name, strategies))
    return Comparison(opened, names, tuple(chosen), tuple(seeds), options, tuple(made), reference)
