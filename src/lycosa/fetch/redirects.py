"""Where a response redirects to. In: a Fetched. Out: the target, or why there is none."""

from __future__ import annotations

from lycosa import urls
from lycosa.values import Fetched, Reason, Refusal

REDIRECTS = frozenset((301, 302, 303, 307, 308))


def redirect_target(fetched: Fetched) -> str | Refusal | None:
    """Where a response, or a script in it, redirects to; BAD_REDIRECT if nowhere usable; None if it is no redirect."""
    if fetched.script_target:
        return fetched.script_target
    if fetched.status not in REDIRECTS:
        return None
    location = fetched.header("location").strip()
    target = urls.join(fetched.link.url, location) if location else None
    return target or Refusal(Reason.BAD_REDIRECT, location[:200] or "no Location")
