"""Every format of posts, whole and broken."""

from __future__ import annotations

import bz2
import datetime
import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.errors import InputError
from lycosa.seeds.posts.forms import Form
from lycosa.seeds.posts.lines import Skip
from lycosa.seeds.posts.post import Mention, Post
from lycosa.seeds.posts.reading import PostFile
from tests.seeds.posts.examples import (
    FIREHOSE,
    LONG,
    MASTODON,
    OUTBOX,
    RECORD,
    V1,
    V1_EXTENDED,
    V1_RETWEET,
    V2,
    V2_PAGE,
    VIEW,
    write_lines,
)

TODAY = datetime.date(2025, 1, 1)
TWEETED = (Mention("https://t.co/abc123", LONG),)


def read(path: Path, form: Form | None = None) -> tuple[PostFile, list[Post]]:
    file = PostFile(path, form, today=TODAY)
    return file, list(file)


def test_tweets_of_version_1_are_read(tmp_path):
    """Text, day, language, short and expanded URL and id of a tweet of API 1.1."""
    file, posts = read(write_lines(tmp_path / "t.jsonl", V1))
    assert file.form is Form.TWITTER
    assert posts == [
        Post(V1["text"], datetime.date(2016, 3, 22), "en", TWEETED, "712000000000000001"),
    ]


@pytest.mark.parametrize("tweet", [V1_RETWEET, V1_EXTENDED, {"tweet": V1}, {"statuses": [V1]}, [V1]])
def test_cut_off_and_wrapped_tweets_give_the_whole_urls(tmp_path, tweet):
    """Retweets, extended tweets, archive wrappers and search pages lead to the same URLs."""
    file, posts = read(write_lines(tmp_path / "t.jsonl", tweet))
    assert file.form is Form.TWITTER
    assert [post.urls for post in posts] == [TWEETED]


@pytest.mark.parametrize(
    ("post", "form"),
    [
        (
            {
                "id": "1",
                "created_at": "2016-03-22T09:00:00Z",
                "content": f'<p><a href="{LONG}">l</a></p>',
                "url": "http://m.example/1",
            },
            Form.MASTODON,
        ),
        (
            {"uri": "at://x/1", "record": {"text": "l", "facets": [{"features": [{"uri": LONG}]}]}},
            Form.BLUESKY,
        ),
        (
            {"record": {"$type": "app.bsky.feed.post", "text": "l", "embed": {"external": {"uri": LONG}}}},
            Form.BLUESKY,
        ),
        ({"text": "l", "facets": [{"features": [{"uri": LONG}]}]}, Form.BLUESKY),
        ({"text": "l", "embed": {"external": {"uri": LONG}}}, Form.BLUESKY),
        ({"record": {"text": "l", "facets": [{"features": [{"uri": LONG}]}]}}, Form.BLUESKY),
        ({"value": {"text": "l", "embed": {"external": {"uri": LONG}}}}, Form.BLUESKY),
        ({"post": {"record": {"text": "l", "embed": {"external": {"uri": LONG}}}}}, Form.BLUESKY),
        ({"commit": {"record": {"text": "l", "embed": {"external": {"uri": LONG}}}}}, Form.BLUESKY),
        ({"content": f'<p><a href="{LONG}">l</a></p>', "created_at": "2016-03-22"}, Form.MASTODON),
        ({"content": f'<p><a href="{LONG}">l</a></p>'}, Form.MASTODON),
        ({"content": "", "card": {"url": LONG}}, Form.MASTODON),
        ({"content": "", "reblog": {"content": f"<a href='{LONG}'>l</a>"}}, Form.MASTODON),
    ],
)
def test_posts_cut_down_to_what_matters_are_still_known(tmp_path, post, form):
    """Collections often keep only text, date and URLs of posts; links of theirs are found all the same."""
    file, posts = read(write_lines(tmp_path / "t.jsonl", post))
    assert file.form is form
    assert [mention.url for mention in posts[0].urls] == [LONG]


