"""The report's table of genres and P(I, G) of a collection."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader

from lycosa.collection.collection import Collection
from lycosa.methods.genre.prior import Counts, PriorRow, class_name, prior_table


def link_counts(collection: Collection) -> Counts:
    """Links between judged pages, by the class (I, G) of the page they are on.

    Empty where the genre was not computed. Links to pages that were not fetched count for nothing:
    nobody knows where they lead.
    """
    return {
        class_name(links.relevant, links.label): (links.to_relevant, links.links)
        for links in collection.statistics.links_by_label("genre")
    }


def genre_table(collection: Collection) -> Sequence[PriorRow]:
    """The table of P(I, G) as the paper prints it; empty where the genre was not computed."""
    counts = link_counts(collection)
    return prior_table(counts) if counts else ()


def report_part(collection: Collection) -> str:
    """Genres and where their links lead, as HTML; '' where the genre was not computed."""
    if not (genres := genre_counts(collection)):
        return ""
    environment = Environment(loader=PackageLoader("lycosa.methods.genre", ""), autoescape=True)
    return environment.get_template("report.html.j2").render(
        genres=genres, genre_table=genre_table(collection)
    )


def genre_counts(collection: Collection) -> list[tuple[str, int, int]]:
    """Genre, pages, and relevant pages, the most frequent first."""
    return [(genre.label, genre.pages, genre.relevant) for genre in collection.statistics.labels("genre")]
