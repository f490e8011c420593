"""Find where a sharing site shows tags, uploaders, sets and contacts, from examples or texts that the user names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from lycosa.errors import InputError
from lycosa.methods.profile.site.addresses import Pattern, fits
from lycosa.methods.profile.site.matching import steps_of
from lycosa.methods.profile.site.schema import schema_of
from lycosa.methods.profile.site.tag_lists import separator_of, tags_in
from lycosa.page.document import Document
from lycosa.page.links.paths import Outline
from lycosa.page.text.layout import one_line

FIELDS = {"detail": ("tags", "uploader"), "profile": ("tags", "sets", "contacts")}
"""What is read from which type of page."""
HINT = 5.0
WORDS = 6
"""A tag or name has at most this many words."""
LABEL_WORDS = 3
"""A text before a group that says what it is has at most this many words."""

_HINTS = {
    "tags": re.compile(r"tag|label|keyword|genre|categor|topic|interest"),
    "uploader": re.compile(r"upload|owner|author|artist|user|member|credit|from\b|by\b"),
    "sets": re.compile(r"set\b|sets\b|album|collection|galler|playlist|series"),
    "contacts": re.compile(r"contact|friend|follow|subscri|budd|people|circle|crew|mates"),
}

Proposal = dict[str, tuple[str, ...]]


class Example(msgspec.Struct, frozen=True):
    """An example page: what it says under general path strings, and its links."""

    document: Document
    outline: Outline


class Said(msgspec.Struct, frozen=True):
    """A text of a group: on which page, in which link, and what stands before it."""

    page: str
    text: str
    link: str  # '' for none
    label: str


Groups = Mapping[str, Sequence[Said]]
"""Texts that look alike, by path string, over all examples of a type."""


class Leads(msgspec.Struct, frozen=True):
    """What is known of where links lead: by address, and by standing with a thumbnail on list pages."""

    addresses: Mapping[str, Sequence[Pattern]]
    details: frozenset[str] = frozenset()
    profiles: frozenset[str] = frozenset()

    def share(self, urls: Sequence[str], kind: str) -> float:
        """The share of URLs that lead to a type."""
        known = self.details if kind == "detail" else self.profiles
        patterns = self.addresses.get(kind, ())
        return sum(url in known or fits(url, patterns) for url in urls) / len(urls) if urls else 0.0

    def are(self, urls: Sequence[str], kind: str) -> bool:
        """Whether the URLs mostly lead to a type; where addresses say nothing, some known ones suffice."""
        least = 0.5 if self.addresses.get(kind) else 0.2
        other = "detail" if kind == "profile" else "profile"
        share = self.share(urls, kind)
        return share > least and share > self.share(urls, other)


def groups_of(examples: Sequence[Example], leads: Leads) -> dict[str, list[Said]]:
    """The texts of a type's examples by path string, without what all of them say alike, but for names.

    All examples may be of one uploader, or have a tag in common; so only what always says the same is left out.
    """
    schema = schema_of([each.outline for each in examples]) if len(examples) > 1 else frozenset()
    said = {
        string for each in examples for string, text in each.outline.pairs() if (string, text) not in schema
    }
    groups: dict[str, list[Said]] = defaultdict(list)
    for example in examples:
        outline, links, label = example.outline, example.document.links, ""
        for element, text in outline.leaves:
            string = outline.strings[outline.paths[element]]
            link = outline.links[element]
            url = links[link].url if link >= 0 else ""
            if string not in said and not (url and leads.share([url], "profile")):
                label = text if len(text.split()) <= LABEL_WORDS else ""
            elif text:
                groups[string].append(Said(example.document.url, text, url, label))
                if not url:
                    label = text.split()[-1]  # "Uploaded on May 9 by"
    return dict(groups)


def proposed_fields(
    groups: Mapping[str, Groups], leads: Leads, pages: Mapping[str, int]
) -> dict[str, Proposal]:
    """The best group of each field of each type; left out where nothing looks like it."""
    found = {kind: _proposed(kind, names, groups[kind], leads, pages[kind]) for kind, names in FIELDS.items()}
    if not found["profile"].get("tags") and found["detail"].get("tags"):
        found["profile"] |= _tags_by_words(groups, found["detail"]["tags"])
    return found


def separators_of(fields: Mapping[str, Proposal], groups: Mapping[str, Groups]) -> dict[str, str]:
    """What stands between the tags of fields that are one text, as `{"detail.tags": ","}`."""
    found = {}
    for kind, names in fields.items():
        for name in ("tags", "sets"):
            said = [each for string in names.get(name, ()) for each in groups[kind].get(string, ())]
            if sign := separator_of([each.text for each in said if not each.link]):
                found[f"{kind}.{name}"] = sign
    return found


def _proposed(kind: str, names: Iterable[str], groups: Groups, leads: Leads, pages: int) -> Proposal:
    found: Proposal = {}
    for field in names:
        scores = {s: _score(kind, field, s, group, leads, pages) for s, group in groups.items()}
        best = max(scores, key=lambda s: scores[s], default="")
        if best and scores[best] > 0:
            alike = [
                s for s in groups if s != best and scores[s] > 0 and field != "uploader" and _akin(s, best)
            ]
            found[field] = (best, *alike)
    return found


def _akin(string: str, other: str) -> bool:
    """Whether two path strings differ in one element only, and that has something in common: odd and even rows."""
    own, others = steps_of(string), steps_of(other)
    if [tag for tag, _ in own] != [tag for tag, _ in others]:
        return False
    differing = [(a, b) for (_, a), (_, b) in zip(own, others, strict=True) if a != b]
    return len(differing) == 1 and bool(differing[0][0] & differing[0][1])


def _score(kind: str, field: str, string: str, group: Sequence[Said], leads: Leads, pages: int) -> float:
    """How much a group of texts looks like a field; 0 if it cannot be."""
    linked = [each.link for each in group if each.link]
    to_profiles = leads.are(linked, "profile")
    seen = len({each.page for each in group}) / pages
    size = len(group) / (seen * pages)
    hint = _hint(field, string, group)
    if field == "uploader":
        # Once on every page, in the same place each time: before those who comment.
        likely = to_profiles or (bool(linked) and hint and not leads.addresses.get("profile"))
        return bool(likely and seen == 1) * (to_profiles + hint + HINT * (size == 1))
    if field == "contacts":
        return to_profiles * (1 + 2 * hint + seen + min(1.0, size / 20))
    if to_profiles or leads.are(linked, "detail") or not _brief(group):
        return 0.0
    if field == "tags" and linked:
        pointed = sum(bool(_HINTS[field].search(url.partition("//")[2])) for url in linked)
        hint = hint or HINT * (pointed > len(linked) / 2)
    if not hint:
        # Nothing calls it so: a detail page's largest group of linked words may be its tags.
        plain = field == "tags" and kind == "detail" and bool(linked) and size > 1.5
        return plain * seen * min(1.0, size / 20)
    return hint + seen + min(1.0, size / 20)


def _hint(field: str, string: str, group: Sequence[Said]) -> float:
    """Whether classes near the text, or else what stands before it, call it like the field."""
    marks = " ".join(mark for _, marks in steps_of(string)[:3] for mark in marks).lower()
    if _HINTS[field].search(marks):
        return HINT
    label, _ = Counter(each.label.lower() for each in group).most_common(1)[0]
    return HINT / 2 if _HINTS[field].search(label) else 0.0


def _brief(group: Sequence[Said]) -> bool:
    sign = separator_of([each.text for each in group if not each.link])
    texts = [part for each in group for part in tags_in(each.text, sign)]
    return sum(len(text.split()) <= WORDS for text in texts) > 0.8 * len(texts)


def _tags_by_words(groups: Mapping[str, Groups], strings: Sequence[str]) -> Proposal:
    """The group on profile pages that says what tags of detail pages say."""

    def words(group: Sequence[Said]) -> set[str]:
        sign = separator_of([each.text for each in group if not each.link])
        return {part.lower() for each in group for part in tags_in(each.text, sign)}

    known = set[str]().union(*(words(groups["detail"].get(string, ())) for string in strings))
    shared = {
        string: len(words(g) & known) / len(words(g) or {""}) for string, g in groups["profile"].items()
    }
    best = max(shared, key=lambda each: shared[each], default="")
    return {"tags": (best,)} if best and shared[best] > 0 else {}


def name_field(
    fields: dict[str, Proposal], field: str, texts: Sequence[str], groups: Mapping[str, Groups]
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
            if any(wanted & {said.text.lower(), *_split(said.text)} for said in group)
        }
        if hits:
            # Names of persons stand in many places, the uploader's first; of the others the group counts.
            best = next(iter(hits)) if name == "uploader" else max(hits, key=lambda s: hits[s])
            fields[each][name] = (best,)
            found = True
    if not found:
        raise InputError(
            f"No example of {' or '.join(places)} has the text {texts[0]!r} (for {field}), or all of them have it. "
            "Copy the whole text as the page shows it."
        )


def _split(text: str) -> set[str]:
    return {part.lower() for part in tags_in(text, separator_of([text]))}
