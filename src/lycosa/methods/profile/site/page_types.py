"""The saved model of a site's page types, and the classifier and extractor made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.errors import ModelError, SpecError
from lycosa.evidence.model_file import read_json
from lycosa.methods.profile.site.addresses import Pattern, fits
from lycosa.methods.profile.site.link_kinds import LinkKind, nearest_profiles, turns_page
from lycosa.methods.profile.site.matching import covers, covers_loosely, steps_of
from lycosa.methods.profile.site.schema import OTHER, TypeStrings
from lycosa.methods.profile.site.tag_lists import tags_in
from lycosa.page.links.paths import Outline
from lycosa.values import Link

FORMAT = "lycosa page types 1"
TOLERANCE = 0.5
"""A page without a type's minimal set still has the type with this share of its characteristic strings."""
VALUES = 500
MEMORY = 20_000


class Site(msgspec.Struct, frozen=True):
    """What was learned of a site's templates: data, saved as JSON that can be read and edited.

    `fields[type][field]` are the path strings of a field (tags, uploader, sets, contacts); `thumbnails` those
    of images that link to detail pages, `names` those of texts that link to profiles on list pages.
    """

    name: str
    types: dict[str, TypeStrings]
    fields: dict[str, dict[str, tuple[str, ...]]]
    addresses: dict[str, tuple[Pattern, ...]]
    thumbnails: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    separators: dict[str, str] = {}  # of fields that are one text: {"detail.tags": ","}
    format: str = FORMAT


class Reading(msgspec.Struct, frozen=True):
    """What a page says: its type, how sure that is, and the texts of its fields with their links (-1: none)."""

    type: str
    share: float
    fields: dict[str, tuple[tuple[str, int], ...]]
    kinds: tuple[LinkKind, ...]
    uploaders: tuple[int, ...]  # for each link the link to its uploader's profile, or -1

    def texts(self, field: str) -> tuple[str, ...]:
        """The texts of a field, each once."""
        return tuple(dict.fromkeys(text for text, _ in self.fields.get(field, ())))


