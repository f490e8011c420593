"""Flame graphs as SVG, from stack samples taken by a thread.

The samples are taken by a thread that looks at another one every few milliseconds; nothing has to be installed.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from types import FrameType

INTERVAL_S = 0.002
WIDTH, ROW, MARGIN = 1200, 17, 10
MIN_SHARE = 0.002
"""Narrower boxes are not drawn, in pixels."""
MAX_DEPTH = 60
CHAR_WIDTH = 6.3

Stack = tuple[str, ...]


class Samples:
    """Count the stacks of the starting thread, outermost function first."""

    def __init__(self, root: str = "lycosa") -> None:
        self.root = root
        self.stacks: Counter[Stack] = Counter()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take samples until the block ends."""
        watched, is_over = threading.get_ident(), threading.Event()

        def look() -> None:
            # Sample by CPU time, so that waiting is not counted.
            spent = time.process_time()
            while not is_over.wait(INTERVAL_S):
                now = time.process_time()
                if now - spent >= INTERVAL_S / 2 and (
                    stack := self._stack(sys._current_frames().get(watched))
                ):
                    self.stacks[stack] += 1
                spent = now

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def _stack(self, frame: FrameType | None) -> Stack:
        """Keep our functions and what they call."""
        names: list[str] = []
        ours = 0
        while frame is not None:
            module = str(frame.f_globals.get("__name__", ""))
            names.append(f"{module.removeprefix(f'{self.root}.')}:{frame.f_code.co_qualname}")
            if module.startswith(f"{self.root}."):
                ours = len(names)
            frame = frame.f_back
        return tuple(reversed(names[:ours]))[:MAX_DEPTH]


class _Box:
    """A box of the picture: a function and the functions it called."""

    def __init__(self) -> None:
        self.samples = 0
        self.called: dict[str, _Box] = {}


def flame_graph(stacks: Mapping[Stack, int], title: str) -> str:
    """Draw each function as wide as its share of the time, on top of its caller.

    >>> svg = flame_graph({("loop:run", "page:parse"): 3, ("loop:run",): 1}, "A crawl")
    >>> svg.count("<rect"), "page:parse, 75.0 %" in svg
    (2, True)
    """
    root = _Box()
    for stack, samples in stacks.items():
        root.samples += samples
        box = root
        for name in stack:
            box = box.called.setdefault(name, _Box())
            box.samples += samples
    total = max(1, root.samples)
    boxes = list(_placed(root, 0.0, 0, total))
    depth = 1 + max((level for *_, level in boxes), default=0)
    height = depth * ROW + 3 * MARGIN + ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="11" role="img" aria-label="{escape(title)}">',
        f'<text x="{MARGIN}" y="{MARGIN + 11}" font-size="14">{escape(title)}</text>',
    ]
    for name, share, left, level in boxes:
        x, width = MARGIN + left * (WIDTH - 2 * MARGIN), share * (WIDTH - 2 * MARGIN)
        y = height - MARGIN - (level + 1) * ROW
        room = int(width / CHAR_WIDTH)
        shown = name if len(name) <= room else f"{name[: room - 1]}…" if room > 4 else ""
        lines.append(
            f'<g><title>{escape(name)}, {100 * share:.1f} %</title><rect x="{x:.1f}" y="{y}" width="{width:.1f}" '
            f'height="{ROW - 1}" rx="2" fill="{_colour(name)}"/>'
            f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(shown)}</text></g>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _placed(box: _Box, left: float, level: int, total: int) -> Iterator[tuple[str, float, float, int]]:
    """Yield name, share, left edge and level of each visible box."""
    for name, inner in sorted(box.called.items()):
        share = inner.samples / total
        if share >= MIN_SHARE:
            yield name, share, left, level
            yield from _placed(inner, left, level + 1, total)
        left += share


_COLOURS = {
    "page": "#f4a261",
    "engine": "#e9c46a",
    "judge": "#a8dadc",
    "store": "#b5c99a",
    "frontier": "#cdb4db",
    "fetch": "#ffc8dd",
    "methods": "#bde0fe",
}


def _colour(name: str) -> str:
    """Return the colour of a stage; grey for code outside Lycosa."""
    return _COLOURS.get(name.partition(".")[0].partition(":")[0], "#dddddd")
