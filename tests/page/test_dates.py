"""Publication dates: what URLs and pages say, and what hostile ones cannot do."""

import json
import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from lycosa.page.dates.publication_date import FoundDate, publication_date
from lycosa.page.dates.spelled_days import FIRST_PAGE, date_in, date_of_url
from tests.conftest import SHARED

TODAY = date(2024, 6, 1)
MADE = tomllib.loads((Path(__file__).parent / "dated_pages.toml").read_text(encoding="utf-8"))["page"]


def published(html: str, url: str = "http://a.example/page") -> FoundDate | None:
    return publication_date(LexborHTMLParser(html), html, url, TODAY)


@pytest.mark.parametrize(
    "path",
    [
        "/2016/07/10/us/protests/index.html",
        "/2016/7/10/",
        "/world/2016/jul/10/nice",
        "/world/2016/July/10",
        "/2016/0710/story.html",
        "/20160710/story.html",
        "/news/20160710",
        "/a-20160710-b.html",
        "/news/2016-07-10-title",
        "/news/2016_07_10/title",
        "/2016-07/10/content_1234567.htm",
        "/title-10-jul-2016.html",
        "/title-july-10-2016",
        "/show?date=2016-07-10",
        "/show?date=20160710",
        "/show?a=b&date=2016/07/10",
        "/show?date=10%2F07%2F2016",
        "/show?year=2016&month=7&day=10",
        "/web/20200101000000/http://b.example/2016/07/10/x",
    ],
)
def test_common_url_patterns_are_read(path):
    """A URL that names a day in a common way gives that day."""
    assert date_of_url("http://a.example" + path, TODAY) == date(2016, 7, 10)


@pytest.mark.parametrize(
    "path",
    [
        "/item/20160710",
        "/product/20160710.html",
        "/show?id=20160710",
        "/show?article_id=20160710",
        "/p/20160710",
        "/story-201607101",
        "/x20160710y",
        "/2016/13/10/",
        "/2016/02/30/",
        "/2016/07/10-tips-for-you",
        "/2016/07/3-questions",
        "/20151399",
        "/10-07-2016",
        "/1991/08/05/",
        "/1889/07/10/",
        "/2024/06/02/",
        "/2099/01/01/",
        "/web/20200101000000/http://b.example/page",
        "/2016/",
        "",
    ],
)
def test_numbers_that_are_no_days_are_not_read(path):
    """Ids, lists, impossible, ambiguous, future and pre-Web days give nothing."""
    assert date_of_url("http://a.example" + path, TODAY) is None


def test_the_host_names_no_day():
    """Only path and query are looked at."""
    assert date_of_url("http://2016-07-10.example/", TODAY) is None


@pytest.mark.parametrize(
    "text",
    [
        "2016-07-10T12:00:00Z",
        "20160710",
        "Sun, 10 Jul 2016 12:00:00 GMT",
        "July 10th, 2016",
        "10 de julio de 2016",
        "Am 10. Juli 2016 um 8:00",
        "10 juillet 2016",
        "10.07.2016",
        "10.7.16",
        "2016年7月10日",
        "1468152000",
        "1468152000000",
    ],
)
def test_spellings_of_a_day_are_read(text):
    """The spellings of machines and of several languages are understood."""
    assert date_in(text, TODAY) == date(2016, 7, 10)


@pytest.mark.parametrize(
    ("how", "html"),
    [
        ("meta", '<meta property="article:published_time" content="2016-07-10T08:00">'),
        ("json-ld", '<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle",'
         '"datePublished":"2016-07-10"}]}</script>'),
        ("json-ld of page", '<script type="application/ld+json">{broken, "datePublished": "2016-07-10"}</script>'),
        ("microdata", '<body><span itemprop="datePublished" content="2016-07-10">x</span>'),
        ("time", '<body><time datetime="2016-07-10">Sunday</time>'),
        ("published", '<body><p class="published">July 10, 2016</p>'),
        ("title", "<body><h1>What happened</h1><p>10 July 2016</p>"),
        ("body", "<body><div>Posted on July 10, 2016 by someone</div>"),
    ],
)  # fmt: skip
def test_each_place_of_a_page_can_name_the_day(how, html):
    """Meta tags, JSON-LD (broken too), microdata, time, classes, the heading and the body all count."""
    assert published(html) == FoundDate(date(2016, 7, 10), how)


def test_the_url_comes_first():
    """A day in the URL decides without a look at the page."""
    html = '<meta property="article:published_time" content="2016-07-11">'
    assert published(html, "http://a.example/2016/07/10/x") == FoundDate(date(2016, 7, 10), "url")


def test_publication_beats_change():
    """The day of the last change is taken only where nothing else is said."""
    changed = '<meta property="article:modified_time" content="2017-01-01">'
    assert published(changed) == FoundDate(date(2017, 1, 1), "meta, changed")
    both = changed + '<meta property="article:published_time" content="2016-07-10">'
    assert published(both) == FoundDate(date(2016, 7, 10), "meta")


def test_dates_of_comments_and_related_articles_do_not_count():
    """JSON-LD of a comment is not the page's."""
    html = (
        '<script type="application/ld+json">{"@type":"Article","comment":{"datePublished":"2011-01-01"},'
        '"datePublished":"2016-07-10"}</script>'
    )
    assert published(html) == FoundDate(date(2016, 7, 10), "json-ld")


def test_future_and_ancient_dates_are_not_believed():
    """A page that claims tomorrow or 1980 has no date."""
    for day in ("2024-06-02", "1980-01-01"):
        assert published(f'<meta property="article:published_time" content="{day}">') is None


