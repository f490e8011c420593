"""From posts to seeds: filters, counts, ranking of sources, both selections."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from lycosa.seeds.posts import tally as tally_module
from lycosa.seeds.posts.keywords import Keywords
from lycosa.seeds.posts.reading import PostFile
from lycosa.seeds.posts.selection import PostFilter, best_sources, count_posts, count_urls, select
from lycosa.seeds.posts.tally import UrlTally
from tests.seeds.posts.examples import write_lines


def tweet(
    url: str, *, language: str = "en", day: str = "2016-03-22", expanded: str = ""
) -> dict[str, object]:
    return {
        "id": "1",
        "text": "see " + url,
        "created_at": day + "T00:00:00Z",
        "lang": language,
        "entities": {"urls": [{"url": url, "expanded_url": expanded or url}]},
    }


@pytest.fixture
def posts(tmp_path) -> Path:
    return write_lines(
        tmp_path / "posts.jsonl",
        tweet("https://t.co/1", expanded="http://big.example/flood-one?utm_source=x"),
        tweet("https://t.co/2", expanded="https://big.example/flood-one"),
        tweet("https://t.co/3", expanded="http://big.example/flood-two/"),
        tweet("https://t.co/4", expanded="http://big.example/flood-three"),
        tweet("http://small.example/flood"),
        tweet("http://small.example/flood"),
        tweet("http://mid.example/a-flood"),
        tweet("http://mid.example/b-flood"),
        tweet("http://mid.example/sports"),
        tweet("https://t.co/5", expanded="https://twitter.com/flood/status/1"),
        tweet("https://bit.ly/6"),
        tweet("http://late.example/flood", day="2016-05-01"),
        tweet("http://german.example/flood", language="de"),
        {"id": "9", "text": "no URL", "lang": "en", "entities": {"urls": []}},
    )


WANTED = PostFilter(("flood",), "en", datetime.date(2016, 3, 1), datetime.date(2016, 3, 31))


def test_statistics_count_what_table_10_counts(posts):
    """Every stage of the sieve is counted."""
    with UrlTally() as tally:
        counts = count_posts([PostFile(posts)], WANTED, tally)
        found = count_urls(tally, Keywords(WANTED.keywords))
    assert (counts.posts, counts.with_urls, counts.in_language, counts.undated) == (14, 13, 13, 1)
    assert counts.kept_with_urls == 11
    assert counts.by_language == {"en": 13, "de": 1}
    assert counts.by_day[datetime.date(2016, 3, 22)] == 12
    assert (found.unique_short, found.not_expanded, found.unique_long) == (10, 1, 9)
    assert (found.deduplicated, found.platform, found.with_keywords) == (8, 1, 6)
    assert (found.sources, found.sources_with_2, found.sources_with_10) == (4, 2, 0)


def test_both_selections_of_the_paper(posts):
    """K sources with one URL each, or K/2 sources with two; the most frequent URLs, sources by their URLs."""
    with UrlTally() as tally:
        count_posts([PostFile(posts)], WANTED, tally)
        count_urls(tally, Keywords(WANTED.keywords))
        one, two = select(tally, 3), select(tally, 4, 2)
        ranked = best_sources(tally, 9)
    assert [seed.url for seed in one] == [
        "https://big.example/flood-one",
        "http://mid.example/a-flood",
        "http://small.example/flood",
    ]
    assert [(seed.source, seed.times) for seed in two] == [
        ("big.example", 2),
        ("big.example", 1),
        ("mid.example", 1),
        ("mid.example", 1),
    ]
    assert [tuple(source) for source in ranked] == [
        ("big.example", 3, 4),
        ("mid.example", 2, 2),
        ("small.example", 1, 2),
    ]


def test_small_batches_count_the_same(posts, monkeypatch):
    """What is in memory and what is on disk add up, however small the batches."""
    monkeypatch.setattr(tally_module, "BATCH", 2)
    test_statistics_count_what_table_10_counts(posts)
    test_both_selections_of_the_paper(posts)


def test_expanded_urls_take_the_place_of_short_ones(posts):
    """A short URL counts as the page that it leads to, and its source as that page's."""
    with UrlTally() as tally:
        count_posts([PostFile(posts)], WANTED, tally)
        assert tally.short(10) == ["https://bit.ly/6"]
        tally.expanded([("https://bit.ly/6", "http://small.example/flood-six")])
        assert tally.short(10) == []
        found = count_urls(tally, Keywords(WANTED.keywords))
        assert found.not_expanded == 0
        assert [source.urls for source in best_sources(tally, 3)] == [3, 2, 2]


def test_languages_are_guessed_only_where_posts_do_not_say(tmp_path):
    """The guesser sees the text without URLs, only of posts with URLs; what it cannot tell passes."""
    path = write_lines(
        tmp_path / "t.txt",
        "hallo http://a.example/flood",
        "hello http://b.example/flood",
        "? http://c.example/flood",
        "none",
    )
    asked = []

    def guess(text: str) -> str:
        asked.append(text.strip())
        return {"hallo": "de", "hello": "en"}.get(text.strip(), "")

    with UrlTally() as tally:
        counts = count_posts([PostFile(path)], PostFilter(language="en"), tally, language_of=guess)
        count_urls(tally, Keywords(()))
        assert [seed.source for seed in select(tally, 5)] == ["b.example", "c.example"]
    assert asked == ["hallo", "hello", "?"]
    assert counts.in_language == 1


def test_no_urls_is_no_error(tmp_path):
    """Posts without a URL give empty counts and no seeds."""
    with UrlTally() as tally:
        counts = count_posts([PostFile(write_lines(tmp_path / "t.txt", "nothing"))], PostFilter(), tally)
        found = count_urls(tally, Keywords(()))
        assert select(tally, 5) == []
    assert (counts.posts, counts.with_urls, found.sources) == (1, 0, 0)
