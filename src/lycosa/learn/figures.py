"""The estimated figures of a crawl: harvest, precision, recall and pages missed, the same in JSON, in the terminal and in the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import msgspec

from lycosa.learn.judges.calibration import Estimate
from lycosa.learn.judges.missed import Span, recall_of
from lycosa.wording import CANNOT_TELL, HARVEST, MISSED, PRECISION, RECALL, interval


class Figures(msgspec.Struct, frozen=True):
    """Harvest, precision, recall and pages missed (`wording.HARVEST` …) with 80 % intervals; None where nobody knows.

    `unsure` is why the judge cannot tell yet which pages are relevant; empty if it can.
    """

    harvest: float | None = None
    harvest_low: float | None = None
    harvest_high: float | None = None
    precision: float | None = None
    precision_low: float | None = None
    precision_high: float | None = None
    recall: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None
    missed: float | None = None
    missed_low: float | None = None
    missed_high: float | None = None
    unsure: str = ""

    @classmethod
    def of(cls, told: Estimate | None, waiting: int | None = None) -> Self:
        """The figures of an estimate; none of a judge that does not learn. `waiting`: the number of URLs, if it is known.

        >>> Figures.of(Estimate(2.0, 1.0, 4.0, pages=10)).harvest, Figures.of(None).harvest
        (0.2, None)
        """
        if told is None or (harvest := told.harvest) is None:
            return cls()
        found: dict[str, Any] = {"unsure": told.unsure}
        found |= _rounded("harvest", harvest.value, harvest.low, harvest.high)
        if told.kept:
            precision = told.precision, told.precision_low, told.precision_high
            found |= _rounded("precision", *precision)
            if told.missed and not told.unsure:
                missed = told.missed.within(waiting)
                recall = recall_of(Span(*(share * told.kept for share in precision)), missed)
                found |= _rounded("recall", *recall) | _rounded("missed", *missed, digits=1)
        return cls.within(found)

    @classmethod
    def within(cls, larger: Mapping[str, Any]) -> Self:
        """The figures among other values by name, as a status has them."""
        return cls(**{name: larger[name] for name in cls.__struct_fields__ if larger.get(name) is not None})

    def as_json(self) -> dict[str, Any]:
        """The figures by name, as JSON has them everywhere."""
        return msgspec.structs.asdict(self)

    @property
    def harvest_told(self) -> str:
        """For people; nothing where nobody knows.

        >>> Figures(0.25, 0.1, 0.4).harvest_told, Figures().harvest_told
        ('about 25 % (10 % to 40 %)', '')
        """
        return _told(self.harvest, self.harvest_low, self.harvest_high)

    @property
    def precision_told(self) -> str:
        """For people; nothing where nobody knows."""
        return _told(self.precision, self.precision_low, self.precision_high)

    @property
    def recall_told(self) -> str:
        """For people; nothing where nobody knows."""
        return _told(self.recall, self.recall_low, self.recall_high)

    @property
    def missed_told(self) -> str:
        """For people; nothing where nobody knows.

        >>> Figures(missed=1234.4, missed_low=400.2, missed_high=3999.9).missed_told
        'about 1,234 (400 to 4,000)'
        """
        if self.missed is None or self.missed_low is None or self.missed_high is None:
            return ""
        return f"about {self.missed:,.0f} ({self.missed_low:,.0f} to {self.missed_high:,.0f})"

    @property
    def tiles(self) -> list[tuple[str, str, str, str]]:
        """What is known of them, each as name, value, interval and meaning.

        >>> Figures(0.25, 0.1, 0.4).tiles
        [('harvest', '25 %', '10 % to 40 %', 'relevant pages among the pages judged')]
        """
        told = (
            ("harvest", self.harvest_told, HARVEST),
            ("precision", self.precision_told, PRECISION),
            ("recall", self.recall_told, RECALL),
            ("missed", self.missed_told, MISSED),
        )
        split = ((name, value.removeprefix("about ").partition(" ("), means) for name, value, means in told)
        return [(name, value, between[:-1], means) for name, (value, _, between), means in split if value]

    def __str__(self) -> str:
        """For people, in one line; nothing where nobody knows.

        >>> print(Figures(0.25, 0.1, 0.4, 0.5, 0.1, 0.9, unsure="no page was found"))
        harvest about 25 % (10 % to 40 %), precision about 50 % (10 % to 90 %), cannot tell yet
        """
        told = {
            "harvest": self.harvest_told,
            "precision": self.precision_told,
            "recall": self.recall_told,
            "missed": self.missed_told,
        }
        parts = [f"{name} {value}" for name, value in told.items() if value]
        return ", ".join([*parts, *([CANNOT_TELL] if self.unsure else [])])


def _rounded(name: str, value: float, low: float, high: float, digits: int = 4) -> dict[str, float]:
    """A figure and its interval, by name."""
    values = (round(number, digits) for number in (value, low, high))
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))


def _told(value: float | None, low: float | None, high: float | None) -> str:
    return "" if value is None or low is None or high is None else f"about {interval(value, low, high)}"
