"""Learn the page types of a sharing site from a few example pages of each type.

In: documents by type (list, detail, profile; `other` to show what is none of them), and texts that the user
points at. Out: a Site, saved as JSON.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from lycosa.errors import InputError
from lycosa.evidence.profile.addresses import Pattern, fits, patterns_of
from lycosa.evidence.profile.matching import steps_of
from lycosa.evidence.profile.page_types import Site
from lycosa.evidence.profile.schema import OTHER, characteristic_strings, schema_of
from lycosa.page.document import Document
from lycosa.page.layout import one_line

FIELDS = {"detail": ("tags", "uploader"), "profile": ("tags", "sets", "contacts")}
"""What is read from which type of page."""
TYPES = ("list", "detail", "profile")

_HINTS = {
    "tags": re.compile(r"tag|label|keyword|genre|categor|topic|interest"),
    "uploader": re.compile(r"upload|owner|author|artist|user|member|credit|by\b"),
    "sets": re.compile(r"set\b|sets\b|album|collection|galler|playlist|series"),
    "contacts": re.compile(r"contact|friend|follow|subscri|budd|people|circle|crew|mates"),
}
HINT = 5.0
WORDS = 6
"""A tag or name has at most so many words."""

Examples = Mapping[str, Sequence[Document]]
Group = list[tuple[Document, str, int]]
"""Texts that look alike, over all examples of a type: (page, text, link or -1)."""


def train_page_types(
    examples: Examples,
    *,
    name: str = "",
    fields: Mapping[str, str | Sequence[str]] | None = None,
    share: float = 1.0,
    extra_classes: bool = True,
) -> Site:
    """The page types of a site.

    fields: a text of each field as an example page shows it, `{"tags": "sunset"}` or, to say on which type of
    page, `{"profile.tags": "sunset"}`; what is not named is proposed by us.
    share: PSNV pairs on at least this share of all examples are schema, not data.
    extra_classes: pages may have classes and display attributes beyond those of the examples.
    """
    _check(examples)
    outlines = {kind: {page.url: page.outline for page in pages} for kind, pages in examples.items()}
    types = characteristic_strings(outlines, share, extra_classes)
    addresses = _addresses(examples)
    groups = {kind: _groups(pages) for kind, pages in examples.items()}
    proposed = {
        kind: _proposed(kind, names, groups[kind], addresses, len(examples[kind]))
        for kind, names in FIELDS.items()
    }
    if not proposed["profile"].get("tags") and proposed["detail"].get("tags"):
        proposed["profile"] |= _tags_by_words(groups, proposed["detail"]["tags"])
    for field, said in (fields or {}).items():
        _name_field(proposed, field, [said] if isinstance(said, str) else said, groups)
    thumbnails, names = _of_lists(examples["list"], addresses)
    return Site(name, types, proposed, addresses, thumbnails, names, extra_classes)


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


def _groups(pages: Sequence[Document]) -> dict[str, Group]:
    """The texts of a type's examples by path string, without what all of them say alike."""
    schema = schema_of([page.outline for page in pages]) if len(pages) > 1 else frozenset()
    groups: dict[str, Group] = defaultdict(list)
    for page in pages:
        outline = page.outline
        for element, text in outline.leaves:
            string = outline.strings[outline.paths[element]]
            if text and (string, text) not in schema:
                groups[string].append((page, text, outline.links[element]))
    return dict(groups)


def _proposed(
    kind: str,
    names: Iterable[str],
    groups: Mapping[str, Group],
    addresses: Mapping[str, tuple[Pattern, ...]],
    pages: int,
) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for field in names:
        scores = {s: _score(kind, field, s, group, addresses, pages) for s, group in groups.items()}
        best = max(scores, key=lambda s: scores[s], default="")
        if best and scores[best] > 0:
            found[field] = (best,)
    return found


