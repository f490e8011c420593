"""What `profile` remembers on a link until its page arrives."""

from __future__ import annotations

from typing import Literal

from lycosa.values import Link, Memo


class ProfileMemo(Memo, frozen=True, tag="profile", rename={"user": "u", "leads_to": "is", "listed": "l"}):
    """Whose item or list a link leads to (the key of a profile), and to what."""

    user: int | None = None
    leads_to: Literal["", "list", "profile"] = ""
    listed: bool = False  # found on a list page of the topic


NO_MEMO, TO_PROFILE = ProfileMemo(), ProfileMemo(leads_to="profile")


def memo_of(link: Link) -> ProfileMemo:
    """The memo of a link; an empty one if it has none."""
    return ProfileMemo.of(link) or NO_MEMO


def hold_of(what: str, user: int) -> str:
    """The name of a hold of a user's links."""
    return f"{what} {user & (1 << 64) - 1:x}"
