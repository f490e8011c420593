"""`lycosa index`: what a crawl left for later is caught up from the archive."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.collection import Collection
from lycosa.engine.catch_up.index import Indexed, index_collection
from lycosa.errors import CollectionError, SpecError
from lycosa.testing import Page, Site, links
from tests.crawling import crawl, spec_text

STORY = (
    '<html lang=en><head><title>Flood {0}</title><meta property="article:published_time" content="2023-04-0{1}"></head>'
    "<p>The river Tiber rose in Rome, Italy, and the people of Rome left their houses on Monday morning.</p>"
    "<p>Engineers of the Tiber Bridge Trust, said Mario Rossi, measured the water at the old bridge and closed the road to Naples until further notice.</p></html>"
)


@pytest.fixture
def later(tmp_path):
    """A collection crawled with all indexing left for later: three stories, two of them alike."""
    pages: dict[str | tuple[str, str], Page] = {
        ("h0.test", "/"): links("/a", "/b", "/c"),
        ("h0.test", "/a"): STORY.format("one", 1),
        ("h0.test", "/b"): STORY.format("one", 1) + "<!-- again -->",
        (
            "h0.test",
            "/c",
        ): "<title>Soup</title><p>A soup of leeks and potatoes wants an hour and much patience.</p>",
    }
    with Site(pages) as site:
        crawl(
            spec_text(site, ["http://h0.test/"], index={"text": "later", "near_duplicates": "later"}),
            tmp_path / "c",
        )
    return tmp_path / "c"


def test_texts_duplicates_dates_places_and_names_are_caught_up(later):
    """After indexing, pages are found by their words, and have clusters, dates, places and names."""
    done = index_collection(later, 0)
    assert done.texts == 4
    assert done.fingerprints >= 3
    with Collection.open(later) as collection:
        assert len(collection.search.find("tiber").hits) == 2
        stories = [page for page in collection.reader.pages() if page.title.startswith("Flood")]
        assert sorted(bool(page.near_duplicate_of) for page in stories) == [False, True]
        assert {page.date for page in stories} == {"2023-04-01"}
        named = {name for (name,) in collection.connection.execute("SELECT canonical FROM places")}
        assert "Rome" in named
        names = set(collection.connection.execute("SELECT name, kind FROM entities"))
        assert names == {("Mario Rossi", "person"), ("Tiber Bridge Trust", "organisation")}


def test_an_export_without_duplicates_waits_for_the_index(later, tmp_path):
    """--dedupe is refused while nobody has looked for near duplicates, and works afterwards."""
    command = ["export", str(later), "--jsonl", str(tmp_path / "a.jsonl"), "--dedupe"]
    refused = CliRunner().invoke(app, command).exception
    assert isinstance(refused, SpecError)
    assert f"Run lycosa index {later} first" in str(refused)
    assert not (tmp_path / "a.jsonl").exists()
    index_collection(later, 0)
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "Wrote 3 pages" in done.output


def test_indexing_again_does_nothing(later):
    """What is indexed is not read again."""
    index_collection(later, 0)
    again = index_collection(later, 0)
    assert again == Indexed()


def test_only_collections_are_indexed(tmp_path):
    """Another directory is refused, and nothing is made in it."""
    with pytest.raises(CollectionError, match=r"crawl\.toml"):
        index_collection(tmp_path)
    assert not list(tmp_path.iterdir())
