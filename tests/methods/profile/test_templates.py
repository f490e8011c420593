"""Page types, fields and links on sharing sites of many templates, learned from three examples of each type."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from random import Random

import pytest

from lycosa.methods.profile.site.link_kinds import LinkKind
from lycosa.methods.profile.site.page_types import PageTypes
from lycosa.methods.profile.site.reading import FieldEvidence, UploaderEvidence, people_of, texts_of
from lycosa.methods.profile.site.type_training import train_page_types
from lycosa.page.document import Document
from lycosa.urls import key_of
from lycosa.values import Fact
from tests.methods.profile.sites import Made, made
from tests.methods.profile.templates import TEMPLATES

SEEDS = (1, 2, 3)
ALL = pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in TEMPLATES for seed in SEEDS])


@cache
def site(name: str, seed: int) -> tuple[Made, PageTypes, dict[str, Document]]:
    """A site, what three examples of each type taught, and its documents; odd users are never examples."""
    found = made(TEMPLATES[name], f"{name} {seed}")
    documents = {u: Document(html.encode(), u, "text/html; charset=utf-8") for u, html in found.pages.items()}
    by_type = defaultdict(list)
    for url, kind in found.types.items():
        usual = found.tags.get(url, ("",)) and found.contacts.get(url, ("",))
        if usual and (kind != "list" or len(found.turns[url])):
            by_type[kind].append(url)
    chance = Random(seed)
    examples = {
        kind: [documents[u] for u in chance.sample(by_type[kind], 3)]
        for kind in ("list", "detail", "profile")
    }
    told = [text for page in examples["profile"] for text in found.sets.get(page.url, ())]
    fields = {"sets": told[:1]} if name.startswith("hashed") else {}
    return found, PageTypes(train_page_types(examples, fields=fields)), documents


def facts(types: PageTypes, document: Document, field: str) -> dict[str, Fact]:
    kind = UploaderEvidence(types) if field == "uploader" else FieldEvidence(types, field)
    fact = kind.of_page(document)
    return {field: fact} if fact else {}


@ALL
def test_types(name, seed):
    """Every page has its type, and what is none is other: empty profiles and sign-in pages too."""
    found, types, documents = site(name, seed)
    wrong = {
        u: (k, said)
        for u, k in found.types.items()
        if (said := types.type_of(documents[u].outline, u)[0]) != k
    }
    assert wrong == {}


@pytest.mark.parametrize("name", TEMPLATES)
def test_types_from_any_examples(name):
    """The types are right from any draw of examples, people without tags or contacts among them."""
    found = made(TEMPLATES[name], name)
    documents = {u: Document(html.encode(), u, "text/html; charset=utf-8") for u, html in found.pages.items()}
    for draw in range(3):
        chance = Random(f"{name} {draw}")
        examples = {
            kind: [documents[u] for u in chance.sample([u for u, k in found.types.items() if k == kind], 3)]
            for kind in ("list", "detail", "profile")
        }
        types = PageTypes(train_page_types(examples))
        said = {u: types.type_of(page.outline, u)[0] for u, page in documents.items()}
        assert {u: kind for u, kind in said.items() if kind != found.types[u]} == {}


@ALL
@pytest.mark.parametrize("field", ["tags", "sets"])
def test_tags_and_sets(name, seed, field):
    """They are read as they are, in elements or with commas, on all pages that have them."""
    found, types, documents = site(name, seed)
    shown = getattr(found, field)
    said = {u: set(texts_of(facts(types, documents[u], field), field)) for u in shown}
    assert {u: texts for u, texts in said.items() if texts != set(shown[u])} == {}


@ALL
def test_uploaders(name, seed):
    """A detail page's uploader is found, not those who comment on it."""
    found, types, documents = site(name, seed)
    said = {
        u: [k for _, k in people_of(facts(types, documents[u], "uploader"), "uploader")]
        for u in found.uploaders
    }
    assert {u: keys for u, keys in said.items() if keys[:1] != [key_of(found.uploaders[u])]} == {}


@ALL
def test_contacts(name, seed):
    """Contacts are found, not the guests or the owner."""
    found, types, documents = site(name, seed)
    for url, contacts in found.contacts.items():
        said = {key for _, key in people_of(facts(types, documents[url], "contacts"), "contacts")}
        assert said == {key_of(contact) for contact in contacts}, url


@ALL
def test_links_of_lists(name, seed):
    """On list pages, details, profiles and further pages are told apart; each detail has its own uploader."""
    found, types, documents = site(name, seed)
    for url, kind in found.types.items():
        if kind != "list":
            continue
        page = documents[url]
        read = types.read(page.outline, page.url, page.links)
        for number, link in enumerate(page.links):
            if link.url in found.uploaders:
                assert read.kinds[number] is LinkKind.DETAIL, (url, link.url)
                assert page.links[read.uploaders[number]].url == found.uploaders[link.url], (url, link.url)
            elif link.url in found.uploaders.values():
                assert read.kinds[number] is LinkKind.PROFILE, (url, link.url)
            elif link.url in found.turns[url]:
                assert read.kinds[number] is LinkKind.LIST, (url, link.url)
