"""The demo web is the same each time, hangs together, and has what it promises."""

from __future__ import annotations

import csv
import hashlib
import io
import subprocess
import sys
import tomllib
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from random import Random

import pytest
from PIL import Image
from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator

from lycosa import urls
from lycosa.demo.crawling import program_name
from lycosa.testing import CannedResponse
from lycosa_lab.demo_web import DemoWeb, demo_web, prose

TOPICS = ("owls", "bread", "tides", "bridges", "comets")


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return demo_web()


@cache
def outlinks(url: str, page: CannedResponse) -> tuple[str, ...]:
    """The URLs that a page links to, embeds or redirects to."""
    found = [page.header("Location")]
    if page.header("Content-Type").startswith("text/html"):
        tree = LexborHTMLParser(page.body.decode())
        found += [node.attributes.get("href") or "" for node in tree.css("a, link")]
        found += [node.attributes.get("src") or "" for node in tree.css("img")]
    joined = (urls.join(url, reference) for reference in found if reference)
    return tuple(each for each in joined if each)


def reached(pages: Mapping[str, CannedResponse], start: Iterable[str]) -> set[str]:
    """Every page reachable from the start pages."""
    seen = set(start)
    waiting = list(seen)
    while waiting:
        url = waiting.pop()
        new = {other for other in outlinks(url, pages[url]) if other in pages} - seen
        seen |= new
        waiting += new
    return seen


def is_html(page: CannedResponse) -> bool:
    return page.status == 200 and page.header("Content-Type").startswith("text/html")


def digest(web: DemoWeb) -> str:
    """One number for every byte of a web."""
    total = hashlib.sha256(repr((web.labels, web.topics, web.start)).encode())
    for url, page in web.pages.items():
        total.update(url.encode() + page.plain)
    return total.hexdigest()


def test_same_seed_same_bytes(web):
    """Two processes make the same web from the same seed, and another from another seed."""
    program = "from tests.lab.demo_web.test_demo import *; print(digest(demo_web(1)), digest(demo_web(2)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    same, other = done.stdout.split()

    assert same == digest(web)
    assert other != same


def test_size(web):
    """Some hundreds of pages over about thirty hosts, each on a site of its own name."""
    pages = [url for url, page in web.parts[0].pages.items() if is_html(page)]

    assert 500 <= len(pages) <= 750
    assert 25 <= len({urls.host_of(url) for url in pages}) <= 35
    assert all(urls.host_of(url).endswith(".test") for url in web.pages)
    assert len({urls.key_of(url) for url in web.pages}) == len(web.pages)


def test_links_resolve(web):
    """Every link leads to a page, but for the calendar without end and one dead link."""
    dead = {
        target
        for url, page in web.pages.items()
        for target in outlinks(url, page)
        if web.respond(urls.host_of(target), target.removeprefix(urls.authority_of(target))).status == 404
    }

    assert dead == {"http://www.loafclub.test/guestbook.html"}


def test_every_page_is_reachable(web):
    """From the start pages one gets to every page that a crawl could want."""
    seen = reached(web.pages, web.start)

    assert {url for url, page in web.pages.items() if is_html(page)} <= seen


@pytest.mark.parametrize("topic", TOPICS)
def test_topics(web, topic):
    """Each topic has enough relevant pages, near misses, seeds on the topic, and keywords."""
    grades = {url: grade for url, name, grade in web.labels if name == topic}
    count = Counter(grades.values())
    from_seeds = reached(web.pages, web.topics[topic].seeds)

    assert count[2] >= 25
    assert count[1] >= 5
    assert count[0] >= 5
    assert all(grades[seed] > 0 for seed in web.topics[topic].seeds)
    assert sum(grade > 0 for url, grade in grades.items() if url in from_seeds) >= 25
    assert len(web.topics[topic].keywords) >= 5


@pytest.mark.parametrize("topic", TOPICS)
def test_some_relevant_pages_are_found_only_through_irrelevant_ones(web, topic):
    """For each topic there are pages that no page on the topic links to."""
    relevant = {url for url, name, grade in web.labels if name == topic and grade > 0}
    linked = {target for url in relevant for target in outlinks(url, web.pages[url])}

    assert len(relevant - linked - set(web.start)) >= 3


def test_topical_locality_is_imperfect(web):
    """Links from a topic's pages stay on it more often than chance, and far from always."""
    topics: dict[str, set[str]] = defaultdict(set)
    for url, topic, grade in web.labels:
        if grade:
            topics[url].add(topic)
    links = [
        (url, target)
        for url in topics
        for target in outlinks(url, web.pages[url])
        if target in web.pages and is_html(web.pages[target]) and urls.host_of(target) != urls.host_of(url)
    ]
    staying = sum(bool(topics[url] & topics.get(target, set())) for url, target in links) / len(links)

    assert 0.3 < staying < 0.8


