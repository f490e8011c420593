"""Store until when hosts rest that are fetched outside the frontier (lists, examples)."""

from __future__ import annotations

from math import isinf

import msgspec

from lycosa.collection.catalogue.rows import Catalogue

FACT = "rests"
"""The fact that holds them."""


class Rests(dict[str, float]):
    """Authority -> seconds since the epoch. Infinite while a request is in flight.

    A host whose request was in flight at a crash rests from `now` for `restart_rest_s`.
    """

    def __init__(self, catalogue: Catalogue, now: float, restart_rest_s: float) -> None:
        packed = catalogue.fact(FACT)
        found = msgspec.msgpack.decode(packed, type=dict[str, float]) if packed else {}
        until = {name: now + restart_rest_s if isinf(at) else at for name, at in found.items()}
        super().__init__({name: at for name, at in until.items() if at > now})
        self._catalogue = catalogue

    def __setitem__(self, authority: str, until: float) -> None:
        super().__setitem__(authority, until)
        self._catalogue.set_fact(FACT, msgspec.msgpack.encode(dict(self)))
