"""Write the report of a collection: one self-contained HTML file."""

from __future__ import annotations

import base64
import datetime
import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from lycosa import __version__
from lycosa.collection.catalogue.page_filter import COLLECTED, JUDGED
from lycosa.collection.catalogue.progress import LAST_PAGES
from lycosa.collection.collection import Collection
from lycosa.collection.labels import told_of_labels
from lycosa.collection.search.facets import Facets
from lycosa.collection.search.phrases import TypedQuery
from lycosa.collection.search.search import Order, SearchHit
from lycosa.errors import CollectionError
from lycosa.frontier.rows import urls_waiting
from lycosa.learn.history import figures_of, jump_told, saved_version
from lycosa.methods.registry import facets, methods
from lycosa.page.text.languages import name_of
from lycosa.report import design
from lycosa.report.charts.column_chart import column_chart
from lycosa.report.charts.histogram import score_histogram
from lycosa.report.charts.line_chart import line_chart
from lycosa.report.charts.periods import periods
from lycosa.report.charts.world_map import world_map
from lycosa.report.description import described
from lycosa.report.hyperlinks import web_url
from lycosa.report.summary import gist_of
from lycosa.report.thumbnails import thumbnail_of
from lycosa.values import Reason
from lycosa.wording import lasting, percent

BEST_PAGES = 60
DOUBTFUL, NEAR = 8, 0.3
"""Maximum number of doubtful pages shown, and their maximum distance from the threshold."""
SOURCES = 40
IMAGES = 6
FONTS_HERE = Markup("/*<fonts>*/")
"""Placeholder for the fonts of the report."""


def write_report(directory: Path, out: Path | None = None) -> Path:
    """Write the report (default: report/index.html in the collection) and return its path."""
    path = out or directory / "report" / "index.html"
    text = report_text(directory)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CollectionError(
            f"{path} cannot be written ({error.strerror}). Choose another with --out."
        ) from None
    return path


def report_text(directory: Path) -> str:
    """Return the report of a collection as HTML."""
    with Collection.open_checked(directory) as collection:
        return render(collection)


def render(collection: Collection) -> str:
    """Return the report as HTML."""
    environment = Environment(
        loader=PackageLoader("lycosa.report"),
        autoescape=select_autoescape(default=True, default_for_string=True),
    )
    environment.filters["web_url"] = web_url
    environment.filters["language"] = name_of
    environment.filters["percent"] = percent
    text = environment.get_template("report.html.j2").render(
        version=__version__,
        fonts=FONTS_HERE,
        style=Markup(design.variables() + design.drawings()),  # noqa: S704 our own
        logo=Markup(design.logo()),  # noqa: S704 our own
        made=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        **_figures(collection),
    )
    # The characters of the fonts are known only now. Text of pages is escaped, so it cannot have the placeholder.
    return text.replace(str(FONTS_HERE), design.embedded_fonts(text), 1)


def _figures(collection: Collection) -> dict[str, Any]:
    reader = collection.reader
    curve = reader.harvest_curve(240)
    pages, relevant = curve[-1] if curve else (0, 0)
    reasons = reader.counts_by_reason()
    runs = reader.runs()
    category = next(facets(), None)
    return {
        **msgspec.structs.asdict(described(collection)),
        "pages": pages,
        "relevant": relevant,
        "figures": figures_of(collection),
        "changed": jump_told(collection),
        "explored": collection.statistics.explored(),
        "last": [page.relevant for page in reader.latest(LAST_PAGES)],
        "ended": runs[-1].reason if runs else "",
        "megabytes": reader.counts().bytes / 1e6,
        "lasted": lasting(reader.seconds()),
        "runs": len(runs),
        "curve": line_chart(
            {"relevant": [(0.0, 0.0), *((float(n), float(r)) for n, r in curve)]},
            "pages fetched",
            "relevant pages",
        ),
        "ratio": line_chart(
            {"kept": [(float(n), r / n) for n, r in curve]}, "pages fetched", "share kept", y_max=1.0
        ),
        **_certainty(collection),
        "directory": shlex.quote(str(collection.directory)),
        "waiting": urls_waiting(collection.connection),
        "useless": reader.useless(),
        "sources": collection.statistics.sources(SOURCES),
        "number_of_sources": collection.statistics.collected_sources(),
        "category": category,
        "best": collection.search.best(COLLECTED, BEST_PAGES, category.name if category else ""),
        "refused": _reasons(Counter(reasons.pages) + Counter(reasons.requests)),
        "refused_links": _reasons(reasons.links),
        "languages": collection.statistics.values("language", limit=12),
        "parts": [Markup(each.report.section(collection)) for each in methods() if each.report.section],  # noqa: S704
        **_contents(collection),
    }


def _certainty(collection: Collection) -> dict[str, Any]:
    """Return the distribution of scores, and pages near the threshold."""
    version = saved_version(collection)
    threshold = version.threshold if version else None
    facets = Facets(collection.connection, collection.path)
    counts = facets.count(JUDGED)
    doubtful: list[SearchHit] = []
    if threshold is not None:
        near = facets.ordered(JUDGED, Order.UNCERTAIN, threshold)[:DOUBTFUL]
        found = collection.search.hits([int(number) for number in near], TypedQuery())
        doubtful = [page for page in found if page.score is not None and abs(page.score - threshold) <= NEAR]
    return {
        "threshold": threshold,
        "scores": score_histogram(counts.scores, threshold) if threshold is not None else Markup(""),
        "doubtful": doubtful,
        "labelled": told_of_labels(collection.directory),
        "not_kept": counts.relevance["no"],
    }


def _contents(collection: Collection) -> dict[str, Any]:
    """Return what the relevant pages say, where and when."""
    places = collection.statistics.places(limit=200, mapped=True)
    days = collection.statistics.days()
    unit, course = periods(days)
    return {
        "gist": gist_of(collection),
        "images": _images(collection),
        "named": {
            "People": collection.statistics.values("person", limit=20),
            "Organisations": collection.statistics.values("organisation", limit=20),
        },
        "places": places,
        "map": world_map(places),
        "unit": unit,
        "dated": sum(pages for _, pages in days),
        "timeline": column_chart(course, "Relevant pages by the day they were published"),
    }


def _images(collection: Collection) -> list[dict[str, str]]:
    """Return some archived images, one a page, as data URLs of small copies."""
    found: list[dict[str, str]] = []
    pages: set[int] = set()
    for image in collection.statistics.images(limit=IMAGES * 5):
        if (
            image.page in pages
            or len(found) == IMAGES
            or (small := thumbnail_of(collection, image.id)) is None
        ):
            continue
        pages.add(image.page)
        address = f"data:image/jpeg;base64,{base64.b64encode(small).decode()}"
        found.append({"address": address, "title": image.title or image.url, "sees": image.sees})
    return found


def _reasons(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    largest = max(counts.values(), default=1)
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return [{"reason": Reason[name].value, "count": n, "share": n / largest} for name, n in ordered]
