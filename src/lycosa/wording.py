"""Numbers as words, in the same form in every message."""

from __future__ import annotations


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
    """A share that is estimated, and between what it lies in 80 of 100 cases.

    >>> interval(0.69, 0.33, 0.97)
    '69 % (33 % to 97 %)'
    """
    return f"{percent(share)} ({percent(low)} to {percent(high)})"


def lasting(seconds: float) -> tuple[str, str]:
    """A duration, in the unit that suits its size.

    >>> lasting(4.2), lasting(150), lasting(9000)
    (('4', 'seconds'), ('2.5', 'minutes'), ('2.5', 'hours'))
    """
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f}", unit
    return f"{seconds:.0f}", "seconds"