class PageTypes:
    """The classifier and extractor of a site."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._templates = tuple(
            dict.fromkeys(
                [
                    *(s for kind in site.types.values() for s in (*kind.key, *kind.strings, *kind.shared)),
                    *(s for fields in site.fields.values() for strings in fields.values() for s in strings),
                    *site.thumbnails,
                    *site.names,
                ]
            )
        )
        self._exact: dict[str, frozenset[str]] = {}
        self._loose: dict[str, frozenset[str]] = {}

    def __getstate__(self) -> Site:
        return self.site

    def __setstate__(self, site: Site) -> None:
        PageTypes.__init__(self, site)

    def type_of(self, outline: Outline, url: str) -> tuple[str, float]:
        """The type of a page and the share of its characteristic strings found; `other` if nothing fits."""
        strings = {string for string, _ in outline.pairs()}
        present = self._present(strings, self._exact)
        found = self._best(present, {n: (k.key, k.strings) for n, k in self.site.types.items()}, url)
        if found[0] == OTHER:
            present = self._present(strings, self._loose)
            lasting = {n: (k.lasting, k.lasting) for n, k in self.site.types.items() if k.lasting}
            found = self._best(present, lasting, url)
        if found[0] == OTHER:
            present = self._present(strings, self._exact)
            bare = (n for n, k in self.site.types.items() if k.shared and present.issuperset(k.shared))
            found = next(((name, 0.0) for name in bare), found)
        return found

    def read(self, outline: Outline, url: str, links: Sequence[Link]) -> Reading:
        """All that the page says."""
        kind, share = self.type_of(outline, url)
        fields = {
            name: self._values(
                outline, strings, self.site.separators.get(f"{kind}.{name}", ""), name == "tags"
            )
            for name, strings in self.site.fields.get(kind, {}).items()
        }
        kinds = self._kinds(outline, links)
        return Reading(kind, share, fields, kinds, nearest_profiles(outline, kinds))

    def _best(
        self, present: frozenset[str], types: Mapping[str, tuple[Sequence[str], Sequence[str]]], url: str
    ) -> tuple[str, float]:
        shares = {
            name: (
                all(s in present for s in key) and self._may_be(name, key, url),
                sum(s in present for s in strings) / len(strings),
                len(strings),
            )
            for name, (key, strings) in types.items()
        }
        fitting = {
            name: (whole, share)
            for name, (whole, share, size) in shares.items()
            if whole or (share >= TOLERANCE and share * size >= 2)
        }
        firm = {
            n: each for n, each in fitting.items() if not set(self.site.types[n].yields_to) & fitting.keys()
        }
        if not firm:
            return OTHER, 0.0
        name = max(firm, key=lambda each: firm[each])
        return name, firm[name][1]

    def _may_be(self, name: str, key: Sequence[str], url: str) -> bool:
        """Whether a minimal set is enough: if it is a bare heading, as other pages have, the address must fit too."""
        patterns = self.site.addresses.get(name)
        is_bare = not any(marks for string in key for _, marks in steps_of(string))
        return not is_bare or not patterns or fits(url, patterns)

    def _present(self, strings: set[str], memory: dict[str, frozenset[str]]) -> frozenset[str]:
        """The templates that a page's path strings match, cached by string."""
        found: set[str] = set()
        for string in strings:
            known = memory.get(string)
            if known is None:
                if len(memory) >= MEMORY:
                    memory.clear()
                known = memory[string] = frozenset(t for t in self._templates if self._is(string, t, memory))
            found |= known
        return frozenset(found)

    def _is(self, string: str, template: str, memory: dict[str, frozenset[str]]) -> bool:
        if memory is self._loose:
            return covers_loosely(string, template)
        return covers(string, template)

    def _where(self, outline: Outline, templates: Sequence[str]) -> set[int]:
        """The numbers of a page's path strings that are instances of the templates, loosely if need be."""
        for memory in (self._exact, self._loose):
            self._present(set(outline.strings), memory)
            found = {
                number
                for number, string in enumerate(outline.strings)
                if not memory.get(string, frozenset()).isdisjoint(templates)
            }
            if found:
                return found
        return set()

    def _values(
        self, outline: Outline, templates: Sequence[str], sign: str, are_tags: bool
    ) -> tuple[tuple[str, int], ...]:
        where = self._where(outline, templates)
        values = [
            ((part.lstrip("#").strip() or part) if are_tags else part, outline.links[element])
            for element, text in outline.leaves
            if text and outline.paths[element] in where
            for part in tags_in(text, sign)
        ]
        return tuple(dict.fromkeys(values[:VALUES]))

    def _kinds(self, outline: Outline, links: Sequence[Link]) -> tuple[LinkKind, ...]:
        """By URL pattern if it decides; else a thumbnail's link is a detail link and a name's a profile link."""
        addresses = self.site.addresses
        lists = addresses.get("list", ())
        thumbnails = {outline.links[element] for element, text in outline.leaves if not text}
        named = self._where(outline, self.site.names) if self.site.names else set()
        names = {outline.links[e] for e, text in outline.leaves if text and outline.paths[e] in named}
        pictures = self._where(outline, self.site.thumbnails) if self.site.thumbnails else set()
        pictured = {
            outline.links[e] for e, text in outline.leaves if not text and outline.paths[e] in pictures
        }
        turning = {outline.links[e] for e, text in outline.leaves if text and turns_page(text)}
        kinds = []
        for number, link in enumerate(links):
            detail, profile = (
                fits(link.url, addresses.get("detail", ())),
                fits(link.url, addresses.get("profile", ())),
            )
            if detail and (not profile or number in thumbnails):
                kinds.append(LinkKind.DETAIL)
            elif profile:
                kinds.append(LinkKind.PROFILE)
            elif number in pictured:
                kinds.append(LinkKind.DETAIL)
            elif number in names:
                kinds.append(LinkKind.PROFILE)
            elif number in turning or "next" in link.rel.lower().split() or fits(link.url, lists):
                kinds.append(LinkKind.LIST)
            else:
                kinds.append(LinkKind.ELSE)
        return tuple(kinds)


def save_page_types(path: Path, site: Site) -> None:
    """Write the model as JSON."""
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(site)) + b"\n")
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror}. Name another file.") from None


def page_types_of(given: str | PageTypes, folder: Path) -> PageTypes:
    """The page types that a spec names; SpecError if there are none, or they cannot serve a crawl."""
    if not given:
        raise SpecError(
            "[profile] page_types is missing. Train the site's page types from a few example pages: "
            "lycosa train page-types, and name the model there."
        )
    types = given if isinstance(given, PageTypes) else load_page_types(folder / given)
    if not types.site.fields.get("detail", {}).get("tags"):
        raise SpecError(
            "The model of [profile] page_types does not say where detail pages show their tags, so nothing could be "
            "relevant. Train it again with detail pages that have tags, or point at one: --field detail.tags=TEXT"
        )
    return types


def load_page_types(path: Path) -> PageTypes:
    """Read a model; ModelError says what is wrong and what to do."""
    try:
        site = read_json(path, Site)
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read: {error.strerror}. Train it: lycosa train page-types"
        ) from None
    except ValueError as error:
        raise ModelError(
            f"{path} is not a model of page types ({error}). Train it: lycosa train page-types"
        ) from None
    if site.format != FORMAT:
        raise ModelError(
            f"{path} is a {site.format[:80]!r}, not {FORMAT!r}. Train it again: lycosa train page-types"
        )
    return PageTypes(site)
