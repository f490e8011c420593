"""Nothing outside a method's folder names the method."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import lycosa
from lycosa.methods.registry import built_in

ROOT = Path(lycosa.__file__).parent
NAMES = "|".join(method.name for method in built_in() if method.name not in ("baselines", "fused"))
"""`fused` is the default strategy, and what is compared is a baseline."""
HOMONYMS = {
    "collection/exports/wacz.py": ["profile"],  # of a data package
    "collection/log.py": ["event"],  # of a log
    "demo/web.py": ["event", "event", "events", "events", "events.csv"],  # of a topic of the demo web
    "engine/rules/traps.py": ["/event"],  # of a calendar
    "page/files/office_process.py": ["events"],  # of an XML parser
    "library/routes/monitor_routes.py": ["/c/{name}/monitor/events", "text/event-stream"],
}
"""What is named alike."""


def named_in(path: Path) -> Iterator[str]:
    """Names, attributes and short strings without blanks that contain the name of a method."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        found = (
            node.value
            if isinstance(node, ast.Constant)
            else getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
        )
        if (
            isinstance(found, str)
            and " " not in found
            and len(found) < 40
            and re.search(rf"\b({NAMES})(s?\b|_)", found)
        ):
            yield found


def test_nothing_outside_names_a_method():
    """What the rest needs to know of a method, the method says in its `Method`."""
    paths = [path for path in ROOT.rglob("*.py") if ROOT / "methods" not in path.parents]
    found = {str(path.relative_to(ROOT)): sorted(named_in(path)) for path in paths}
    assert {path: names for path, names in found.items() if names} == HOMONYMS
