"""Links and images of a page."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa import urls
from lycosa.page.document import Document
from lycosa.page.links import links
from lycosa.page.links.links import (
    MAX_IMAGES,
    MAX_LINKS,
    URLS_CHARS,
    ReferenceResolver,
    best_of_srcset,
    declared_size,
)
from lycosa.urls import URL_CHARS

URL = "http://a.example/d/p.html?q"


def document(html, url=URL, **options):
    return Document(html.encode(), url, "text/html; charset=utf-8", **options)


def found(html, **options):
    return [(link.url, link.anchor) for link in document(html, **options).links]


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<a href=x>", "http://a.example/d/x"),
        ("<A HREF=' /x#top '>", "http://a.example/x"),
        ("<a href='?r'>", "http://a.example/d/p.html?r"),
        ("<a href='//b.example'>", "http://b.example/"),
        ("<a href='/\\b.example/x'>", "http://b.example/x"),
        ("<a href='http:x'>", "http://a.example/d/x"),
        ("<a href='HTTPS://B.example/%7Ex'>", "https://b.example/%7Ex"),
        ("<map><area href=y alt=z>", "http://a.example/d/y"),
        ("<iframe src=y></iframe>", "http://a.example/d/y"),
        ("<frameset><frame src=y></frameset>", "http://a.example/d/y"),
        ("<link rel=next href=y>", "http://a.example/d/y"),
        ("<meta http-equiv=Refresh content='5; URL=y'>", "http://a.example/d/y"),
        ("<base href='http://c.example/e/'><a href=y>", "http://c.example/e/y"),
        ("<a href=y><base href='/e/'>", "http://a.example/e/y"),
    ],
)
def test_every_kind_of_link_is_found(html, url):
    """Anchors, areas, frames, next links and refreshes lead to absolute URLs, relative to the base."""
    links = document(html).links
    assert [link.url for link in links] == [url]
    assert links[0].key == urls.key_of(url)


@pytest.mark.parametrize(
    "html",
    [
        "<a href='mailto:x@a.example'>",
        "<a href='javascript:void(0)'>",
        "<a href='ftp://a.example/'>",
        "<a name=x>",
        "<a href='#x'>",
        "<a href='p.html?q'>",
        "<a href>",
        "<link rel=stylesheet href=x>",
        "<link rel=alternate href=x>",
        "<link rel=canonical href=x>",
        "<meta http-equiv=refresh content=5>",
        "<meta http-equiv=content-type content='url=x'>",
        "<a href='http://[bad'>",
        "<a href='x" + "x" * 9000 + "'>",
        "<template><a href=x>",
    ],
)
def test_what_is_no_link_to_another_page_is_left_out(html):
    """Other schemes, the page itself, and references that lead nowhere are no links."""
    assert found(html) == []


def test_a_url_appears_once_with_all_its_anchors():
    """Repeated URLs keep their first place and join their distinct anchors."""
    html = "<a href=x>one</a><a href=y>two</a><a href='x#s'>three</a><a href='./x'> one </a>"
    assert found(html) == [("http://a.example/d/x", "one three"), ("http://a.example/d/y", "two")]
    assert [link.position for link in document(html).links] == [0, 1]


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<a href=x> a\n <b>b</b>c </a>", "a bc"),
        ("<a href=x><h3>Title</h3>text<p>more</p></a>", "Title text more"),
        ("<a href=x title=t><img alt=a></a>", "t"),
        ("<a href=x><span><img src=i alt='the  alt'></span></a>", "the alt"),
        ("<a href=x></a><img alt=no>", ""),
        ("<a href=x><script>no</script></a>", ""),
        ("<a hidden href=x>seen</a>", "seen"),
        ("<a href=x>" + "word " * 1000 + "</a>", ("word " * 100).strip()),
    ],
)
def test_anchors_say_what_a_link_shows(html, anchor):
    """An anchor is one line of text, else the title or the image's alt, and capped."""
    assert document(html).links[0].anchor == anchor


def test_rel_is_kept():
    """rel is passed on for rules such as nofollow."""
    assert document("<a href=x rel='nofollow ugc'>a</a>").links[0].rel == "nofollow ugc"


def test_index_names_decide_what_is_the_same_page():
    """A web's own index names make two URLs one."""
    html = "<a href=/e/home.html>a</a><a href=/e/>b</a>"
    assert len(found(html)) == 2
    assert len(found(html, folding=urls.Folding(frozenset({"home.html"})))) == 1


