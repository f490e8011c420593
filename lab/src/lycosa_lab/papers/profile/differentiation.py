"""Table 1 of Zhang and Nasraoui: how well path strings separate schema from real data."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lycosa.methods.profile.site.schema import schema_of
from lycosa.page.links.paths import Outline


class Differentiation(msgspec.Struct, frozen=True):
    """A row of the paper's table 1, the first three as means over the pages."""

    pairs: float  # T: PSNV pairs
    schema: float  # S
    values: float  # V
    schema_strings: int  # US: unique path strings of schema data
    value_strings: int  # UV
    both: int  # INT


def differentiation(pages: Sequence[Outline], share: float = 1.0) -> Differentiation:
    """How well path strings separate schema from real data on pages of one type [table 1]."""
    schema = schema_of(pages, share)
    total = sum(len(page.pairs()) for page in pages)
    values = [pair for page in pages for pair in page.pairs() if pair not in schema]
    of_schema = {string for string, _ in schema}
    of_values = {string for string, _ in values}
    n = len(pages) or 1
    return Differentiation(
        total / n,
        (total - len(values)) / n,
        len(values) / n,
        len(of_schema),
        len(of_values),
        len(of_schema & of_values),
    )
