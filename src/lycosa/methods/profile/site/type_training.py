"""Learn the page types of a sharing site from a few example pages of each type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from lycosa.errors import InputError
from lycosa.methods.profile.site.addresses import Pattern, fits, patterns_of
from lycosa.methods.profile.site.field_training import (
    FIELDS,
    Example,
    Leads,
    groups_of,
    name_field,
    proposed_fields,
    separators_of,
)
from lycosa.methods.profile.site.general import general_outlines, outermost_marks
from lycosa.methods.profile.site.page_types import Site
from lycosa.methods.profile.site.schema import OTHER, characteristic_strings
from lycosa.page.document import Document

TYPES = ("list", "detail", "profile")

Examples = Mapping[str, Sequence[Document]]


def train_page_types(
    examples: Examples,
    *,
    name: str = "",
    fields: Mapping[str, str | Sequence[str]] | None = None,
    share: float = 1.0,
) -> Site:
    """The page types of a site.

    fields: a text of each field as an example page shows it, `{"tags": "sunset"}` or, to say on which type of
    page, `{"profile.tags": "sunset"}`; what is not named is proposed by us.
    share: PSNV pairs on at least this share of all examples are schema, not data.
    """
    _check(examples)
    outermost = outermost_marks([page.outline for pages in examples.values() for page in pages])
    shown = {kind: _general(pages, outermost) for kind, pages in examples.items()}
    types = characteristic_strings(
        {kind: {each.document.url: each.outline for each in pages} for kind, pages in shown.items()},
        share,
    )
    addresses = _addresses(examples)
    thumbnails, names, leads = _of_lists(shown["list"], addresses, examples)
    groups = {kind: groups_of(pages, leads) for kind, pages in shown.items()}
    found = proposed_fields(groups, leads, {kind: len(pages) for kind, pages in shown.items()})
    for field, said in (fields or {}).items():
        name_field(found, field, [said] if isinstance(said, str) else said, groups)
    separators = separators_of(found, groups)
    return Site(name, types, found, addresses, thumbnails, names, separators)


def missing_fields(site: Site, kind: str) -> list[str]:
    """What a type of page should say and nobody found on its examples; not every site has sets."""
    return [
        field for field in FIELDS.get(kind, ()) if field != "sets" and field not in site.fields.get(kind, {})
    ]


def _general(pages: Sequence[Document], outermost: Mapping[str, frozenset[str]]) -> list[Example]:
    shown = general_outlines([page.outline for page in pages], outermost)
    return [Example(page, outline) for page, outline in zip(pages, shown, strict=True)]


def _check(examples: Examples) -> None:
    missing = [kind for kind in TYPES if not examples.get(kind)]
    if missing:
        raise InputError(
            f"No example pages of type {', '.join(missing)}. Give one to three of each: {', '.join(TYPES)}."
        )
    unknown = [kind for kind in examples if kind not in (*TYPES, OTHER)]
    if unknown:
        raise InputError(f"There is no page type {unknown[0]!r}. Known are: {', '.join((*TYPES, OTHER))}.")
    for kind, pages in examples.items():
        for page in pages:
            if not page.outline.pairs():
                raise InputError(
                    f"The {kind} example {page.url} has no text. Does it need a login or a browser?"
                )


def _addresses(examples: Examples) -> dict[str, tuple[Pattern, ...]]:
    """URL patterns of each type, but for those that also fit examples of another type."""
    found = {}
    for kind in TYPES:
        others = [page.url for other, pages in examples.items() if other != kind for page in pages]
        patterns = patterns_of(page.url for page in examples[kind])
        found[kind] = tuple(p for p in patterns if not any(fits(url, (p,)) for url in others))
    return found


def _of_lists(
    pages: Sequence[Example], addresses: Mapping[str, tuple[Pattern, ...]], examples: Examples
) -> tuple[tuple[str, ...], tuple[str, ...], Leads]:
    """Path strings of the thumbnails that link to detail pages and of the names that link to profiles; where they lead."""
    pictures: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        outline = page.outline
        for element, text in outline.leaves:
            if (link := outline.links[element]) >= 0:
                where = texts if text else pictures
                where[outline.strings[outline.paths[element]]].append(page.document.links[link].url)
    details = {url for urls in pictures.values() for url in urls if fits(url, addresses["detail"])}
    thumbnails = _leading_to(pictures, addresses["detail"]) or _thumbnails(pictures, texts)
    items = details or {url for string in thumbnails for url in pictures[string]}
    beside = {s: [url for url in urls if url not in items] for s, urls in texts.items()}
    # What all lists link to is a menu, unless all are lists of one person.
    menu = _on_all(pages) if len(pages) > 1 else frozenset()
    varying = {s: [url for url in urls if url not in menu] for s, urls in beside.items()}
    count = sum(len(pictures[s]) for s in thumbnails)
    names = _leading_to(beside, addresses["profile"]) or _beside(varying, count) or _beside(beside, count)
    leads = Leads(
        addresses,
        frozenset((*items, *(page.url for page in examples["detail"]))),
        frozenset((*(url for s in names for url in beside[s]), *(page.url for page in examples["profile"]))),
    )
    return thumbnails, names, leads


def _on_all(pages: Sequence[Example]) -> frozenset[str]:
    return frozenset[str].intersection(
        *(frozenset(link.url for link in page.document.links) for page in pages)
    )


def _leading_to(groups: Mapping[str, Sequence[str]], patterns: Sequence[Pattern]) -> tuple[str, ...]:
    return tuple(
        s for s, urls in groups.items() if urls and sum(fits(u, patterns) for u in urls) > len(urls) / 2
    )


def _thumbnails(pictures: Mapping[str, Sequence[str]], texts: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The group of pictures that lead to most different pages; those of people recur, and have a name beside."""
    best = max(pictures, key=lambda each: (len(set(pictures[each])), each not in texts), default="")
    return (best,) if best else ()


def _beside(groups: Mapping[str, Sequence[str]], items: int) -> tuple[str, ...]:
    """The group of text links that comes closest to one for each item, and has at least half as many."""
    sizes = {string: abs(len(urls) - items) for string, urls in groups.items() if 2 * len(urls) >= items > 0}
    return (min(sizes, key=lambda each: sizes[each]),) if sizes else ()
