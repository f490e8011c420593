"""What an event model is worth on a web with events. In: a virtual web. Out: tables of figures.

python -m lycosa.lab.measure_event ../shared/webs/news OUT.json
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from lycosa.lab.event_crawls import (
    Figures,
    best_size_pair,
    compared,
    measure_crawls,
    source_halves,
)
from lycosa.lab.event_ranking import KS, Say, measure_classification, measure_ways
from lycosa.lab.event_tables import markdown
from lycosa.lab.event_web import EventWeb

DRAWS = 2


def measure(web: EventWeb, say: Say, ks: Sequence[int] = KS) -> dict[str, Any]:
    """All figures of docs/strategies/event.md."""
    plain, weighed = measure_crawls(web, say, ks, DRAWS)
    crawls, sources = Figures(plain), Figures(weighed)
    none = sources.crawlers[0]
    found: dict[str, Any] = {
        "crawls": [msgspec.to_builtins(run) for run in (*plain, *weighed)],
        "event against best-first": {k: compared(crawls, ("event", k), ("best-first", k)) for k in ks},
        "best sizes": best_size_pair(crawls),
        "sources against none": {
            name: compared(sources, (name, k), none) for name, k in sources.crawlers if name != none[0]
        },
        "sources by halves": source_halves(sources),
    }
    for name in ("event against best-first", "best sizes", "sources against none", "sources by halves"):
        say(f"{name}: {msgspec.json.encode(found[name]).decode()}")
    found["ways by halves"] = measure_ways(web, say, ks)
    found["classification"] = measure_classification(web, DRAWS, say, ks)
    return found


def main() -> None:
    """Measure, write the figures, and print them as the tables of the documentation."""
    found = measure(EventWeb(Path(sys.argv[1])), partial(print, flush=True))
    written = msgspec.json.format(msgspec.json.encode(found))
    Path(sys.argv[2]).write_bytes(written)
    print(markdown(msgspec.json.decode(written)))


if __name__ == "__main__":
    main()
