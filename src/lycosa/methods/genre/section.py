"""[genre] of a spec: the wanted kinds of pages, and the model that recognises them."""

from __future__ import annotations

from lycosa.spec.sections import Section


class GenreSpec(Section):
    """Which kinds of pages are wanted, in addition to the topic, and which model recognises them. For any strategy."""

    want: tuple[str, ...] = ()
    """Genres: a page of any other is not relevant, whatever it is about. None named: any genre will do."""
    model: str = ""
    """A genre model from `lycosa train genre`; without one, the built-in one."""
    extended: bool = False
    """With the built-in model, also recognise course, documentation, faculty, forum, index, shop and wiki; implied by `want`."""
