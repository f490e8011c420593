"""A collection of the version before: today's program opens it, goes on with it and judges it anew."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from lycosa.collection.catalogue.schema import MIGRATIONS, version_of
from lycosa.collection.collection import Collection
from lycosa.engine.index import index_collection
from lycosa.testing import Site
from tests.crawling import crawl, pages_of
from tests.engine.data.make_collection import LABELLED, LIMIT, NAME, PAGES, spec_text, web

MADE_BY_0_1 = Path(__file__).parent / "data" / "collection-0.1.tar.xz"


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The collection as the version before left it, when it had come to its limit of pages."""
    with tarfile.open(MADE_BY_0_1) as tar:
        tar.extractall(tmp_path, filter="data")
    return tmp_path / NAME


def _judged(directory: Path) -> dict[str, bool]:
    return {url: page.judgement.relevant for url, page in pages_of(directory).items() if page.judgement}


def test_it_goes_on_and_comes_to_the_same_end(earlier: Path, tmp_path: Path) -> None:
    """With a higher limit it fetches what is left, nothing twice, and has what a crawl of today has."""
    (earlier / "labels.db").unlink()  # what it teaches would be no lesson of the fresh crawl
    with Site(web()) as site:
        summary = crawl(spec_text(site.port, 1000), earlier)
        asked = site.urls()
        fresh = crawl(spec_text(site.port, 1000), tmp_path / "fresh" / NAME)
    assert summary.pages == fresh.pages == PAGES
    asked = [url for url in asked if not url.endswith("/robots.txt")]  # the stored ones are older than a day
    assert set(asked) <= set(pages_of(earlier))
    assert len(asked) == PAGES - LIMIT + 1  # and the one that is gone
    now = _judged(earlier)
    assert now == _judged(tmp_path / "fresh" / NAME)
    with Collection.open(earlier) as collection:
        assert version_of(collection.connection) == len(MIGRATIONS)
        assert collection.reader.counts().judged == PAGES
        assert collection.reader.counts().relevant == summary.relevant == sum(now.values())


def test_it_is_judged_anew_from_its_archive(earlier: Path) -> None:
    """Another threshold and another strategy: no request is made, every page is judged, the label holds."""
    with Site(web()) as site:
        spec = spec_text(site.port, LIMIT).replace("0.4", "0.0").replace("best-first", "shark-search")
        said: list[str] = []
        crawl(spec, earlier, say=said.append)
        assert site.urls() == []
    assert any(f"{LIMIT} pages" in line for line in said)
    assert [url for url, relevant in _judged(earlier).items() if not relevant] == [LABELLED]


def test_it_is_indexed(earlier: Path) -> None:
    """`lycosa index` brings it up to date, and finds which of its pages say the same."""
    done = index_collection(earlier, 0)
    assert done.unread == 0
    assert [page.title for page in pages_of(earlier).values() if page.near_duplicate_of] == ["Page 10"]
