"""The cache of a web: what documents of it say is what the archive says, however they were read."""

import pytest

from lycosa.urls import key_of
from lycosa.values import Link
from lycosa_lab.webs import cache
from lycosa_lab.webs.cache import STORED, STORED_LATER, CachedWeb
from lycosa_lab.webs.web import VirtualWeb


@pytest.fixture
def few_pages(demo_folder, tmp_path_factory):
    """A web of the first pages of the demo."""
    folder = tmp_path_factory.mktemp("few")
    whole = next(demo_folder.glob("*.warc.gz")).read_bytes()
    (folder / "a.warc.gz").write_bytes(whole[:80_000])
    return folder


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path))
    return tmp_path


def test_parts_that_few_ask_for_are_read_when_the_first_is_asked_for(few_pages, kept, monkeypatch):
    """Places and dates are kept in a file of their own, made for all pages at once, and are those of the page itself."""
    web = CachedWeb(VirtualWeb.open(few_pages))
    assert [path for path in kept.glob("*.pages") if "later" in path.name] == []
    pages = [web.document(key) for key in sorted(web.pages)[:5]]
    for page in pages:
        itself = web.recipe.document_of(web.web.archive.answer(_link(page, web)))  # type: ignore[arg-type]
        for name in (*STORED, *STORED_LATER):
            assert getattr(page, name) == getattr(itself, name), name
    assert len([path for path in kept.glob("*.pages") if "later" in path.name]) == 1
    monkeypatch.setattr(cache, "_read_pages", None)  # nothing is read again
    again = CachedWeb(VirtualWeb.open(few_pages))
    for key, page in zip(sorted(web.pages), pages, strict=False):
        assert again.document(key).places == page.places  # type: ignore[union-attr]


def test_a_web_read_in_parts_is_the_same_web(few_pages, kept, tmp_path_factory, monkeypatch):
    """Whether one process reads all pages or several read some each, with progress told: the same records in the same order."""
    whole = CachedWeb(VirtualWeb.open(few_pages))
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path_factory.mktemp("other")))
    monkeypatch.setattr(cache, "AT_ONCE", len(whole.graph) // 3)
    monkeypatch.setattr(cache, "MANY", 1)
    told = []
    parts = CachedWeb(
        VirtualWeb.open(few_pages), parsing=lambda done, of: told.append((done, of)), processes=2
    )
    assert list(parts.graph.items()) == list(whole.graph.items())
    assert parts.pages == whole.pages
    for key in whole.pages:
        one, other = parts.document(key), whole.document(key)
        assert [getattr(one, name) for name in STORED] == [getattr(other, name) for name in STORED]
    assert told[0][0] == 0
    assert told[-1] == (len(whole.graph), len(whole.graph))


def _link(page, web):
    return Link(page.url, key_of(page.url, web.web.folding))
