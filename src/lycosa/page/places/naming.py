"""Terms that are looked for in a text. In: the terms of its tokens. Out: which tokens name them, and counts of parts of the text.

Many parts are counted at once, on arrays: the words around a hundred links take as long as those around a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.page.lazy import lazy
from lycosa.page.text.terms import TermStream

OTHER = -1
"""None of the terms that are looked for."""

Range = tuple[int, int]
"""Tokens of a text: the first, and the one after the last."""


class Counted(NamedTuple):
    """How often each term occurs in each of many parts, a line for each: the part, the term's place or OTHER, and how many times."""

    part: NDArray[np.intp]
    term: NDArray[np.intp]
    times: NDArray[np.intp]


class Naming:
    """Some terms in one text."""

    def __init__(self, stream: TermStream, terms: Sequence[str]) -> None:
        self._stream = stream
        known = stream.vocabulary.numbers
        self._place_of = {number: at for at, term in enumerate(terms) if (number := known.get(term))}

    @lazy
    def _is_wanted(self) -> NDArray[np.bool_]:
        """By the number of a token whether it is one of the terms or has one among its several: those count from the end."""
        vocabulary, wanted = self._stream.vocabulary, self._place_of.keys()
        several = [
            each for each in {*self._stream.several} if not wanted.isdisjoint(vocabulary.several(each))
        ]
        is_wanted = np.zeros(len(vocabulary), np.bool_)
        is_wanted[[*wanted, *several]] = True
        return is_wanted

    @lazy
    def tokens(self) -> NDArray[np.intp]:
        """The places of the tokens that name one of the terms.

        >>> from lycosa.page.text.terms import Words
        >>> Naming(Words().read("a big cat, the big cat, dogs"), ["cat", "owl"]).tokens.tolist()
        [2, 5]
        """
        return np.flatnonzero(self._is_wanted.take(self._stream.numbers))

    @lazy
    def terms(self) -> set[str]:
        """All terms of those tokens."""
        numbers = {*self._stream.numbers[self.tokens].tolist()}
        return {term for number in numbers for term in self._stream.vocabulary.terms_of(number)}

    def counts_in_each(self, parts: Sequence[Sequence[Range]]) -> Counted:
        """What `TermStream.counts_in` finds in each part.

        >>> from lycosa.page.text.terms import Words
        >>> naming = Naming(Words().read("a big cat, the big cat, dogs"), ["dog", "cat"])
        >>> [found.tolist() for found in naming.counts_in_each([[(0, 6)], [(4, 6), (6, 7)]])]
        [[0, 0, 1, 1, 1], [-1, 1, -1, 1, 0], [2, 2, 1, 1, 1]]
        """
        numbers, part = self._numbers_in(parts)
        shift = len(self._stream.vocabulary.terms).bit_length()
        pairs = np.sort(((part << shift) | numbers)[numbers > 0])
        is_edge = np.ones(len(pairs) + 1, np.bool_)
        np.not_equal(pairs[1:], pairs[:-1], out=is_edge[1:-1])
        edges = np.flatnonzero(is_edge)
        distinct = pairs.take(edges[:-1])
        numbers = distinct & ((1 << shift) - 1)
        term = np.full(len(numbers), OTHER)
        named = np.flatnonzero(self._is_wanted.take(numbers))
        term[named] = [self._place_of[number] for number in numbers.take(named).tolist()]
        return Counted(distinct >> shift, term, edges[1:] - edges[:-1])

    def _numbers_in(self, parts: Sequence[Sequence[Range]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The numbers of all terms of all parts, and the part of each."""
        vocabulary = self._stream.vocabulary
        ranges = [(at, *each) for at, part in enumerate(parts) for each in self._different(part)]
        flat = np.fromiter(chain.from_iterable(ranges), np.intp, 3 * len(ranges))
        part, first, end = flat[::3], flat[1::3], flat[2::3]
        sizes = end - first
        upto = np.cumsum(sizes)
        places = np.arange(upto[-1] if len(upto) else 0)
        places += np.repeat(end - upto, sizes)
        numbers = self._stream.numbers.take(places).astype(np.intp)
        part = np.repeat(part, sizes)
        few = np.flatnonzero(numbers < 0)
        if len(few):
            several = [vocabulary.several(number) for number in numbers[few].tolist()]
            numbers = np.append(numbers, [*chain.from_iterable(several)])
            part = np.append(part, np.repeat(part[few], [*map(len, several)]))
        return numbers, part

    def _different(self, part: Sequence[Range]) -> Iterable[Range]:
        """Ranges; of several with the same tokens one."""
        if len(part) == 1:
            return part
        numbers = self._stream.numbers
        return {numbers[first:end].tobytes(): (first, end) for first, end in part}.values()
