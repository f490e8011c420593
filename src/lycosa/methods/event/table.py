"""Print an event model as a table, like tables 7 and 8 of the paper."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator

from lycosa.methods.event.model import EventModel, EventPlace, Weights

ABOUT = """\
The event, as its model knows it.
Beside each entry: how often the model pages name it, as a share of the most frequent one."""
WEB_BEGAN = "1991-08-06"


def event_table(model: EventModel, rows: int = 10) -> str:
    """When, what, where and who, the most frequent first; what each counts; and what is missing."""
    places = [(_spelled(place), place.count) for place in model.places]
    weights = model.pages.weights
    columns = [
        ["What (word stems)", *_shares(model.telling_terms.items(), rows)],
        ["Where", *_shares(places, rows)],
        [
            "Who (words of these names count)" if weights.who else "Who (does not count)",
            *_shares((model.people or model.names).items(), rows),
        ],
    ]
    widths = [max(map(len, column)) for column in columns]
    lines = [ABOUT, "", f"When   {_spelled_date(model)}", ""]
    for row in range(max(map(len, columns))):
        cells = [column[row] if row < len(column) else "" for column in columns]
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        lines.append("   ".join(padded).rstrip())
    return "\n".join([*lines, "", *_counts(model, weights), *_hints(model)])


def _shares(entries: Iterable[tuple[str, float]], rows: int) -> list[str]:
    """The first entries as aligned lines.

    >>> _shares([("owl", 4.0), ("night", 3.0)], 10)
    ['owl    1.00', 'night  0.75']
    """
    found = [*entries]
    highest = max((count for _, count in found), default=0.0) or 1.0
    shown = found[:rows]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"{name.ljust(width)}  {count / highest:.2f}" for name, count in shown]


def _counts(model: EventModel, weights: Weights) -> Iterator[str]:
    """How the parts make a score."""
    if not (weights.place or weights.date or weights.who):
        yield f"The topic alone counts, by its first {min(model.pages.k, len(model.telling_terms))} stems."
    else:
        parts = {"what": weights.topic, "where": weights.place, "when": weights.date, "who": weights.who}
        told = ", ".join(f"{name} {weight:.3g}" for name, weight in parts.items() if weight)
        yield f"A page's score is made of {told}. Of what, the first {min(model.pages.k, len(model.telling_terms))} stems count."
    yield (
        f"By the score alone, a page is about the event from {model.pages.threshold:.2f} on; the judge of a crawl learns, and "
        "finds its threshold itself."
    )


def _hints(model: EventModel) -> Iterator[str]:
    """What the user may want to know of a model that lacks something."""
    weights = model.pages.weights
    if weights.place and not model.places:
        yield "No place was found: pages are scored without it. Give [event] where, if there is one."
    elif weights.place and all(place.lat is None for place in model.places):
        yield "None of the places is on the map: they match where pages name them alike. Check the spelling."
    if not weights.date:
        return
    if not model.date:
        yield "No date was found: pages are scored without it. Give [event] date, if there is one."
    elif model.date > datetime.datetime.now(datetime.UTC).date().isoformat():
        yield "The date lies in the future: pages of today count as written before the event."
    elif model.date < WEB_BEGAN:
        yield "The date lies before the Web: all pages are long after it. Give [event] the date of what is reported."


def _spelled(place: EventPlace) -> str:
    above = place.state or place.country
    return f"{place.name} ({above})" if above and place.kind not in ("country", "state") else place.name


def _spelled_date(model: EventModel) -> str:
    if not model.date:
        return "not known"
    return f"{model.date} to {model.end_date}" if model.end_date else model.date
