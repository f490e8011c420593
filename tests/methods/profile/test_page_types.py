"""Page types: right on a site that they were learned from with three examples each, and `other` for the rest."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.errors import InputError, ModelError
from lycosa.methods.profile.site.link_kinds import LinkKind
from lycosa.methods.profile.site.page_types import PageTypes, load_page_types, save_page_types
from lycosa.methods.profile.site.schema import characteristic_strings
from lycosa.methods.profile.site.type_training import train_page_types
from lycosa.page.document import Document
from lycosa_lab.demo_web.sharing import HOST, sharing_part
from tests.conftest import SHARED

PART = sharing_part(1)
TYPES = dict(PART.page_types)


def document(url: str) -> Document:
    return Document(PART.pages[url].body, url, "text/html; charset=utf-8")


def examples(seed: int) -> dict[str, list[Document]]:
    by_type = defaultdict(list)
    for url, kind in PART.page_types:
        by_type[kind].append(url)
    return {
        k: [document(u) for u in Random(seed).sample(by_type[k], 3)] for k in ("list", "detail", "profile")
    }


@pytest.fixture(scope="module")
def types() -> PageTypes:
    return PageTypes(train_page_types(examples(1)))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_type_is_right(seed):
    """Three examples of each type suffice for all pages of the demo's sharing site."""
    found = PageTypes(train_page_types(examples(seed)))

    assert [url for url, kind in TYPES.items() if found.type_of(document(url).outline, url)[0] != kind] == []


def test_fields(types):
    """Tags and uploader are read from a detail page, tags and contacts from a profile."""
    page = next(
        document(url)
        for url, kind in TYPES.items()
        if kind == "detail" and b'class="chip"' in PART.pages[url].body
    )
    read = types.read(page.outline, page.url, page.links)

    assert len(read.texts("tags")) == 4
    assert len(read.texts("uploader")) == 1
    someone = document(f"{HOST}/maker/bent")
    read = types.read(someone.outline, someone.url, someone.links)
    assert len(read.texts("contacts")) == 4
    assert read.texts("tags")


def test_a_user_without_tags_is_a_profile(types):
    """A profile with an empty list of tags is still a profile."""
    page = document(f"{HOST}/maker/ada")

    assert types.read(page.outline, page.url, page.links).type == "profile"
    assert types.read(page.outline, page.url, page.links).texts("tags") == ()


def test_uploaders_of_a_list(types):
    """On a list page each detail link belongs to the maker that stands next to it."""
    page = document(f"{HOST}/about/kite")
    read = types.read(page.outline, page.url, page.links)
    makers = {
        item.url: document(item.url)
        for item, kind in zip(page.links, read.kinds, strict=True)
        if kind is LinkKind.DETAIL
    }

    assert makers
    for number, link in enumerate(page.links):
        if link.url in makers:
            detail = makers[link.url]
            own = types.read(detail.outline, detail.url, detail.links).fields["uploader"][0][1]
            assert page.links[read.uploaders[number]].key == detail.links[own].key


def test_small_changes(types):
    """Extra classes, another order of attributes and a wrapper further out change nothing."""
    url = f"{HOST}/maker/bent"
    html = PART.pages[url].body.decode()
    changed = html.replace('class="who"', 'data-x="1" class="big who"').replace(
        "<main", "<div class=page><main"
    )

    page = Document(changed.encode(), url, "text/html")
    assert types.type_of(page.outline, page.url)[0] == "profile"
    assert len(types.read(page.outline, page.url, page.links).texts("contacts")) == 4


def test_conflicting_examples_are_named():
    """Where nothing tells two types apart, the error names the two pages."""
    some = examples(1)
    some["list"] = [some["list"][0], some["detail"][0]]

    with pytest.raises(InputError, match="right type"):
        train_page_types(some)


def test_a_type_can_be_what_another_is_not():
    """A type whose path strings another type has as well is told by what it lacks."""
    plain = {
        f"http://a.test/{i}": Document(f"<p class=x>{i}".encode(), f"http://a.test/{i}").outline
        for i in range(2)
    }
    more = {
        f"http://a.test/m{i}": Document(f"<p class=x>{i}7<h1>t{i}".encode(), f"http://a.test/m{i}").outline
        for i in range(2)
    }
    found = characteristic_strings({"list": plain, "detail": more})

    assert found["list"].yields_to == ("detail",)


def test_user_names_a_field():
    """A text that the user points at decides where a field is; an unknown text is refused in words."""
    some = examples(1)
    tag = next(text for page in some["profile"] for string, text in page.outline.pairs() if "chip" in string)
    site = train_page_types(some, fields={"profile.tags": tag})

    assert "chip" in site.fields["profile"]["tags"][0]
    with pytest.raises(InputError, match="No example of"):
        train_page_types(some, fields={"tags": "nobody says this"})


def test_saved_and_loaded(types, tmp_path):
    """A model is JSON that comes back the same; damage is told in words."""
    path = tmp_path / "site.json"
    save_page_types(path, types.site)

    assert load_page_types(path).site == types.site
    path.write_text("{}")
    with pytest.raises(ModelError, match="Train it"):
        load_page_types(path)


@given(st.text(max_size=300))
def test_any_page_can_be_read(text):
    """No page breaks the classifier."""
    page = Document(
        f"<main class=sheet><h2 class=who>{text}<a href='{text}'>{text}".encode(), "http://a.test/"
    )
    read = READER.read(page.outline, page.url, page.links)

    assert len(read.kinds) == len(read.uploaders) == len(page.links)


READER = PageTypes(train_page_types(examples(1)))


@pytest.mark.shared("webs/media")
async def test_shared_site():
    """On the shared sharing site three examples of each type suffice for a sample of its pages."""
    from lycosa.page.response import document_of
    from lycosa.urls import key_of
    from lycosa.values import Fetched, Link
    from lycosa_lab.webs.web import VirtualWeb

    web = VirtualWeb.open(SHARED / "webs" / "media")
    urls = sorted(web.archive.urls())
    kind_of = {url: web.page_types.get(key_of(url, web.folding), "other") for url in urls}
    sample = [
        u
        for k in ("list", "detail", "profile", "other")
        for u in [u for u in urls if kind_of[u] == k][::60][:60]
    ]
    pages = {}
    for url in sample:
        fetched = await web.archive.fetch(Link(url, key_of(url, web.folding)))
        assert isinstance(fetched, Fetched)
        page = document_of(fetched)
        assert isinstance(page, Document)
        pages[url] = page
    some = {k: [pages[u] for u in sample if kind_of[u] == k][:3] for k in ("list", "detail", "profile")}
    found = PageTypes(train_page_types(some))

    assert [u for u in sample if found.type_of(pages[u].outline, u)[0] != kind_of[u]] == []
