"""[genre] of a spec: which kinds of pages are wanted, and how they are told."""

from __future__ import annotations

from lycosa.spec.sections import Section


class GenreSpec(Section):
    """Which kinds of pages are wanted beside the topic, and by which model they are told. For any strategy."""

    want: tuple[str, ...] = ()
    """Genres: a page of any other is not relevant, whatever it is about. None named: any genre will do."""
    model: str = ""
    """A genre model from `lycosa train genre`; without one, the built-in one."""
    extended: bool = False
    """With the built-in model, tell course, documentation, faculty, forum, index, shop and wiki apart too; wanting any kind does that by itself."""
