"""Feed generated input to every reader of foreign data. Report failures and the slowest input of each reader.

An input follows from its reader and its number. Repeat one with `--only READER --from NUMBER --inputs 1`.
A `LycosaError` is an answer, not a failure.

Command line: python -m research.endurance.fuzz [--inputs 1000000] [--only READER] [--from 0] [--note]
Expected time: half an hour of CPU for a million inputs; the tests make ten thousand
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from lycosa import urls
from lycosa.collection.search.phrases import match_of, query_in, snippet_of
from lycosa.engine.rules.patterns import kinds_of
from lycosa.engine.rules.traps import trap_refusal
from lycosa.errors import LycosaError
from lycosa.evidence.text_model import TextModel
from lycosa.fetch.archive.archive import ArchiveFetcher
from lycosa.fetch.decode import decoded_body, decoded_text
from lycosa.fetch.polite.robots import Rules, StoredRobots
from lycosa.fetch.polite.robots_file import content_signal, rules_for_us, sitemaps_in, text_of
from lycosa.fetch.polite.turns import retry_after_s
from lycosa.methods.event.model import load_event
from lycosa.methods.lookup import all_settings
from lycosa.page.dates.spelled_days import date_in, date_of_url
from lycosa.page.document import Document
from lycosa.page.images.image_size import size_of
from lycosa.page.images.pictures import read_image
from lycosa.page.links.requisites import stylesheet_urls
from lycosa.page.places.people_and_organisations import find_entities, find_names
from lycosa.page.signs.rights import signals_in
from lycosa.page.text.languages import language_of
from lycosa.page.text.markdown import markdown_of
from lycosa.page.text.terms import terms_of
from lycosa.seeds.entries import listed_in
from lycosa.seeds.lists import unpacked, urls_in_lines
from lycosa.seeds.posts.reading import PostFile
from lycosa.spec.reading import parse_spec
from lycosa.values import Fetched, Link
from lycosa_lab.demo_web import demo_web
from research.endurance.noting import write_note
from research.measured import arguments, table

SLOW_S = 2.0
"""Seconds of CPU allowed for one input."""
MAX_BYTES = 200_000
WHOLE = 1_000_000
URL = "http://a.example/b/c?d=e"
TODAY = date(2026, 11, 16)
PROPERTIES = [name for name, value in vars(Document).items() if isinstance(value, cached_property)]

TOKENS: dict[str, str] = {
    "html": "<div|<p>|</p>|<a href='|'>|</a>|<table><tr><td>|<script>|</script>|<!--|-->|<![CDATA[|]]>|<svg>|<base href=|<title>"
    "|<meta http-equiv=refresh content='0;url=|<meta property='og:title' content=\"|&#x0;|&amp|&nbsp|<template shadowroot=open>"
    '|<img srcset="|<iframe|<noscript>|<style>@import "|<script type="application/ld+json">{"@type":|<time datetime=|<h1>|</|<|>|=|"|\''
    "|<frameset>|<select><option>|<math><mi>|<form><input|<link rel=canonical href=|<plaintext>|\x00|\ufeff|\u202e|é|中文|🦉|Rome, Italy|May 2024",
    "url": "http://|https://|//|/|..|.|%|%25|%2e|%34|@|:|:80|#|?|&|=|utm_source=|;jsessionid=|[::1]|127.0.0.1|xn--|é|\\|\t| |index.html"
    "|a.example|2026/11|\u202e|%00|0x7f.1|-|_|~|+|calendar/|date=",
    "robots": "User-agent: |Disallow: |Allow: |Crawl-delay: |Sitemap: |Content-Signal: |*|$|/|\n|\r\n|\r|#|lycosa|\x00|%2F|: |é|1e999|"
    "<html>|Noindex: |ai-train=no|,",
    "xml": "<?xml version='1.0'?>|<urlset>|<url><loc>|</loc></url>|<sitemap>|<rss><channel><item><link>|</link></item>|<feed>|<entry>|"
    "<link href='|'/>|<!DOCTYPE a [<!ENTITY b 'c'>]>|&b;|<![CDATA[|]]>|http://a.example/|<lastmod>|2026-11-16|<|>|&|\x00|é|</",
    "text": "Paris |Rome, Italy |Washington |St. |New |the |of |in |Dr. Anna Smith |Mr. |IBM |United Nations |May |11 |2024-05-02 |12.3.2021 |"
    "Springfield, Illinois |Georgia |Jordan |. |, |\n|(|)|“|-|’s |中文 |東京 |é |🦉 |A.B.C. |San |Santa |Lake |River |County |al-|a |0 ",
    "css": "@import url(|url('|')|;|{|}|/*|*/|\"|\\|@media|data:|//|http://a.example/x.css|\n|\x00|@font-face{src:|,",
    "toml": "[topic]|[fetch]|\n|=|\"|'|keywords|urls|pages|[|]|{|}|,|1|-|true|nan|inf|1e999|'''|\"\"\"|#|.|strategy|fused|best-first|"
    "2026-11-16|\x00|é|[seeds]|threshold|[[",
    "json": '{|}|[|]|"|,|:|"text"|"url"|"urls"|"created_at"|"id"|http://a.example/|1e999|-|null|true|\\u0000|\\ud800|\n|é|"expanded_url"|\t|;',
    "query": '"|AND|OR|NOT|NEAR(|(|)|*|-|+|^|:|owl|eule|中文|é|title:|\x00| |{|}|\'',
    "header": "max-age=|,|;|=|\"|no|yes|ai-train|search|120|1e9|-1|Thu, 01 Jan 1970 00:01:00 GMT|Feb 30| |\x00|é|+99:99",
}  # fmt: skip
"""Pieces of each form of input."""
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@cache
def _pieces(form: str) -> list[str]:
    return [*TOKENS[form].split("|"), "|"]


def made_text(form: str, chance: Random) -> str:
    """Generate a text: pieces in any order, some repeated often or nested."""
    pieces, kind = _pieces(form), chance.randrange(20)
    size = chance.choice((3, 10, 30, 100, 300))
    if kind == 0:  # repeat one piece, or a pair of pieces
        some = "".join(chance.choices(pieces, k=chance.randint(1, 3)))
        return (some * (chance.choice((100, 3_000, 30_000)) // len(some) + 1))[:MAX_BYTES]
    if kind == 1:  # opened, and closed much later
        opened = chance.choice(pieces) * chance.choice((10, 1_000))
        return (opened + "".join(chance.choices(pieces, k=size)) + chance.choice(pieces) * 100)[:MAX_BYTES]
    if kind == 2:  # signs of any kind
        return "".join(
            chr(chance.choice((chance.randrange(128), chance.randrange(0xD800)))) for _ in range(size)
        )
    return "".join(chance.choices(pieces, k=size))


def made_bytes(form: str, chance: Random) -> bytes:
    """The same as bytes, with random errors; or a real page with random changes."""
    if form == "html" and chance.random() < 0.3:
        return mutated(chance.choice(_real_pages()), chance)
    data = made_text(form, chance).encode("utf-8", "replace")
    return mutated(data, chance) if chance.random() < 0.3 else data


def mutated(data: bytes, chance: Random) -> bytes:
    """Lose, double, move or overwrite a piece of a file."""
    one, two = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    kind = chance.randrange(5)
    if kind == 0:
        return data[:one] + data[two:]
    if kind == 1:
        return (data[:two] + data[one:])[:MAX_BYTES]
    if kind == 2:
        return data[:one] + chance.randbytes(20) + data[one:]
    if kind == 3:
        return data[two:] + data[:one]
    return (
        data[:one]
        + bytes(byte ^ (1 << chance.randrange(8)) for byte in data[one : one + 8])
        + data[one + 8 :]
    )


@cache
def _real_pages() -> list[bytes]:
    return [page.body for page in list(demo_web().pages.values())[:400:4]]


@cache
def _small_files(kind: str) -> list[bytes]:
    """Valid files of a kind, to be damaged."""
    if kind == "image":
        gif = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
        return [
            PIXEL,
            gif,
            b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(40),
            b"RIFF\x1a\x00\x00\x00WEBPVP8L" + bytes(20),
            b"BM" + bytes(60),
        ]
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>Owls.\n"
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n"
        b"WARC-Date: 2026-11-16T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:0>\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    record = head + body + b"\r\n\r\n"
    return [record * 2, gzip.compress(record) * 2]


# --- readers ------------------------------------------------------------------------------------


def _document(data: bytes) -> None:
    page = Document(data, URL, "text/html")
    for name in PROPERTIES:
        getattr(page, name)
    markdown_of(page)


def _urls(text: str) -> None:
    for url in (urls.parse(text), urls.join(URL, text), urls.parse("http://a.example/" + text)):
        if url is not None:
            urls.key_of(url)
            urls.tokens(url)
            urls.source_of(urls.authority_of(url))
            trap_refusal(url, URL)
            kinds_of(url)
            date_of_url(url, TODAY)


def _robots(data: bytes) -> None:
    text = text_of(data)
    rules_for_us(text)
    content_signal(text)
    sitemaps_in(text)
    Rules(StoredRobots(text, 200, 0.0), 60.0).refusal(URL)


def _lists(data: bytes) -> None:
    listed_in(data, URL)
    list(urls_in_lines(unpacked(data)))


def _words(text: str) -> None:
    terms_of(text)
    language_of(text)
    date_in(text, TODAY)


def _places(text: str) -> None:
    page = Document(text.encode("utf-8", "replace"), URL, "text/plain")
    _ = page.places, page.link_places


def _names(text: str) -> None:
    find_entities(text)
    find_names(text)


def _encoded(data: bytes) -> None:
    decoded_text(data, "text/html")
    for encoding in ("gzip", "deflate", "br", "zstd"):
        headers = (("content-encoding", encoding),)
        decoded_body(Fetched(Link(URL, 1), 200, headers, data, b"", b"", 0.0, 0.0), 1_000_000)


def _header(text: str) -> None:
    retry_after_s(text, 0.0, 3600.0)
    signals_in(text)


def _query(text: str) -> None:
    query = query_in(text)
    match_of(query)
    snippet_of("The owl of the night and an eule. " * 20, [])


def _spec(text: str) -> None:
    try:
        parse_spec(text, all_settings())
    except tomllib.TOMLDecodeError:
        raise AssertionError("an error of TOML came through") from None


def _from_file(read: Callable[[Path], object]) -> Callable[[bytes], None]:
    folder = TemporaryDirectory()  # lives as long as the reader

    def from_file(data: bytes) -> None:
        path = Path(folder.name) / "input"
        path.write_bytes(data)
        read(path)

    from_file.folder = folder  # type: ignore[attr-defined]
    return from_file


def _warc(path: Path) -> None:
    archive = ArchiveFetcher([path])
    for url in archive.urls()[:10]:
        asyncio.run(archive.fetch(Link(url, 1)))


@dataclass(frozen=True)
class Reader:
    """A reader, the form of its input, and its share of the inputs: slow readers get fewer."""

    read: Callable[..., object]
    make: Callable[[Random], object]
    share: float


def _text(form: str) -> Callable[[Random], str]:
    return lambda chance: made_text(form, chance)


def _bytes(form: str) -> Callable[[Random], bytes]:
    return lambda chance: made_bytes(form, chance)


def _spoiled(kind: str) -> Callable[[Random], bytes]:
    return lambda chance: mutated(chance.choice(_small_files(kind)), chance)


READERS: dict[str, Reader] = {
    "document": Reader(_document, _bytes("html"), 0.06),
    "urls": Reader(_urls, _text("url"), 0.30),
    "robots": Reader(_robots, _bytes("robots"), 0.10),
    "lists": Reader(_lists, _bytes("xml"), 0.08),
    "words": Reader(_words, _text("text"), 0.06),
    "places": Reader(_places, _text("text"), 0.05),
    "names": Reader(_names, _text("text"), 0.05),
    "stylesheet": Reader(lambda text: stylesheet_urls(text, URL), _text("css"), 0.08),
    "encoded": Reader(_encoded, _bytes("html"), 0.02),
    "header": Reader(_header, _text("header"), 0.08),
    "query": Reader(_query, _text("query"), 0.03),
    "spec": Reader(_spec, _text("toml"), 0.02),
    "image size": Reader(size_of, _spoiled("image"), 0.02),
    "image": Reader(read_image, _spoiled("image"), 0.02),
    "posts": Reader(_from_file(lambda path: list(PostFile(path, today=TODAY))), _bytes("json"), 0.01),
    "warc": Reader(_from_file(_warc), _spoiled("warc"), 0.01),
    "model": Reader(_from_file(TextModel.load), _bytes("json"), 0.005),
    "event model": Reader(_from_file(load_event), _bytes("json"), 0.005),
}


@dataclass
class Found:
    """Results of one reader."""

    inputs: int = 0
    cpu_s: float = 0.0
    slowest_s: float = 0.0
    slowest: int = 0
    broken: list[str] = field(default_factory=list)


def fuzz(inputs: int, only: Sequence[str] = (), start: int = 0) -> dict[str, Found]:
    """Distribute inputs over the readers by their shares; named readers get all of them."""
    names = list(only) or list(READERS)
    whole = sum(READERS[name].share for name in names)
    found = {name: Found() for name in names}
    for name in names:
        count = max(1, round(inputs * READERS[name].share / whole))
        _give(name, range(start, start + count), found[name])
    return found


def _give(name: str, numbers: range, found: Found) -> None:
    reader = READERS[name]
    for number in numbers:
        given = reader.make(Random(f"{name} {number}"))
        begun = time.process_time()
        try:
            reader.read(given)
        except LycosaError:
            pass
        except Exception as error:  # any error is a finding
            found.broken.append(f"{name} {number}: {type(error).__name__}: {error}")
        took = time.process_time() - begun
        found.inputs += 1
        found.cpu_s += took
        if took > found.slowest_s:
            found.slowest_s, found.slowest = took, number


def rows(found: dict[str, Found]) -> Iterator[list[str]]:
    """A row for each reader."""
    for name, one in found.items():
        each_ms = 1000 * one.cpu_s / one.inputs
        slowest = f"{one.slowest_s:.2f} (input {one.slowest})"
        yield [name, f"{one.inputs:,}", f"{each_ms:.2f}", slowest, str(len(one.broken))]


def main() -> None:
    """Generate inputs and report failures."""
    parser = arguments(__doc__)
    parser.add_argument("--inputs", type=int, default=WHOLE)
    parser.add_argument("--only", action="append", choices=list(READERS), default=[])
    parser.add_argument("--from", type=int, default=0, dest="start", metavar="NUMBER")
    parser.add_argument("--note", action="store_true", help="write the figures into research/endurance.md")
    asked = parser.parse_args()
    found = fuzz(asked.inputs, asked.only, asked.start)
    figures = table(["reader", "inputs", "CPU ms each", "slowest, CPU s", "broke"], list(rows(found)))
    print(figures)
    for one in found.values():
        for told in one.broken[:20]:
            print(told)
    inputs, cpu_s = sum(one.inputs for one in found.values()), sum(one.cpu_s for one in found.values())
    if asked.note:
        said = f"{inputs:,} inputs, {cpu_s / 60:.1f} minutes of CPU. "
        write_note("fuzz", figures, said=said, whole="" if inputs >= WHOLE else "makes a million")


if __name__ == "__main__":
    main()
