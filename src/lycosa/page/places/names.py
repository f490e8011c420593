"""Who a text is about. In: plain text. Out: the words of names of people and organisations, with counts.

Names are told by capital letters inside a sentence: quick, and without a model. They are counted
word by word, so that "Smith" on one page meets "John Smith" on another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_NAME = re.compile(r"(?<=[a-z,;:’'\"] )(?:Mc|Mac|O['’])?[A-Z][a-zà-ÿ]+(?:[ -](?:Mc|O['’])?[A-Z][a-zà-ÿ]+)*")
_WORD = re.compile(r"[^\W\d_]{3,30}")
_NOT_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december the and for but mon tue wed thu fri sat sun jan feb mar "
    "apr jun jul aug sep sept oct nov dec news".split()
)
NAMES = 500
"""Of a text; the rest is dropped."""


def find_names(text: str, places: Iterable[str] = ()) -> dict[str, int]:
    """How often each word of a name occurs, the most frequent first; names of `places` are left out.

    >>> find_names("On Friday officer John Smith of Bath spoke. Later Smith, or Mr Smith, left.", ["Bath"])
    {'smith': 3, 'john': 1}
    """
    of_places = {word.lower() for name in places for word in _WORD.findall(name)}
    found = Counter(word.lower() for name in _NAME.findall(text) for word in _WORD.findall(name))
    kept = ((word, count) for word, count in found.most_common() if word not in _NOT_NAMES | of_places)
    return dict([*kept][:NAMES])
