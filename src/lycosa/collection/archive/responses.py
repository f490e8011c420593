"""Read archived responses as the crawl fetched them."""

from __future__ import annotations

import msgspec

from lycosa import urls
from lycosa.collection.archive.warc import Capture, read_block, read_capture
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.catalogue.reader import Reader
from lycosa.collection.collection import Collection
from lycosa.collection.politeness import RobotsTable
from lycosa.collection.writer import CollectionWriter
from lycosa.errors import ArchiveError
from lycosa.fetch.http.headers import RECORD_BYTES
from lycosa.fetch.polite.robots_file import content_signal
from lycosa.fetch.polite.tdmrep import PATH as TDM_PATH
from lycosa.fetch.polite.tdmrep import rights_at, rules_in
from lycosa.values import Fetched, Link


def capture_with_body(reader: Reader, page: StoredPage, number: int | None = None) -> Capture | None:
    """Return the newest good capture of a page with a body: its own, or the original of a revisit.

    `number` chooses one of `Reader.captures`, from 0, the oldest; None if there is no such capture.
    """
    captures = [*reader.captures(page.id)]
    if number is not None:
        chosen = captures[number].capture if number < len(captures) else None
        return reader.original(chosen.digest) if chosen and chosen.revisit else chosen
    whole = [one for one in captures if not one.capture.revisit]
    good = [one for one in whole if one.status == 200] or whole
    return good[-1].capture if good else reader.original(page.capture.digest)


def response_of(
    collection: Collection | CollectionWriter,
    page: StoredPage,
    max_bytes: int = RECORD_BYTES,
    number: int | None = None,
) -> Fetched | None:
    """Return the archived response of a page with its rendered document; None if its body is missing or larger than `max_bytes`.

    Of several captures, return the newest good one, or the one chosen by `number`.
    """
    capture = capture_with_body(collection.reader, page, number)
    if capture is None:
        return None
    try:
        head, body = read_capture(collection.archive, capture.file, capture.offset, max_bytes)
    except ArchiveError:
        return None
    response = parsed_response(page.link, head, body)
    return msgspec.structs.replace(
        response,
        started=page.at,
        elapsed_s=page.elapsed_s,
        site_rights=_site_rights(collection, page.link.url),
        rendered=_rendered(collection, page, max_bytes, number),
    )


def _rendered(
    collection: Collection | CollectionWriter, page: StoredPage, max_bytes: int, number: int | None
) -> bytes:
    """Return the rendered document of that capture, or of the newest good one; b'' if there is none."""
    captures = [*collection.reader.captures(page.id)]
    chosen = captures[number : number + 1] if number is not None else captures
    good = [one.capture for one in chosen if one.status == 200]
    if not good or not good[-1].rendered:
        return b""
    place = good[-1]
    try:
        return read_block(collection.archive, place.file, place.offset + place.length, max_bytes)
    except ArchiveError:
        return b""


def _site_rights(collection: Collection | CollectionWriter, url: str) -> tuple[tuple[str, str], ...]:
    """Return what robots.txt and tdmrep.json of the site say about its use, if they were fetched."""
    authority, files = urls.authority_of(url), RobotsTable(collection.connection, collection.path)
    robots, tdm = files.get(authority), files.get(authority + TDM_PATH)
    signal = content_signal(robots.text) if robots and robots.status < 300 else ""
    said = (("content-signal", signal),) if signal else ()
    return (*said, *(rights_at(url[len(authority) :], rules_in(tdm.text)) if tdm else ()))


def parsed_response(link: Link, head: bytes, body: bytes) -> Fetched:
    """Parse a response from its head and body.

    >>> parsed_response(Link("http://a.test/", 1), b"HTTP/1.1 404 Not Found\\r\\nA: b\\r\\n\\r\\n", b"").headers
    (('A', 'b'),)
    """
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ", 2)
    status = int(words[1]) if len(words) > 1 and words[1].isdecimal() and len(words[1]) == 3 else 0
    pairs = (line.partition(":") for line in lines[1:] if ":" in line)
    headers = tuple((name.strip(), value.strip()) for name, _, value in pairs)
    return Fetched(link, status, headers, body, b"", head, 0.0, 0.0)


def archived(
    collection: Collection, url: str, max_bytes: int, redirects: int = 5, capture: int | None = None
) -> Fetched | str:
    """Return the response of a URL, of at most `max_bytes`, after redirects; or a sentence that says why there is none.

    `capture` chooses among those of the URL itself, not of its redirect's target.
    """
    for _ in range(redirects + 1):
        page = collection.reader.page(collection.reader.key_of(url))
        if page is None:
            return "This address has no archived page."
        fetched = response_of(collection, page, max_bytes, capture)
        capture = None
        if fetched is None:
            return "Its body is not in the archive, or too large to be shown."
        target = urls.join(url, fetched.header("location")) if 300 <= fetched.status < 400 else None
        if not target:
            return fetched
        url = target
    return "It redirects too often."