def _score(
    kind: str, field: str, string: str, group: Group, addresses: Mapping[str, tuple[Pattern, ...]], pages: int
) -> float:
    """How much a group of texts looks like a field; 0 if it cannot be."""
    linked = [page.links[link].url for page, _, link in group if link >= 0]
    to_profiles = sum(fits(url, addresses["profile"]) for url in linked) > len(linked) / 2
    to_details = sum(fits(url, addresses["detail"]) for url in linked) > len(linked) / 2
    seen = len({page.url for page, _, _ in group}) / pages
    size = len(group) / (seen * pages)
    marks = " ".join(mark for _, marks in steps_of(string)[:3] for mark in marks).lower()
    hint = HINT if _HINTS[field].search(marks) else 0.0
    brief = sum(len(text.split()) <= WORDS for _, text, _ in group) / len(group) > 0.8
    if field == "uploader":
        return (to_profiles and seen == 1) * (1 + hint + HINT * (size == 1))
    if field == "contacts":
        return to_profiles * (1 + hint + seen)
    if not brief or to_details or to_profiles:
        return 0.0
    if field == "tags" and linked:
        hint = hint or HINT * (
            sum(bool(_HINTS[field].search(url.partition("//")[2])) for url in linked) > len(linked) / 2
        )
    if not hint:
        # Nothing calls it so: a detail page's largest group of linked words may be its tags.
        return (
            (field == "tags" and kind == "detail" and bool(linked) and size > 1.5)
            * seen
            * min(1.0, size / 20)
        )
    return hint + seen + min(1.0, size / 20)


def _tags_by_words(
    groups: Mapping[str, Mapping[str, Group]], strings: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The group on profile pages that says what tags of detail pages say."""
    words = {text.lower() for string in strings for _, text, _ in groups["detail"].get(string, ())}
    shared = {
        string: sum(text.lower() in words for _, text, _ in group) / len(group)
        for string, group in groups["profile"].items()
    }
    best = max(shared, key=lambda each: shared[each], default="")
    return {"tags": (best,)} if best and shared[best] > 0 else {}


def _name_field(
    proposed: dict[str, dict[str, tuple[str, ...]]],
    field: str,
    texts: Sequence[str],
    groups: Mapping[str, Mapping[str, Group]],
) -> None:
    """Put the path strings of texts that the user points at in place of what we proposed."""
    kind, _, name = field.rpartition(".")
    places = [each for each, names in FIELDS.items() if name in names and kind in ("", each)]
    if not places:
        known = ", ".join(f"{kind}.{name}" for kind, names in FIELDS.items() for name in names)
        raise InputError(f"There is no field {field!r}. Known are: {known}.")
    wanted = {one_line(text).lower() for text in texts}
    found = False
    for each in places:
        hits = {
            string: len(group)
            for string, group in groups[each].items()
            if wanted & {text.lower() for _, text, _ in group}
        }
        if hits:
            # Names of persons stand in many places, the uploader's first; of the others the group counts.
            best = next(iter(hits)) if name == "uploader" else max(hits, key=lambda s: hits[s])
            proposed[each][name] = (best,)
            found = True
    if not found:
        raise InputError(
            f"No example of {' or '.join(places)} has the text {texts[0]!r} (for {field}), or all of them have it. "
            "Copy the whole text as the page shows it."
        )


def _of_lists(
    pages: Sequence[Document], addresses: Mapping[str, tuple[Pattern, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Path strings of the thumbnails that link to detail pages, and of the names that link to profiles."""
    pictures: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        outline = page.outline
        for element, text in outline.leaves:
            if (link := outline.links[element]) >= 0:
                where = texts if text else pictures
                where[outline.strings[outline.paths[element]]].append(page.links[link].url)
    details = {url for urls in pictures.values() for url in urls if fits(url, addresses["detail"])}
    thumbnails = _leading_to(pictures, addresses["detail"]) or _largest(pictures)
    items = details or {url for string in thumbnails for url in pictures[string]}
    beside = {s: [url for url in urls if url not in items] for s, urls in texts.items()}
    names = _leading_to(beside, addresses["profile"]) or _beside(beside, len(items))
    return thumbnails, names


def _leading_to(groups: Mapping[str, Sequence[str]], patterns: Sequence[Pattern]) -> tuple[str, ...]:
    return tuple(
        s for s, urls in groups.items() if urls and sum(fits(u, patterns) for u in urls) > len(urls) / 2
    )


def _largest(groups: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    sizes = Counter({string: len(urls) for string, urls in groups.items()})
    return tuple(string for string, _ in sizes.most_common(1))


def _beside(groups: Mapping[str, Sequence[str]], items: int) -> tuple[str, ...]:
    """The group of text links that comes closest to one for each item, and has at least half as many."""
    sizes = {string: abs(len(urls) - items) for string, urls in groups.items() if 2 * len(urls) >= items > 0}
    return (min(sizes, key=lambda each: sizes[each]),) if sizes else ()
