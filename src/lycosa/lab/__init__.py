"""The lab: virtual webs, experiments, metrics and the reproductions of the papers.

From Python: `lycosa.lab.compare(web, ["best-first", MyStrategy])`; see docs/python.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lycosa.lab.comparing import Comparison as Comparison
    from lycosa.lab.comparing import compare as compare
    from lycosa.lab.protocol import Options as Options
    from lycosa.lab.run import Run as Run
    from lycosa.lab.web import VirtualWeb as VirtualWeb

__all__ = ["Comparison", "Options", "Run", "VirtualWeb", "compare"]

_HOMES = {
    "Comparison": "lycosa.lab.comparing",
    "Options": "lycosa.lab.protocol",
    "Run": "lycosa.lab.run",
    "VirtualWeb": "lycosa.lab.web",
    "compare": "lycosa.lab.comparing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lycosa.lab' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
