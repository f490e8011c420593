"""Made-up pages: some about owls, some about ships, all in words that pages of any topic have."""

from __future__ import annotations

from random import Random

import pytest

OWLS = "owl nest feather prey hunt night wing chick rodent perch".split()
SHIPS = "ship harbour captain cargo sail crew anchor deck voyage mast".split()
ANY = "year peopl time work world day place hous part water citi name number book line".split()


def made_page(random: Random, own: list[str], share: float = 0.5, words: int = 120) -> dict[str, int]:
    """Counts by term of a page that takes a share of its words from its own topic."""
    terms: dict[str, int] = {}
    for _ in range(words):
        term = random.choice(own if random.random() < share else ANY)
        terms[term] = terms.get(term, 0) + 1
    return terms


@pytest.fixture
def pages() -> list[tuple[dict[str, int], bool]]:
    """Sixty pages, every third of them about owls: the first three as well."""
    random = Random(4)
    return [
        (made_page(random, OWLS if owls else SHIPS, random.uniform(0.2, 0.6)), owls)
        for owls in (number < 3 or number % 3 == 0 for number in range(60))
    ]