def test_links_and_images_are_capped():
    """A page of a hundred thousand links gives the first 5,000."""
    html = "".join(f"<a href={n}>x</a><img src=i{n}>" for n in range(6000))
    assert len(document(html).links) == MAX_LINKS
    assert len(document(html).images) == MAX_IMAGES


@given(
    st.sampled_from(["http://a.example/", "http://a.example/b/c?d=/e", "https://a.example:8/b/"]),
    st.text(alphabet=st.sampled_from("ab/.?#:\\ \t%é@[h"), max_size=12),
)
def test_sharing_work_changes_no_url(base, reference):
    """A reference resolved against the shared part of the base is what the whole base gives."""
    url = urls.join(base, reference)
    expected = None if url is None else (url, urls.key_of(url))
    assert ReferenceResolver(base, urls.FOLDING)(reference) == expected


def test_images_tell_their_size_text_and_place():
    """An image has its URL, alt, declared size, and the last link before it."""
    html = (
        "<img src=a.png width=120 height=60px alt=' an  alt '><a href=x>t</a><a href=y><img src=b.png></a>"
        "<img src='data:image/gif;base64,R0' data-src=c.png style='height:9px;width: 20.5px'>"
        "<img srcset='s.png 1x, d.png 2x'><img src=a.png><img><img src='data:x'>"
    )
    images = document(html).images
    assert [(i.url[19:], i.alt, i.width, i.height, i.position, i.after_link) for i in images] == [
        ("a.png", "an alt", 120, 60, 0, -1),
        ("b.png", "", 0, 0, 1, 1),
        ("c.png", "", 20, 9, 2, 1),
        ("d.png", "", 0, 0, 3, 1),
    ]


@given(st.text(), st.text(), st.text())
def test_any_image_attributes_are_read(width, style, srcset):
    """Nonsense in sizes and srcset is no size and no crash."""
    sizes = declared_size({"width": width, "height": None, "style": style})
    assert all(0 <= size < 100_000 for size in sizes)
    best_of_srcset(srcset)


@pytest.mark.parametrize("blank", ["", "5", "5;", "5;url"])
def test_a_refresh_of_blanks_takes_linear_time(blank):
    """White space before what never comes is looked at once."""
    started = time.process_time()
    html = f"<meta http-equiv=refresh content='{blank}{' ' * 9_000}'>" * 20
    assert found(html) == []
    assert time.process_time() - started < 5  # cubic: minutes


def test_a_long_base_is_not_used():
    """Every link of the page would be as long as it."""
    html = f"<base href='/{'b' * URL_CHARS}/'><a href=x>"
    assert found(html) == [("http://a.example/d/x", "")]


@pytest.mark.parametrize("tag", ["<a href={}>", "<img src={}>", "<script src={}></script>"])
def test_a_page_cannot_multiply_its_size(tag):
    """A few short references to a long folder: what is made of them is bounded, and begins as the page does."""
    html = f"<base href='/{'b' * 5_000}/'>" + "".join(tag.format(n) for n in range(4_000))
    page = document(html)
    made = [*(link.url for link in page.links), *(image.url for image in page.images)]
    assert sum(map(len, made)) <= URLS_CHARS + URL_CHARS
    assert sum(map(len, page.requisites)) <= URLS_CHARS + URL_CHARS
    assert (made or page.requisites)[0].endswith("/0")


def test_what_a_reference_becomes_is_no_longer_than_a_url():
    """Percent-encoding makes text nine times as long; the check is on the result, before any work on it."""
    assert found("<a href='" + "\u20ac" * (URL_CHARS // 2) + "'>") == []


def test_what_references_lead_to_is_forgotten_when_it_is_much(monkeypatch):
    """The cache of resolved targets is bounded; evicted ones are resolved again."""
    monkeypatch.setattr(links, "CACHED_TARGETS", 10)
    known = links.KnownTargets()
    monkeypatch.setattr(links, "_known", known)
    for number in range(100):
        resolve = ReferenceResolver(f"http://a.example/{number}/p.html", urls.FOLDING)
        for reference in (f"/{number}", f"x{number}", f"?{number}", f"http://b.example/{number}"):
            target = resolve(reference)
            assert target is not None
            assert resolve(reference) == target
            assert target[0] == urls.join(f"http://a.example/{number}/p.html", reference)
        assert known.count <= 10 + 8
