"""What a PDF says, as the process that reads it hands it over. Nothing heavy is imported: the process starts for every file."""

from __future__ import annotations

import msgspec

from lycosa.page.as_html import Section, html_of


class Paper(msgspec.Struct, frozen=True):
    """What a PDF says."""

    title: str
    date: str  # ISO, or ''
    page_count: int
    pages: tuple[Section, ...]

    def as_html(self) -> str:
        """The paper as a page."""
        return html_of(self.title, self.pages, self.date)


class Unread(msgspec.Struct, frozen=True):
    """Why a PDF has no text for us."""

    why: str
