"""Templates of the library, for pages that are served and pages that are published. Out: an environment that knows them."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from lycosa.page.text.languages import name_of
from lycosa.report.hyperlinks import web_url
from lycosa.wording import percent


def templates() -> Environment:
    """The library's templates, with the filters that all of them need: everything is escaped, nothing may be undefined."""
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
    return found