def test_slashes_are_read_as_the_page_language_does():
    """7/10/2016 is July in American English and October elsewhere."""
    page = '<html lang="{}"><body><span class="date">7/10/2016</span>'
    american, german = published(page.format("en-US")), published(page.format("de"))
    assert american is not None
    assert american.date == date(2016, 7, 10)
    assert german is not None
    assert german.date == date(2016, 10, 7)


_PIECES = st.sampled_from(
    ["<h1>", "<time datetime=", "2016-07-10", '">', "<script type='application/ld+json'>", '{"datePublished":"', "[[",
     "</script>", "<!--", "\x00", "9" * 40, "<p class=date>", "31.02.2016", "<", "\n", "Posted on ", "٢٠١٦", "²"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(_PIECES | st.text(max_size=12), max_size=40).map("".join), st.text(max_size=60))
def test_no_page_raises(html, path):
    """Whatever a page and URL hold, the answer is None or a plausible day."""
    found = published(html, "http://a.example/" + path)
    assert found is None or FIRST_PAGE <= found.date <= TODAY


@pytest.mark.parametrize(
    "html",
    [
        "<h1>" + "<p " * 200_000,
        "<div class=date>" * 20_000 + "x",
        "<script type='application/ld+json'>" + "[" * 300_000,
        "<body>" + "<!--<script" * 100_000,
        "<body>" + "1." * 300_000,
    ],
    ids=["unclosed tags", "nested", "deep JSON", "comments", "numbers"],
)
def test_monsters_are_survived(html):
    """Huge and broken pages cost little and give nothing."""
    assert published(html) is None


JSON = st.recursive(
    st.sampled_from(["NewsArticle", "2020-05-03", "x", 7, None, True]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["@type", "@graph", "datePublished", "dateModified", "author", "mainEntity"]),
            inner,
        )
    ),
)


@given(JSON)
def test_any_json_ld_is_read(value):
    """Whatever stands where names and days should."""
    found = published(f'<script type="application/ld+json">{json.dumps(value)}</script>')
    assert found is None or found.date == date(2020, 5, 3)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("NewsArticle", "json-ld"),
        (["Thing", "NewsArticle"], "json-ld"),
        ({"name": "NewsArticle"}, "json-ld of page"),
        ([["NewsArticle"]], "json-ld of page"),
        (["x"] * 1000 + ["NewsArticle"], "json-ld of page"),
    ],
)
def test_only_names_are_types(kind, how):
    """What is nested where a type should be is not read: shells of shells would each be read whole."""
    node = json.dumps({"@type": kind, "datePublished": "2020-05-03"})
    found = published(f'<script type="application/ld+json">{node}</script>')
    assert found == FoundDate(date(2020, 5, 3), how)


def test_a_day_of_two_readings_is_read_as_the_markup_has_it():
    """08/11/2023 on an English page is August or November: structured data decides, else the country."""
    data = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2023-11-08"}</script>'
    )
    page = "<html lang=en><h1>News</h1><p>08/11/2023</p></html>"
    assert published(data + page) == FoundDate(date(2023, 11, 8), "title")
    assert published(page) == FoundDate(date(2023, 8, 11), "title")
    assert published(page, "https://www.paper.example.ie/news") == FoundDate(date(2023, 11, 8), "title")


def test_a_day_far_from_that_of_the_markup_is_of_something_else():
    """A line below the heading may tell of what happened years ago."""
    stated = '<meta property="article:published_time" content="2021-11-12">'
    assert published(f"{stated}<h1>A look back</h1><p>25 December 2005</p>") == FoundDate(
        date(2021, 11, 12), "meta"
    )
    assert published(f"{stated}<h1>News</h1><p>11 November 2021</p>") == FoundDate(
        date(2021, 11, 11), "title"
    )


def test_pages_that_scripts_build_are_dated_by_their_data():
    """Their markup is empty, and the day only in the data of the script: found, but doubtful."""
    found = published(
        '<div id=app></div><script>window.data={"title":"x","publishedAt":"2022-01-31T15:58:43Z"}</script>'
    )
    assert found == FoundDate(date(2022, 1, 31), "script")
    assert found is not None
    assert found.is_doubtful


@pytest.mark.shared("data/dates")
def test_dates_of_real_pages():
    """At least 0.93 of the labelled pages get exactly the right day, in both halves."""
    from research.dates import measure

    scores = measure(SHARED / "data/dates/dates-htmldate-default.tar.xz")
    assert min(score.exact for score in scores.values()) >= 0.93
    assert scores["all"].ms < 15  # 2.4 on an idle core


@pytest.mark.parametrize(
    "line",
    [
        "<table><tr><th>Founded</th><td>30 November 1999</td></tr></table>",
        "<p>The next total eclipse of the moon will take place on March 3, 2007.</p>",
    ],
)
def test_data_and_sentences_below_the_heading_are_doubtful(line):
    """A day in a cell of a table, or in a sentence, is one of what the page is about: kept, but as no fact."""
    found = published(f"<html><body><h1>A company</h1>{line}</body></html>")
    assert found is not None
    assert found.is_doubtful


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=page["kind"],
            marks=[pytest.mark.xfail(reason=page["missed"], strict=True)] if "missed" in page else [],
        )
        for page in MADE
    ],
)
def test_pages_of_many_kinds_and_languages(page):
    """The day of publication is found; where there is none, no day is told as a fact."""
    found = published(page["html"], page["url"])
    if "day" in page:
        assert found is not None
        assert found.date == page["day"]
    else:
        assert found is None or found.is_doubtful
