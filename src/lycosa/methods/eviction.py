"""Keep dictionaries bounded."""

from __future__ import annotations

from itertools import islice
from typing import Any


def make_room(memory: dict[Any, Any], max_entries: int) -> None:
    """Forget the older half of a dictionary that has reached `max_entries`.

    Half at a time, because looking for the oldest one each time takes ever longer.

    >>> memory = {1: "a", 2: "b", 3: "c"}
    >>> make_room(memory, 4); make_room(memory, 3); memory
    {2: 'b', 3: 'c'}
    """
    if len(memory) >= max_entries:
        for key in list(islice(memory, max(1, max_entries // 2))):
            del memory[key]
