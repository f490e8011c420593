"""The settings that the multimedia lab tries: those of the paper's tables and figures, and others.

A name states the rule and its thresholds: "f' 0.8", "fS 0.9 0.0", "f' 0.8 text 0.2" (with exploration).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lycosa_lab.papers.multimedia.crawls import Trial


def tenths(first: int = 1, last: int = 9) -> list[float]:
    """0.1, 0.2, … 0.9."""
    return [number / 10 for number in range(first, last + 1)]


def below(t1: float, least: int = 0) -> list[float]:
    """The tenths below a threshold.

    >>> below(0.3)
    [0.0, 0.1, 0.2]
    """
    return [number / 10 for number in range(least, round(10 * t1))]


def papers_trials() -> dict[str, Trial]:
    """Every setting of tables 3-6 and figures 5-9."""
    return dict([*_selection(), *_exploration(), *_by_depth()])


def _selection() -> Iterator[tuple[str, Trial]]:
    yield "f''", Trial({"selection": "visual"})
    for t1 in tenths():
        yield f"f' {t1}", Trial(text(t1))
        yield f"f''' {t1}", Trial({"selection": "both", "t1": t1})
        for t2 in below(t1):
            yield f"fS {t1} {t2}", Trial(either(t1, t2))


def _exploration() -> Iterator[tuple[str, Trial]]:
    for rule in ("text", "visual", "both"):
        for t1 in tenths():
            # f''_E has no threshold of its own.
            for t3 in below(t1, 1) if rule != "visual" else [0.1]:
                yield f"f' {t1} {rule} {t3}", Trial({**text(t1), "exploration": rule, "t3": t3})
        for t1 in tenths(4):
            for t2 in below(t1, 3):
                explore = {"exploration": rule, "t3": 0.2}
                yield f"fS {t1} {t2} {rule} 0.2", Trial({**either(t1, t2), **explore})


def _by_depth() -> Iterator[tuple[str, Trial]]:
    for depth in (1, 2):
        for t1 in tenths():
            yield f"f' {t1} depth {depth}", Trial(text(t1), depth)
            yield f"fS {t1} 0.0 depth {depth}", Trial(either(t1, 0.0), depth)
            yield f"f''' {t1} depth {depth}", Trial({"selection": "both", "t1": t1}, depth)


def candidates() -> dict[str, dict[str, Trial]]:
    """Groups of settings, of each of which the best is chosen: with what it is measured on fresh webs."""
    every, high = tenths(), (0.5, 0.6, 0.7, 0.8, 0.9)
    fades, weights, shares = (3.0, 5.0, 10.0, 20.0), (0.1, 0.3, 0.5), (0.5, 0.6, 0.7)
    explore: dict[str, Any] = {"exploration": "text", "t3": 0.2}
    return {
        "f' (text only)": {f"f' {t1}": Trial(text(t1)) for t1 in every},
        "f_S, t2 = 0": {f"fS {t1} 0.0": Trial(either(t1, 0.0)) for t1 in every},
        "f_S": {f"fS {t1} {t2}": Trial(either(t1, t2)) for t1 in every for t2 in below(t1)},
        "f', skip-one with f'_E": {
            f"f' {t1} text 0.2": Trial({**text(t1), **explore}) for t1 in every if t1 > explore["t3"]
        },
        "f_S, skip-one with f'_E": {
            f"fS {t1} {t2} text 0.2": Trial({**either(t1, t2), **explore})
            for t1 in tenths(4)
            for t2 in below(t1, 3)
        },
        "the defaults": {"fS 0.5 0.2": Trial(either(0.5, 0.2))},
        "f_S, t2 = 0, distance": {
            f"fS {t1} 0.0 fade {fade}": Trial({**either(t1, 0.0), "fade": fade})
            for t1 in high
            for fade in fades
        },
        "f_S, distance": {
            f"fS {t1} {t2} fade {fade}": Trial({**either(t1, t2), "fade": fade})
            for t1 in high
            for t2 in (0.1, 0.2, 0.3)
            for fade in fades
        },
        "f_S, t2 = 0, t2 adapts": {
            f"fS {t1} 0.0 target {share}": Trial({**either(t1, 0.0), "target": share})
            for t1 in high
            for share in shares
        },
        "f', parent page": {
            f"f' {t1} parent {weight}": Trial({**text(t1), "parent": weight})
            for t1 in high
            for weight in weights
        },
        "f_S, t2 = 0, parent page": {
            f"fS {t1} 0.0 parent {weight}": Trial({**either(t1, 0.0), "parent": weight})
            for t1 in high
            for weight in weights
        },
        "f_S, parent page, distance": {
            f"fS {t1} {t2} parent 0.5 fade {fade}": Trial({**either(t1, t2), "parent": 0.5, "fade": fade})
            for t1 in high
            for t2 in (0.0, 0.3, 0.4, 0.5)
            if t2 < t1
            for fade in fades
        },
    }


def text(t1: float) -> dict[str, Any]:
    """f' at a threshold."""
    return {"selection": "text", "t1": t1}


def either(t1: float, t2: float) -> dict[str, Any]:
    """f_S at two thresholds."""
    return {"selection": "either", "t1": t1, "t2": t2}
