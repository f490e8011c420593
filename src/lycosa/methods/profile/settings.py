"""Settings of `profile` that make no sense are refused. In: settings by name. Out: an error that says what to write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lycosa.errors import SpecError

CHOICES = {
    "below_threshold": ("last", "refuse"),
    "order": ("rank", "fifo"),
    "others": ("opic", "none"),
    "cotag_by": ("count", "phi"),
}
AT_LEAST_0 = ("alpha", "beta", "rank_threshold", "strangers", "min_phi")


def check_profile_settings(settings: Mapping[str, Any]) -> None:
    """Raise SpecError for the first setting that is no choice or out of range."""
    for name, known in CHOICES.items():
        if settings[name] not in known:
            raise SpecError(f"[profile] {name} is {settings[name]!r}. Write one of: {', '.join(known)}.")
    for name in AT_LEAST_0:
        if not 0 <= settings[name] < float("inf"):
            raise SpecError(f"[profile] {name} is {settings[name]:g}. Give a number from 0 on.")
    if not settings["alpha"] + settings["beta"]:
        raise SpecError(
            "[profile] alpha and beta are both 0, so nobody has a rank. Give one of them a weight."
        )
