"""What the lab gives `profile` on a web with page types: the trained types and the topic's tags."""

from __future__ import annotations

from lycosa_lab.papers.profile.crawls import lab_settings as settings

__all__ = ["settings"]