def test_tweets_of_version_2_are_read(tmp_path):
    """Single tweets and pages of API 2; a retweet's URLs come from the page's includes."""
    file, posts = read(write_lines(tmp_path / "t.jsonl", V2, V2_PAGE, {"data": V2}))
    assert file.form is Form.TWITTER
    assert [post.urls for post in posts] == [TWEETED] * 4
    assert str(posts[1].date) == "2016-03-24"


def test_notices_of_a_stream_are_counted(tmp_path):
    """Deletions and limits between tweets are no posts, and no errors in JSON."""
    notices = ({"delete": {"status": {"id": 1}}}, {"limit": {"track": 3}})
    file, posts = read(write_lines(tmp_path / "t.jsonl", *notices, V1))
    assert len(posts) == 1
    assert file.skipped == {Skip.NO_POST: 2}


@pytest.mark.parametrize("wrap", [lambda s: s, lambda s: {"statuses": [s]}, lambda s: [s]])
def test_mastodon_statuses_are_read(tmp_path, wrap):
    """Links out of the HTML, not those to people and hashtags; the text without tags."""
    file, [post] = read(write_lines(tmp_path / "m.jsonl", wrap(MASTODON)))
    assert file.form is Form.MASTODON
    assert [mention.url for mention in post.urls] == ["https://harbour-news.example/flood?a=1&b=2"]
    assert post.text.startswith("@ann Flood & storm\nin Millbridge")
    assert (str(post.date), post.language) == ("2023-05-02", "en")


def test_boosts_have_the_content_of_the_boosted(tmp_path):
    """A boost counts as a post of its own day with the other's URLs."""
    boost = {**MASTODON, "id": "2", "created_at": "2023-05-04T00:00:00Z", "content": "", "reblog": MASTODON}
    _, [post] = read(write_lines(tmp_path / "m.jsonl", boost))
    assert post.id == "2"
    assert str(post.date) == "2023-05-04"
    assert len(post.urls) == 1


def test_an_account_export_is_read_over_many_lines(tmp_path):
    """outbox.json is one indented document; announcements without content are passed over."""
    path = tmp_path / "outbox.json"
    path.write_text(json.dumps(OUTBOX, indent=2), encoding="utf-8")
    file, [post] = read(path)
    assert file.form is Form.MASTODON
    assert (post.urls, post.language) == ((Mention("https://a.example/flood"),), "en")
    assert not file.skipped


@pytest.mark.parametrize(
    "line",
    [
        RECORD,
        VIEW,
        FIREHOSE,
        {"post": VIEW},
        {"feed": [{"post": VIEW}], "cursor": "x"},
        {"posts": [VIEW]},
        {"records": [{"uri": "at://x", "cid": "y", "value": RECORD}]},
    ],
)
def test_bluesky_posts_are_read(tmp_path, line):
    """Facets and link cards, in every wrapper of the AT protocol."""
    file, [post] = read(write_lines(tmp_path / "b.jsonl", line))
    assert file.form is Form.BLUESKY
    assert [mention.url for mention in post.urls] == [
        "https://harbour-news.example/flood",
        "https://river.example/levels",
    ]
    assert (str(post.date), post.language) == ("2024-02-03", "en")


def test_plain_text_is_one_post_a_line(tmp_path):
    """URLs are found in the text; empty lines are no posts."""
    file, posts = read(write_lines(tmp_path / "t.txt", "See http://a.example/x.", "", "nothing here"))
    assert file.form is Form.TEXT
    assert [[mention.url for mention in post.urls] for post in posts] == [["http://a.example/x"], []]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_columns_are_found_by_name(tmp_path, delimiter):
    """Any order, any usual name, quoted line breaks inside cells."""
    rows = [
        ["Tweet ID", " Tweet Text", "Created At", "Lang", "expanded_url"],
        ["1", '"Flood\nhttp://t.co/x"', "3/22/2016 10:00", "en", "http://a.example/flood"],
        ["2", '"Storm http://b.example/storm"', "2016-03-23", "de", ""],
    ]
    path = write_lines(tmp_path / "p.csv", *(delimiter.join(row) for row in rows))
    file, posts = read(path)
    assert file.form is Form.CSV
    assert [mention.url for post in posts for mention in post.urls] == [
        "http://a.example/flood",
        "http://b.example/storm",
    ]
    assert [str(post.date) for post in posts] == ["2016-03-22", "2016-03-23"]
    assert [post.language for post in posts] == ["en", "de"]


