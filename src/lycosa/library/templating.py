"""Load the templates of served and published pages."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from lycosa.learn.figures import Figures
from lycosa.page.text.languages import name_of
from lycosa.report.hyperlinks import web_url
from lycosa.wording import percent


def templates() -> Environment:
    """Return the environment of the library's templates: everything is escaped, undefined names are errors."""
    found = Environment(
        loader=PackageLoader("lycosa.library"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["number"] = lambda value: f"{value:,}"
    found.filters["web_url"] = web_url
    found.filters["language"] = name_of
    found.filters["percent"] = percent
    found.filters["tiles"] = lambda values: Figures.within(values).tiles
    return found
