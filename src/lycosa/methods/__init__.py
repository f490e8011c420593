"""The methods: how links are ranked, and everything that ranking needs. A method is a folder.

Each folder exports METHOD, a `Method` (seam.py), which says what it adds to the program. `registry.py` finds it
there; nothing else names it. Delete the folder, and the rest still works.

To add a method, make a folder:

    methods/owls/__init__.py    METHOD = Method(name="owls", strategies={"owls": Lazy("lycosa.methods.owls.strategy:Owls")})
    methods/owls/strategy.py    class Owls(BaseStrategy): …

Another package does the same under the entry point group `lycosa.methods`. A single strategy can be named as
`FILE.py:Class`, or be registered under `lycosa.strategies` (docs/strategies/index.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lycosa.methods.preparation import Preparation
    from lycosa.methods.seam import Lazy, Means, Method, Prepared
    from lycosa.methods.strategy import BaseStrategy, Step, Strategy, best_first_priority, by_score

_IN = {
    "preparation": ("Preparation",),
    "seam": ("Lazy", "Means", "Method", "Prepared"),
    "strategy": ("BaseStrategy", "Step", "Strategy", "best_first_priority", "by_score"),
}
__all__ = [
    "BaseStrategy",
    "Lazy",
    "Means",
    "Method",
    "Preparation",
    "Prepared",
    "Step",
    "Strategy",
    "best_first_priority",
    "by_score",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use: every command reads the methods, and must start fast."""
    for module, names in _IN.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"{__name__} has no {name!r}")