def test_short_and_expanded_columns_go_together(tmp_path):
    """Where both are given, one is what the other leads to."""
    _, [post] = read(write_lines(tmp_path / "p.csv", "url,expanded", "http://t.co/x,http://a.example/y"))
    assert post.urls == (Mention("http://t.co/x", "http://a.example/y"),)


@pytest.mark.parametrize(
    "document",
    [
        ["http://a.example/1", "http://b.example/2"],
        {"items": [{"title": "One", "link": "http://a.example/1"}, {"link": "http://b.example/2"}]},
        {
            "webPages": {
                "value": [{"name": "One", "url": "http://a.example/1"}, {"url": "http://b.example/2"}]
            }
        },
        {"results": [{"url": "http://a.example/1"}, {"url": "http://b.example/2"}]},
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_search_results_are_read(tmp_path, document, indent):
    """Lists of URLs and the exports of search engines, on one line or many."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    file, posts = read(path)
    assert file.form is Form.JSON
    assert [m.url for post in posts for m in post.urls] == ["http://a.example/1", "http://b.example/2"]


def test_broken_lines_are_skipped_and_counted(tmp_path):
    """Broken JSON, wrong shapes and empty objects cost only their lines."""
    lines = [V1, '{"text": "cut of', '{"text": 7, "entities": {}}', "{}", "nonsense", V2]
    file, posts = read(write_lines(tmp_path / "t.jsonl", *lines))
    assert len(posts) == 2
    assert file.skipped == {Skip.NOT_JSON: 2, Skip.SHAPE: 1, Skip.NO_POST: 1}


def test_impossible_dates_leave_a_post_without_date(tmp_path):
    """Days that never were, lie ahead, or precede the Web are told apart from no date at all."""
    dates = [
        "Tue Feb 30 09:15:00 +0000 2016",
        "Tue Mar 22 09:15:00 +0000 2031",
        "yesterday",
        "1969-01-01",
        None,
    ]
    _, posts = read(write_lines(tmp_path / "t.jsonl", *({**V1, "created_at": said} for said in dates)))
    assert [post.date for post in posts] == [None] * 5
    assert [post.impossible_date for post in posts] == [True] * 4 + [False]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_files_are_read_and_damage_is_counted(tmp_path, pack):
    """What stands before the damage is used."""
    plain = write_lines(tmp_path / "t.jsonl", *[V1] * 50).read_bytes()
    path = tmp_path / "packed"
    path.write_bytes(pack(plain))
    assert len(read(path)[1]) == 50
    path.write_bytes(pack(plain)[:-8])
    file, _ = read(path)
    assert file.skipped == {Skip.CUT: 1}


def test_a_missing_file_says_what_to_do(tmp_path):
    """An error of the user's, with the next step."""
    with pytest.raises(InputError, match="Name a file"):
        PostFile(tmp_path / "none.jsonl")


def test_the_format_can_be_forced(tmp_path):
    """What is forced is not doubted."""
    path = write_lines(tmp_path / "t.jsonl", V1)
    file, [post] = read(path, Form.TEXT)
    assert file.form is Form.TEXT
    assert "https://t.co/abc123" in [mention.url for mention in post.urls]


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["text", "entities", "urls", "url", "content", "record", "data", "created_at", "id", "$type"]
            )
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(_json.map(json.dumps).map(str.encode) | st.binary(max_size=60), max_size=5),
    st.sampled_from([None, *Form]),
)
def test_no_line_is_too_strange(lines, form):
    """Arbitrary lines in any format give posts or are counted, and nothing else happens."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "posts"
        path.write_bytes(b"\n".join(lines))
        _, posts = read(path, form)
    assert all(isinstance(post, Post) and len(mention.url) <= 2000 for post in posts for mention in post.urls)
