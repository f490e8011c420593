"""Real pages, as they are and mutated, never break a document."""

import random

import msgspec
import pytest

from lycosa.page.document import Document
from tests.conftest import SHARED
from tests.page.test_document import check

pytestmark = pytest.mark.shared("webs")


def pages(web, every, most):
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    found = []
    with (SHARED / "webs" / web / "pages.warc.gz").open("rb") as file:
        kinds = WarcRecordType.response | WarcRecordType.resource
        for number, record in enumerate(ArchiveIterator(file, record_types=kinds, parse_http=True)):
            if number % every == 0:
                found.append((record.headers["WARC-Target-URI"], record.reader.read()))
                if len(found) == most:
                    break
    return found


def mutated(body, chance):
    kind = chance.randrange(4)
    one, two = sorted(chance.randrange(len(body) + 1) for _ in range(2))
    if kind == 0:
        return body[:one] + body[two:]
    if kind == 1:
        return body[:two] + body[one:]
    if kind == 2:
        return body[:one] + chance.randbytes(20) + body[one:]
    return body.replace(b">", b"", chance.randrange(5)).replace(b"</", b"<", chance.randrange(50))


@pytest.mark.parametrize("web", ["webkb", "wikischools", "news", "media"])
def test_real_and_mutated_pages_give_every_property(web):
    """Pages of 1997 and of today, cut, doubled, with noise and lost brackets, all work."""
    chance = random.Random(web)
    for url, body in pages(web, 30, 12):
        check(Document(body, url, "text/html"))
        for _ in range(3):
            check(Document(mutated(body, chance), url, "text/html"))


def test_real_pages_have_titles_text_and_links():
    """Most real pages of both ages have a title, words and links."""
    for web in ("webkb", "wikischools"):
        found = [Document(body, url, "text/html") for url, body in pages(web, 20, 40)]
        assert sum(bool(page.title) for page in found) > 30
        assert sum(page.words > 20 for page in found) > 30
        assert sum(len(page.links) > 0 for page in found) > 30
        assert sum(page.language == "en" for page in found) > 30
        assert not any(page.soft_404 for page in found)
        assert msgspec.msgpack.encode(found[0].links)
