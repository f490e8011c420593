"""The environmental part of the demo web: graded pages, drawn maps, trails that are blocked."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from lycosa.methods.multimedia.images import read_image
from lycosa.page.document import Document
from lycosa.page.images.image_size import size_of
from lycosa.values import Refusal
from lycosa_lab.demo_web.environment import TOPIC, environment_part

PINNED = "1cd2252f1855f1d975178f6f41c513716179bec1d7f718397e6c821a469d2840"


@pytest.fixture(scope="module")
def part():
    return environment_part(1)


def test_it_has_pages_of_every_grade(part):
    """Between a quarter and a half of the pages give data, some are about it, the rest are neither."""
    grades = Counter(grade for _, _, grade in part.labels)

    assert 300 <= grades.total() <= 420
    assert 0.25 <= grades[2] / grades.total() <= 0.5
    assert grades[1] >= 30


def test_every_picture_can_be_read(part):
    """Drawn pictures are proper images whose head tells their size; icons are small."""
    for url, page in part.pages.items():
        if url.endswith(".png"):
            pixels = read_image(page.body)
            assert not isinstance(pixels, Refusal)
            assert size_of(page.body) is not None


def test_trails_are_blocked(part):
    """Each council's data lie behind at least one page that is not relevant, some behind two."""
    grades = {url: grade for url, _, grade in part.labels}
    links = {
        url: {link.url for link in Document(part.pages[url].body, url, "text/html").links} for url in grades
    }
    councils = [
        url for url in grades if url.startswith("http://www.council") and url.endswith("/air/today.html")
    ]

    assert len(councils) == 6
    for url in councils:
        host = url.split("/")[2]
        outside = [source for source, targets in links.items() if url in targets and "/air/" not in source]
        assert all(grades[source] == 0 and host in source for source in outside)
    assert sum("/environment.html" in url for url in grades) == 3


def test_seeds_are_pages(part):
    """The seeds of the topic are pages of the part."""
    assert set(part.topics[TOPIC].seeds) <= set(part.pages)


def test_the_generator_has_not_moved(part):
    """Figures are measured on what it makes: of one seed, every page and label to the byte (pictures apart)."""
    digest = hashlib.sha256(repr((part.labels, part.topics, part.start)).encode())
    for url, page in part.pages.items():
        if not url.endswith(".png"):
            digest.update(url.encode() + page.body)
    assert digest.hexdigest() == PINNED
