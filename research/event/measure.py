"""Measure event models on a virtual web with events.

With parts, only these are measured; OUT.json keeps the others.

Command line: python -m research.event.measure WEB OUT.json [crawls] [classification]
Expected time: ten minutes of CPU for all parts on ../shared/webs/news, and six more to parse it for the first time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from lycosa.errors import InputError
from lycosa.values import Say
from lycosa_lab.papers.event.crawls import (
    Figures,
    best_size_pair,
    compared,
    measure_crawls,
    source_halves,
)
from lycosa_lab.papers.event.ranking import KS, measure_classification
from lycosa_lab.papers.event.web import EventWeb
from research.event.tables import markdown, write_page
from research.measured import ROOT, commit_of

DRAWS = 2


def _crawls(web: EventWeb, say: Say, ks: Sequence[int]) -> dict[str, Any]:
    plain, weighed = measure_crawls(web, say, ks, DRAWS)
    crawls, sources = Figures(plain), Figures(weighed)
    none = sources.crawlers[0]
    return {
        "crawls": [msgspec.to_builtins(run) for run in (*plain, *weighed)],
        "event against best-first": {str(k): compared(crawls, ("event", k), ("best-first", k)) for k in ks},
        "best sizes": best_size_pair(crawls),
        "sources against none": {
            name: compared(sources, (name, k), none) for name, k in sources.crawlers if name != none[0]
        },
        "sources by halves": source_halves(sources),
    }


PARTS: dict[str, Callable[[EventWeb, Say, Sequence[int]], dict[str, Any]]] = {
    "crawls": _crawls,
    "classification": lambda web, say, ks: {"classification": measure_classification(web, DRAWS, say, ks)},
}


def measure(
    web: EventWeb, say: Say, ks: Sequence[int] = KS, parts: Sequence[str] = (*PARTS,)
) -> dict[str, Any]:
    """Compute the figures, all or some."""
    found: dict[str, Any] = {}
    for part in parts:
        if part not in PARTS:
            raise InputError(f"There is no part {part!r}. Choose among: {', '.join(PARTS)}.")
        found |= PARTS[part](web, say, ks)
    return found


def main() -> None:
    """Measure, write the figures as JSON, and the tables into research/event.md."""
    web, out, parts = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or [*PARTS]
    before = msgspec.json.decode(out.read_bytes()) if out.exists() else {}
    made_at = before.get("made at", {}) | dict.fromkeys(parts, commit_of(ROOT))
    found = measure(EventWeb(web), partial(print, flush=True), parts=parts)
    written = msgspec.json.format(msgspec.json.encode(before | found | {"made at": made_at}))
    out.write_bytes(written)
    figures = msgspec.json.decode(written)
    print(markdown(figures))
    write_page(figures)


if __name__ == "__main__":
    main()
