"""P(I, G) of a collection: where links of relevant and other pages led, by the genre of the page."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.methods.genre.prior import Counts, PriorRow, class_name, prior_table
from lycosa.store.collection import ReadCollection


def link_counts(collection: ReadCollection) -> Counts:
    """Links between judged pages, by the class (I, G) of the page they are on.

    Empty where the genre was not computed. Links to pages that were not fetched count for nothing:
    nobody knows where they lead.
    """
    rows = collection.connection.execute(
        "SELECT page.relevant, genre.label, sum(target.relevant), count(*)"
        " FROM links JOIN pages AS page ON page.id = links.page"
        " JOIN evidence AS genre ON genre.page = page.id AND genre.name = 'genre'"
        " JOIN pages AS target ON target.key = links.target"
        " WHERE page.relevant IS NOT NULL AND target.relevant IS NOT NULL GROUP BY 1, 2"
    )
    return {class_name(bool(relevant), genre): (good, links) for relevant, genre, good, links in rows}


def genre_table(collection: ReadCollection) -> Sequence[PriorRow]:
    """The table of P(I, G) as the paper prints it; empty where the genre was not computed."""
    counts = link_counts(collection)
    return prior_table(counts) if counts else ()


def genre_counts(collection: ReadCollection) -> list[tuple[str, int, int]]:
    """Genre, pages, and relevant pages, the most frequent first."""
    rows = collection.connection.execute(
        "SELECT label, count(*), sum(relevant) FROM evidence JOIN pages ON pages.id = evidence.page"
        " WHERE evidence.name = 'genre' AND relevant IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    return [(genre, pages, relevant) for genre, pages, relevant in rows]
