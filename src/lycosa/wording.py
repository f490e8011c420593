"""Numbers as words, in the same form in every message."""

from __future__ import annotations

HARVEST = "relevant pages among the pages judged"
PRECISION = "relevant pages among the pages kept"
RECALL = "relevant pages kept among all relevant pages that can be reached"
MISSED = "relevant pages that can be reached and are not kept"
MEASURES = (
    f"Harvest: {HARVEST}. Precision: {PRECISION}. Recall: {RECALL}. Missed: {MISSED}. "
    "All are estimated; pages that you gave do not count."
)
"""What figures mean, beside them."""
CANNOT_TELL = "cannot tell yet"
"""A judge that does not know which pages are relevant."""


def counted(number: int, what: str) -> str:
    """A number and its noun, in the plural unless the number is 1.

    >>> counted(1, "page"), counted(2300, "page"), counted(0, "list of seeds")
    ('1 page', '2,300 pages', '0 lists of seeds')
    """
    first, of, rest = what.partition(" of ")
    return f"{number:,} {first}{'s' if number != 1 else ''}{of}{rest}"


def percent(share: float) -> str:
    """A share as a percentage.

    >>> percent(0.352)
    '35 %'
    """
    return f"{share * 100:.0f} %"


def interval(share: float, low: float, high: float) -> str:
    """A share that is estimated, and between what it lies in 80 of 100 cases. A narrow interval gets decimals.

    >>> interval(0.69, 0.33, 0.97), interval(0.0004, 0.0, 0.0023)
    ('69 % (33 % to 97 %)', '0.0 % (0.0 % to 0.2 %)')
    """
    digits = next((n for n in (0, 1) if f"{low * 100:.{n}f}" != f"{high * 100:.{n}f}" or low == high), 2)
    return "{} ({} to {})".format(*(f"{value * 100:.{digits}f} %" for value in (share, low, high)))


def lasting(seconds: float) -> tuple[str, str]:
    """A duration, in the unit that suits its size.

    >>> lasting(4.2), lasting(150), lasting(9000)
    (('4', 'seconds'), ('2.5', 'minutes'), ('2.5', 'hours'))
    """
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f}", unit
    return f"{seconds:.0f}", "seconds"
