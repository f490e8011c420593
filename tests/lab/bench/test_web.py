"""The benchmark's web has the size, links and words that it states."""

from __future__ import annotations

import gzip
import re
from statistics import mean

import pytest

from lycosa import urls
from lycosa.testing import CannedResponse
from lycosa_lab.bench.web import KEYWORDS, bench_pages, host, is_on_topic, start, url_of, vocabulary

PAGES, HOSTS = 120, 6


@pytest.fixture(scope="module")
def bodies() -> dict[str, bytes]:
    """The HTML pages by URL."""
    made = bench_pages(PAGES, HOSTS)
    return {
        f"http://{key[0]}{key[1]}": page.body
        for key, page in made.items()
        if isinstance(page, CannedResponse) and key[1] != "/robots.txt"
    }


def targets(url: str, body: bytes) -> list[str]:
    """The targets of a page's links."""
    found = re.findall(r'<a [^>]*?href="([^"]*)"', body.decode())
    return [joined for each in found if (joined := urls.join(url, each))]


def test_size_and_links(bodies):
    """About 45 KB and 90 links a page."""
    assert len(bodies) == PAGES
    assert 40_000 < mean(map(len, bodies.values())) < 50_000
    assert 85 <= mean(len(targets(url, body)) for url, body in bodies.items()) <= 95


def test_every_page_is_reachable_and_every_link_resolves(bodies):
    """From the start page every page is found, and no link leads out of the web."""
    seen, waiting = {start()}, [start()]
    while waiting:
        url = waiting.pop()
        new = set(targets(url, bodies[url])) - seen - {f"http://{host(h)}/" for h in range(1, HOSTS)}
        seen |= new
        waiting += new

    assert seen == set(bodies)


def test_distinct_words(bodies):
    """Already a hundred pages hold more than 20,000 distinct words, the commonest being English."""
    words: dict[str, int] = {}
    for body in bodies.values():
        for word in re.findall(r"[a-z]+", re.sub(r"<[^>]*>", " ", body.decode().split("</head>")[1]).lower()):
            words[word] = words.get(word, 0) + 1

    assert len(words) > 20_000
    assert max(words, key=lambda word: words[word]) == "the"


def test_topic(bodies):
    """A quarter of the pages is on the topic, and only those use its words often."""
    counts = {
        number: sum(bodies[url_of(number, HOSTS)].decode().count(f" {word} ") for word in KEYWORDS)
        for number in range(PAGES)
    }

    assert sum(map(is_on_topic, range(PAGES))) == PAGES // 4
    assert min(counts[n] for n in counts if is_on_topic(n)) > 3 * mean(
        counts[n] for n in counts if not is_on_topic(n)
    )


def test_hosts_and_bytes_are_ready():
    """Hosts are sources of their own; the gzipped bytes are those of the page; seeds repeat."""
    made, again = bench_pages(8, 4), bench_pages(8, 4)
    page = made[host(0), "/"]
    assert isinstance(page, CannedResponse)

    assert len({urls.source_of(f"http://{host(number)}") for number in range(50)}) == 50
    assert gzip.decompress(page.gzipped.partition(b"\r\n\r\n")[2]) == page.body
    assert {"plain", "gzipped"} <= set(vars(page))
    assert made == again


def test_vocabulary_is_distinct():
    """No word comes twice."""
    from random import Random

    assert len(set(vocabulary(5000, Random(2)))) == 5000
