"""Header blocks, and how the crawler names itself."""

from __future__ import annotations

from lycosa.fetch.http.headers import user_agent


def test_the_user_agent_is_one_line():
    """A contact cannot start a header of its own."""
    assert user_agent().endswith("(focused crawler)")
    assert "\n" not in user_agent("me\r\nX-Evil: 1")
