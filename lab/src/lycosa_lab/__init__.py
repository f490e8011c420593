"""The lab: virtual webs, experiments, metrics and the reproductions of the papers.

From Python: `lycosa_lab.compare(web, ["best-first", MyStrategy])`; see docs/python.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lycosa_lab.grids.comparing import Comparison as Comparison
    from lycosa_lab.grids.comparing import compare as compare
    from lycosa_lab.runs.protocol import Options as Options
    from lycosa_lab.runs.run import Run as Run
    from lycosa_lab.webs.web import VirtualWeb as VirtualWeb

__all__ = ["Comparison", "Options", "Run", "VirtualWeb", "compare"]

_HOMES = {
    "Comparison": "lycosa_lab.grids.comparing",
    "Options": "lycosa_lab.runs.protocol",
    "Run": "lycosa_lab.runs.run",
    "VirtualWeb": "lycosa_lab.webs.web",
    "compare": "lycosa_lab.grids.comparing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lycosa_lab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
