"""Redirect targets of responses."""

from __future__ import annotations

from lycosa import urls
from lycosa.values import Fetched, Reason, Refusal

REDIRECTS = frozenset((301, 302, 303, 307, 308))


def redirect_target(fetched: Fetched) -> str | Refusal | None:
    """Return where a response or its script redirects to; BAD_REDIRECT without a usable target; None if it does not."""
    if fetched.script_target:
        return fetched.script_target
    if fetched.status not in REDIRECTS:
        return None
    location = fetched.header("location").strip()
    target = urls.join(fetched.link.url, location) if location else None
    return target or Refusal(Reason.BAD_REDIRECT, location[:200] or "no Location")
