"""The schema of a site, and the characteristic path strings of each page type [Zhang & Nasraoui, 4.3]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from lycosa.errors import InputError
from lycosa.methods.profile.site.link_kinds import turns_page
from lycosa.methods.profile.site.matching import covers_loosely, on_page, steps_of
from lycosa.page.links.paths import Outline

OTHER = "other"
"""The type of a page that is of no type; examples of it only show what the others are not."""

LIST = "list"
"""The type that others embed: a profile shows its items, a detail page what is like it, as lists do."""

Pair = tuple[str, str]


class TypeStrings(msgspec.Struct, frozen=True):
    """What shows that a page has a type.

    `key` is the minimal set: a page with all of it has the type. `strings` are all that are characteristic;
    `lasting` are those of them that still are if templates change further out. A type that `yields_to` others
    is only considered if the page is of none of them. `shared` is what its pages, but those of other types too,
    all have: a page with all of it that is of no other type has this one.
    """

    key: tuple[str, ...]
    strings: tuple[str, ...]
    lasting: tuple[str, ...] = ()
    yields_to: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


def schema_of(pages: Sequence[Outline], share: float = 1.0) -> frozenset[Pair]:
    """The PSNV pairs that occur on at least this share of the pages [algorithm 1].

    >>> menu, name = Outline(("<a>",), (-1,), (0,), (-1,), ((0, "Home"), (0, "Ann"))), "Ann"
    >>> other = Outline(("<a>",), (-1,), (0,), (-1,), ((0, "Home"), (0, "Bob")))
    >>> sorted(schema_of([menu, other])), len(schema_of([menu, other], share=0.5))
    ([('<a>', 'Home')], 3)
    """
    counts: Counter[Pair] = Counter()
    for page in pages:
        counts.update(set(page.pairs()))
    return frozenset(pair for pair, count in counts.items() if count >= share * len(pages))


def characteristic_strings(
    examples: Mapping[str, Mapping[str, Outline]], share: float = 1.0
) -> dict[str, TypeStrings]:
    """The characteristic path strings of each type, from example pages by type and URL [algorithm 2].

    Ours: they have to be absent from the other types' examples. InputError names the examples in conflict.
    """
    everything = [page for pages in examples.values() for page in pages.values()]
    schema = schema_of(everything, share) if len(everything) > 1 else frozenset()
    common = {
        name: _common(list(pages.values()), schema) for name, pages in examples.items() if name != OTHER
    }
    found: dict[str, TypeStrings] = {}
    for name, strings in common.items():
        others = _strings_of(examples, [other for other in examples if other != name])
        own = [string for string in strings if not on_page(others, string)]
        if own:
            lasting = [s for s in own if not any(covers_loosely(each, s) for each in others)]
            shared = _shared(strings, own, examples) if name == LIST else ()
            key = _key(own, examples[name])
            found[name] = TypeStrings(key, tuple(own), tuple(lasting), shared=shared)
    for name in common.keys() - found.keys():
        # All that its pages have, pages of another type have too: then it is what that type is not.
        rivals = tuple(sorted(found))
        others = _strings_of(examples, [other for other in examples if other not in (name, *rivals)])
        own = [string for string in common[name] if not on_page(others, string)]
        if not own or not rivals or len(common) - len(found) > 1:
            odd = _odd_one_out(name, examples[name], schema)
            raise InputError(odd or _conflict(name, examples))
        found[name] = TypeStrings(tuple(own), tuple(own), (), rivals)
    return {name: found[name] for name in common}


def _shared(
    strings: Sequence[str], own: Sequence[str], examples: Mapping[str, Mapping[str, Outline]]
) -> tuple[str, ...]:
    """What lists have in common with other types, where only links to further pages are their own: short ones have none.

    Nothing, if that is a heading alone, or is on a page of no type.
    """
    turning = (text for page in examples[LIST].values() for string, text in page.pairs() if string in own)
    shared = tuple(string for string in strings if string not in own)
    if not all(map(turns_page, turning)):
        return ()
    none = [{string for string, _ in page.pairs()} for page in examples.get(OTHER, {}).values()]
    is_enough = len(shared) > 1 and not any(page.issuperset(shared) for page in none)
    return shared if is_enough else ()


def _common(pages: Sequence[Outline], schema: frozenset[Pair]) -> list[str]:
    """Path strings of real data that all pages of a type have, in document order."""
    real = [
        dict.fromkeys(string for string, text in page.pairs() if (string, text) not in schema)
        for page in pages
    ]
    candidates = dict.fromkeys(string for strings in real for string in strings)
    return [c for c in candidates if all(on_page(strings, c) for strings in real)]


def _key(own: Sequence[str], pages: Mapping[str, Outline]) -> tuple[str, ...]:
    """The one string on which to rely most.

    First those whose text differs from page to page and that occur once on each, such as headings:
    a list of tags or contacts may be empty.
    """

    def doubt(string: str) -> tuple[bool, bool, bool, int]:
        texts = [[text for own, text in page.pairs() if on_page((own,), string)] for page in pages.values()]
        constant = len(pages) > 1 and len({tuple(each) for each in texts}) == 1
        often = any(len(each) != 1 for each in texts)
        return constant, often, steps_of(string)[0][0] not in ("h1", "h2"), own.index(string)

    return (min(own, key=doubt),)


def _strings_of(examples: Mapping[str, Mapping[str, Outline]], types: Iterable[str]) -> frozenset[str]:
    return frozenset(
        string for name in types for page in examples[name].values() for string, _ in page.pairs()
    )


def _odd_one_out(name: str, pages: Mapping[str, Outline], schema: frozenset[Pair]) -> str:
    """Which example has nothing in common with the others of its type, in words; '' if none has."""
    for url in pages if len(pages) > 2 else ():
        others = [page for each, page in pages.items() if each != url]
        alone = not _common([*others, pages[url]], schema)
        if alone and _common(others, schema):
            return (
                f"The {name} example {url} has no path string in common with the other {len(others)}. "
                "Does it need a login, or is it of another type? Leave it out, or choose another."
            )
    return ""


def _conflict(name: str, examples: Mapping[str, Mapping[str, Outline]]) -> str:
    """Which two examples of different types look most alike, in words."""
    best = (-1.0, "", "", "")
    for url, page in examples[name].items():
        own = {string for string, _ in page.pairs()}
        for other in examples:
            for rival, rival_page in examples[other].items() if other != name else ():
                theirs = {string for string, _ in rival_page.pairs()}
                alike = len(own & theirs) / (len(own | theirs) or 1)
                best = max(best, (alike, url, other, rival))
    alike, url, other, rival = best
    if not url:
        return f"No path string is common to the examples of {name!r}. Give pages of one type only, as HTML."
    return (
        f"No path string tells {name!r} pages from the others. The examples {url} ({name}) and {rival} ({other}) "
        f"share {alike:.0%} of their path strings: check that each is under its right type, or choose others."
    )
