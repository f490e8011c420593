"""What of a page hints at its genre."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.errors import InputError
from lycosa.methods.genre.signs import FEATURES, PAPER, built_in_words, genre_features, read_words
from lycosa.page.document import Document

URL = "http://www.town.example/2019/05/some-long-headline"


def features(html: str, url: str = URL) -> dict[str, float]:
    return genre_features(Document(html.encode(), url, "text/html"))


def test_the_nine_features_of_the_paper_are_counted():
    """Text, links in and out, words, players and images are counted as the paper says."""
    found = features(
        "<title>T</title><body>A video blog: news, news and an image."
        '<a href="/a">in</a><a href="http://sub.town.example/b">in</a><a href="http://else.example/">out</a>'
        "<video></video><embed src=x><iframe src='http://tube.example/1'></iframe><img src=1.png><img src=2.png>"
    )
    paper = {name: found[name] for name in PAPER}
    assert paper == {
        "text_length": len("A video blog: news, news and an image.ininout"),
        "internal_links": 2,
        "external_links": 2,  # a frame is a link too
        "video_words": 1,
        "multimedia": 3,
        "image_words": 1,
        "images": 2,
        "blog_words": 1,
        "news_words": 2,
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "今日のニュースと新聞です。東京の天気は晴れ、気温は二十度まで上がる見込みです。明日も晴れるでしょう。",
            "news_words",
        ),
        (
            "ブログと日記を書きました。今日はとても楽しい一日でした。友達と公園に行って写真を撮りました。",
            "blog_words",
        ),
    ],
)
def test_japanese_words_are_found_without_blanks(text, name):
    """The paper's Japanese words count in running text."""
    assert features(f"<body>{text}")[name] == 2


def test_german_words_count_on_german_pages():
    """A page is searched for the words of its own language."""
    text = "Die Nachrichten der Zeitung sind heute sehr lang und wir lesen sie alle gern am Morgen."
    assert features(f"<body>{text}")["news_words"] == 2


def test_an_unknown_language_counts_english_words():
    """Without a language the English lists still count."""
    assert features("<body>blog zzzz qqqq")["blog_words"] == 1


def test_what_a_page_says_of_itself_counts():
    """Address, title, generator and schema.org types are signs."""
    found = features(
        '<title>My blog</title><meta name=generator content="WordPress 5"><script>{"@type": "NewsArticle"}</script>',
        "http://a.example/blog/2019/x-y-z",
    )
    assert (found["says_blog"], found["blog_platform"], found["dated_address"], found["address_words"]) == (
        2,
        1,
        1,
        2,
    )
    assert found["says_news"] == 2  # "news" and "article" in the type


@pytest.mark.parametrize("html", ["", "<body>", "\0\0", "<img>" * 10])
def test_a_page_without_text_has_features(html):
    """Nothing to read is no error: every feature is a number."""
    found = features(html)
    assert list(found) == list(FEATURES)
    assert found["text_length"] == 0


def test_100_000_links_cost_no_more_than_the_cap():
    """A page of links is counted up to the page stage's cap, and quickly."""
    html = "".join(f'<a href="/{i}">l</a>' for i in range(100_000))
    assert features(html)["internal_links"] == 5_000


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_page_gives_finite_plain_numbers(text, title):
    """Whatever the page says, the features are plain numbers that can be stored."""
    document = Document(f"<title>{title}</title><body>{text}".encode("utf-8", "ignore"), URL, "text/html")
    stored = json.loads(json.dumps(document.part("genre_features", genre_features)))
    assert stored == genre_features(document)
    assert all(0 <= value < 1e9 for value in stored.values())


def test_own_words_are_added(tmp_path):
    """A user's list adds to the built-in one and does not replace it."""
    path = tmp_path / "words.toml"
    path.write_text('[blog]\nen = ["Journal"]\nit = ["diario"]\n', encoding="utf-8")
    words = read_words(path)
    assert words["blog"]["en"] == ("blog", "journal")
    assert words["blog"]["it"] == ("diario",)
    document = Document(b"<body>my journal, my blog", URL, "text/html")
    assert genre_features(document, words)["blog_words"] == 2
    assert built_in_words()["blog"]["en"] == ("blog",)


@pytest.mark.parametrize(
    "text", ["[nonsense]\nen = ['a']", "[blog]\nen = 'a'", "blog = 3", "[[", "[blog]\nen = [' ']"]
)
def test_wrong_word_lists_are_refused(tmp_path, text):
    """A wrong file of words is refused with what to do."""
    path = tmp_path / "words.toml"
    path.write_text(text)
    with pytest.raises(InputError):
        read_words(path)


def test_hosts_of_the_same_domain_are_internal_and_look_alikes_are_not():
    """A link counts as internal by the registrable domain, whatever host of it the page is on."""
    found = features(
        '<a href="http://town.example.co.uk/">same</a><a href="http://shop.town.co.uk/">same</a>'
        '<a href="http://town.co.uk/">same</a><a href="http://else.co.uk/">other</a>'
        '<a href="http://else.example/?of=http://www.town.co.uk/">other</a>',
        "http://www.town.co.uk/a",
    )
    assert (found["internal_links"], found["external_links"]) == (2, 3)


def test_sections_feeds_and_prices_are_signs():
    """A newspaper's menu, a feed, a published date and money are counted."""
    found = features(
        '<head><link rel=alternate type="application/rss+xml" href=/f><script>{"datePublished": "2019"}</script></head>'
        "<body><li>Politics</li><li>Sports</li><li>Opinion</li> 3 $ or 4 € in 2019 /wp-content/"
    )
    names = ("section_words", "feeds", "published", "prices", "wordpress")
    assert [found[name] for name in names] == [3, 1, 1, 2, 1]


def test_an_anchor_whose_address_is_empty_counts_nothing():
    """`a` with an empty or missing href is no link, and no error: a KeyError once."""
    found = features('<a href>empty</a><a href="">none</a><a>bare</a><area href><iframe></iframe>')
    assert found["external_links"] == 0


def test_a_head_that_ends_too_early_is_read_to_its_end():
    """A stray element of the body in the head pushes the meta tags behind it into the body: they tell the same."""
    page = '<head><p>x</p><meta name=Generator content="WordPress 5"></head><p>text'
    assert genre_features(Document(page.encode(), "http://a.example/"))["blog_platform"] == 1