def test_noise_sites_are_cluttered(web):
    """The pages of noisy hosts have many more links than those of special ones."""

    def links_per_page(host: str) -> float:
        counts = [
            len(set(outlinks(u, p))) for u, p in web.pages.items() if urls.host_of(u) == host and is_html(p)
        ]
        return sum(counts) / len(counts)

    assert links_per_page("www.bigbasket.test") > 2 * links_per_page("owls.birdnotes.test")


def test_surroundings(web):
    """robots.txt, sitemap, feed, redirects, copies and an endless calendar are there."""
    pages = web.pages

    assert b"Disallow: /drafts/" in pages["http://www.tidewatch.test/robots.txt"].body
    assert any(url.startswith("http://www.tidewatch.test/drafts/") for url in pages)
    assert not any("/drafts/" in url for url, _, _ in web.labels)
    assert pages["http://www.spanandarch.test/sitemap.xml"].body.count(b"<loc>") >= 20
    assert pages["http://www.morningledger.test/feed.xml"].body.count(b"<item>") == 15
    assert pages["http://spanandarch.test/"].header("Location") == "http://www.spanandarch.test/"
    assert sum("/print/" in url for url in pages) == 20
    assert web.respond("www.townhall.test", "/calendar?month=2099-12").status == 200
    assert web.respond("www.townhall.test", "/calendar?month=2099-13").status == 404
    assert all(
        any(f'lang="{code}"'.encode() in page.body for page in pages.values()) for code in ("de", "fr")
    )


def test_dates_come_in_various_markups(web):
    """Meta tags, JSON-LD, time elements, words and URLs all carry dates somewhere."""
    everything = b"".join(page.body for page in web.pages.values() if is_html(page))

    for markup in (b"article:published_time", b"datePublished", b"<time datetime=", b"Posted on "):
        assert everything.count(markup) >= 10
    assert sum("/2019/" in url for url in web.pages) >= 3


def test_images_decode(web):
    """Every drawn picture is a proper PNG of the declared size, and pictures differ."""
    pictures = [page.body for url, page in web.parts[0].pages.items() if url.endswith(".png")]
    for picture in pictures:
        with Image.open(io.BytesIO(picture)) as image:
            image.load()
            assert (image.size, image.mode) == ((160, 120), "RGB")

    assert len(set(pictures)) == len(pictures) >= 100


def test_text_has_no_leftovers(web):
    """No slot and no choice of a template is left in a page's text."""
    for page in web.pages.values():
        if is_html(page):
            paragraphs = LexborHTMLParser(page.body.decode()).css("p, li, h1, h2")
            assert not set("{}[|]") & set("".join(node.text() for node in paragraphs))


def test_texts_of_a_page_do_not_repeat_themselves():
    """A page says no sentence twice."""
    for topic in TOPICS:
        for number in range(30):
            for text in (
                prose.article(topic, Random(number), number, "article"),
                prose.near_miss(topic, Random(number), number),
            ):
                sentences = [each for paragraph in text.paragraphs for each in paragraph.split(". ")]
                assert len(set(sentences)) == len(sentences)


def test_write_and_read_back(web, tmp_path: Path):
    """The written web reads with warcio, record by record, and its labels and facts are there."""
    web.write(tmp_path)

    seen = {}
    with (tmp_path / "demo.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file, check_digests=True):
            url = record.rec_headers.get_header("WARC-Target-URI")
            seen[url] = (int(record.http_headers.get_statuscode()), record.content_stream().read())
            assert record.digest_checker.passed is not False
    about = tomllib.loads((tmp_path / "web.toml").read_text())
    with (tmp_path / "labels.csv").open() as file:
        rows = [(row["url"], row["topic"], int(row["grade"])) for row in csv.DictReader(file)]

    assert seen == {url: (page.status, page.body) for url, page in web.pages.items()}
    assert rows == web.labels
    assert tuple(about["start"]) == web.start
    assert {name: tuple(topic["seeds"]) for name, topic in about["topics"].items()} == {
        name: topic.seeds for name, topic in web.topics.items()
    }


def test_serve(web):
    """The served web answers by host name."""
    with web.serve() as site:
        request = urllib.request.Request(f"{site.base}/", headers={"Host": "www.cometlog.test"})
        with urllib.request.urlopen(request, timeout=600) as response:
            assert response.read() == web.pages["http://www.cometlog.test/"].body
        assert site.hits("http://www.cometlog.test/") == 1


def test_what_a_demo_prints_can_be_run(monkeypatch):
    """Where the program is not on the PATH, commands name it as it was called; as a module, by the interpreter."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["/here/.venv/bin/lycosa", "demo", "--event"])
    assert program_name() == "/here/.venv/bin/lycosa"
    monkeypatch.setattr(sys, "argv", ["/here/lycosa/__main__.py", "demo"])
    assert program_name() == f"{sys.executable} -m lycosa"
