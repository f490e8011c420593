"""The formulas of the multimedia crawler: selection, exploration and the effect of images.

T is the score of a link's text; V in [0, 1] the verdict on the images of its page.
"""

from __future__ import annotations

import math
from typing import Literal

Selection = Literal["text", "visual", "both", "either"]
Exploration = Literal["none", "text", "visual", "both"]

SHOWN = 0.5
"""From this V on an image counts where only yes or no is asked for."""


def score(rule: Selection, text: float, visual: float, t1: float, t2: float) -> float:
    """The estimated relevance of a link: also its place in the queue (the paper leaves the order open).

        f' = T    f'' = V    f''' = T · V    f_S = T + (t1 - t2) · V          [Tsikrika et al., 3]

    >>> [score(rule, 0.4, 1.0, 0.7, 0.25) for rule in ("text", "visual", "both", "either")]
    [0.4, 1.0, 0.4, 0.85]
    """
    match rule:
        case "text":
            return text
        case "visual":
            return visual
        case "both":
            return text * visual
        case "either":
            return text + (t1 - t2) * visual


def is_selected(rule: Selection, text: float, visual: float, t1: float, t2: float) -> bool:
    """Whether a link is followed.

        f', f''' : score >= t1    f'' : V >= 0.5    f_S : T >= t1 - (t1 - t2) · V

    With the paper's V, which is 0 or 1, f_S is: T >= t1, or V and T >= t2. It is not computed as
    `score >= t1`, which rounding would break where T = t2.

    >>> is_selected("either", 0.2, 1.0, 0.7, 0.2), is_selected("either", 0.2, 0.0, 0.7, 0.2)
    (True, False)
    >>> is_selected("both", 0.9, 0.0, 0.0, 0.0)
    False
    """
    match rule:
        case "text":
            return text >= t1
        case "visual":
            return visual >= SHOWN
        case "both":
            return visual > 0 and text * visual >= t1
        case "either":
            return text >= (t2 if visual >= 1 else t1 - (t1 - t2) * visual)


def is_explored(rule: Exploration, text: float, visual: float, t3: float) -> bool:
    """Whether a link that is not selected is explored.

        f'_E : T >= t3    f''_E : V >= 0.5    f'''_E : both          [Tsikrika et al., 3.2]

    >>> is_explored("text", 0.3, 0.0, 0.2), is_explored("both", 0.3, 0.0, 0.2)
    (True, False)
    """
    match rule:
        case "none":
            return False
        case "text":
            return text >= t3
        case "visual":
            return visual >= SHOWN
        case "both":
            return visual >= SHOWN and text >= t3


def next_trail(trail: int, k: int) -> int | None:
    """How deep a page explored from a page at this depth of a trail is; None: deeper than k.

    >>> next_trail(0, 1), next_trail(1, 1), next_trail(1, 2)
    (1, None, 2)
    """
    return trail + 1 if trail < k else None


def with_parent(text: float, page: float, weight: float) -> float:
    """T of a link, with the text of the page that it is on.

        T' = (1 - w) · T + w · P        P: the judge's score of the page

    >>> with_parent(0.5, 1.0, 0.0), with_parent(0.5, 1.0, 0.5)
    (0.5, 0.75)
    """
    return (1 - weight) * text + weight * page


def nearness(position: int, after_link: int, fade: float) -> float:
    """V of a link by its distance from the image that shows what is sought.

        V = 2^(-d / fade)        d: links between them; without `fade` 1 all over the page

    `position` is the number of the link, `after_link` that of the last link before the image.

    >>> nearness(9, -1, 0), nearness(3, 2, 5), nearness(7, 1, 5), nearness(0, 5, 5)
    (1.0, 1.0, 0.5, 0.5)
    """
    if not fade:
        return 1.0
    between = position - after_link - 1 if position > after_link else after_link - position
    return float(2 ** (-between / fade))


def next_t2(t2: float, led: bool, target: float, t1: float, step: float = 0.05) -> float:
    """The threshold after a page that only an image had selected: down if it is relevant, else up.

        t2 + step · (target - 1 if relevant else target), within [0, t1]

    It comes to rest where the share `target` of such pages is relevant (a weighted staircase).

    >>> round(next_t2(0.3, False, 0.6, 0.9), 3), round(next_t2(0.3, True, 0.6, 0.9), 3)
    (0.33, 0.28)
    """
    return min(max(t2 + step * (target - led), 0.0), t1)


def lift(led: float, own: float, led_others: float, own_others: float, prior: float = 10.0) -> float:
    """What an image of its page says for a link, in log odds, as a guide (ours).

        log( (led + prior · r) / (own + prior) / r )      r = (led_others + 1) / (own_others + 1)

    `led`: the summed relevance of pages that were found on pages with such an image, `own` that of the page each was
    found on; the same of other pages. So it says what links lead to beyond what the words of their pages promise: with
    nothing seen it is 0, and `prior` pages are needed before it counts for much.

    >>> lift(0, 0, 5, 10), round(lift(10, 10, 5, 10), 2), round(lift(0, 10, 5, 10), 2)
    (0.0, 0.35, -0.69)
    """
    r = (led_others + 1) / (own_others + 1)
    return math.log((led + prior * r) / (own + prior) / r)
