"""The process that reads one office file: its bytes on standard input, a Paper or Unread as MessagePack on standard output.

`python -m lycosa.page.files.office_process` is started by `lycosa.page.files.reading`, and limits itself before it reads. Of the zip only the parts are
unpacked that have text, each up to a bound; XML with a document type, where bombs and foreign entities live, is refused.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError, iterparse

import msgspec

from lycosa.page.files.as_html import Section, TextLink, urls_in
from lycosa.page.files.paper import UNSEEN, Paper, Unread, day_of, limit_process

MEMBERS = 5_000
PARTS = 300
"""Slides or other parts of one file that are read."""
PART_BYTES, ALL_BYTES = 30_000_000, 100_000_000
RATIO = 300
"""A part that unpacks to more than this many times its size is a bomb; texts shrink to a twentieth at best."""
CHARS = 1_000_000
TITLE_CHARS = 300
LINKS = 2_000

_PARTS = re.compile(r"word/document\d*\.xml|xl/sharedStrings\.xml|ppt/slides/slide\d{1,5}\.xml|content\.xml")
_ABOUT = ("docProps/core.xml", "meta.xml")
_PARAGRAPHS = {"p", "h", "si"}
_TEXTS = {"t", "span", "a", "p", "h"}
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_HREF = "{http://www.w3.org/1999/xlink}href"


class _RefusedError(Exception):
    """The file is not read, and why."""


class _Package:
    """A zip file of a stranger: what is read of it is bounded, one part and all together."""

    def __init__(self, body: bytes) -> None:
        self._zip = zipfile.ZipFile(io.BytesIO(body))
        self._parts = {info.filename: info for info in self._zip.infolist()[:MEMBERS]}
        self._room = ALL_BYTES

    def named(self, pattern: re.Pattern[str]) -> list[str]:
        """The parts whose names match, in the order of their numbers."""
        found = [name for name in self._parts if pattern.fullmatch(name)]
        return sorted(found, key=lambda name: (len(name), name))[:PARTS]

    def read(self, name: str) -> bytes:
        """A part; b'' where there is none."""
        info = self._parts.get(name)
        if info is None:
            return b""
        if info.flag_bits & 1:
            raise _RefusedError("an office file that wants a password")
        limit = min(PART_BYTES, self._room, RATIO * max(info.compress_size, 100))
        with self._zip.open(info) as part:
            data = part.read(limit + 1)
        if len(data) > limit:
            raise _RefusedError(f"an office file whose {name} unpacks to more than {limit} bytes")
        self._room -= len(data)
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data or b"\0" in data[:200]:
            raise _RefusedError(f"an office file whose {name} declares a document type")
        return data


def read(body: bytes) -> Paper | Unread:
    """All that we want of a file."""
    try:
        package = _Package(body)
        parts = package.named(_PARTS)
        if not parts:
            return Unread("a zip file that is no office file")
        sections, room = [], CHARS
        for name in parts:
            section = _section(package, name, room)
            sections.append(section)
            room -= sum(map(len, section.paragraphs))
            if room <= 0:
                break
        title, day = _about(package)
    except _RefusedError as refused:
        return Unread(str(refused))
    except (
        zipfile.BadZipFile,
        ParseError,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
    ) as error:
        return Unread(f"a broken office file ({error})"[:200])
    first = next((part for section in sections for part in section.paragraphs), "")
    slides = len(parts) if parts[0].startswith("ppt/") else 0
    return Paper(title or first[:TITLE_CHARS], day, slides, tuple(sections))


def _section(package: _Package, name: str, room: int) -> Section:
    """The paragraphs of a part, and what they link to."""
    folder, _, file = name.rpartition("/")
    targets = dict(_targets(package.read(f"{folder}/_rels/{file}.rels"))) if folder else {}
    paragraphs: list[str] = []
    links: list[TextLink] = []
    for element in _elements(package.read(name)):
        tag = _local(element)
        where = targets.pop(element.get(_ID, ""), "") if tag == "hyperlink" else element.get(_HREF, "")
        if where.startswith(("http://", "https://")) and len(links) < LINKS:
            links.append(TextLink(where[:2000], _words(element)[:500]))
        if tag in _PARAGRAPHS:
            text = _words(element)[:room]
            room -= len(text)
            if text:
                paragraphs.append(text)
                links += urls_in(text)[: LINKS - len(links)]
            element.clear()
        if room <= 0:
            break
    links += [TextLink(target, "") for target in targets.values()][: LINKS - len(links)]
    return Section(tuple(paragraphs), tuple(dict.fromkeys(links)))


def _targets(data: bytes) -> Iterator[tuple[str, str]]:
    """Where the links of a part lead, by their ids."""
    for element in _elements(data) if data else ():
        target = element.get("Target", "")
        if element.get("TargetMode") == "External" and target.startswith(("http://", "https://")):
            yield element.get("Id", ""), target[:2000]


def _about(package: _Package) -> tuple[str, str]:
    """The title that the file gives itself, and the day on which it was made."""
    told: dict[str, str] = {}
    for name in _ABOUT:
        data = package.read(name)
        for element in _elements(data) if data else ():
            told.setdefault(_local(element), (element.text or "").strip())
    days = (day_of(told.get(key, "")) for key in ("created", "creation-date", "modified", "date"))
    return UNSEEN.sub("", told.get("title", ""))[:TITLE_CHARS], next(filter(None, days), "")


def _elements(data: bytes) -> Iterator[Element]:
    # Without a document type, which `_Package.read` has refused, there are no entities to expand or to fetch.
    return (element for _, element in iterparse(io.BytesIO(data), events=("end",)))  # noqa: S314


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _words(element: Element) -> str:
    """The text of an element in one line; tabs and breaks are spaces."""
    pieces = []
    for part in element.iter():
        tag = _local(part)
        if tag in ("tab", "br", "line-break", "s", "cr"):
            pieces.append(" ")
        if part.text and tag in _TEXTS:
            pieces.append(part.text)
        if part.tail and part is not element:
            pieces.append(part.tail)
    return " ".join(UNSEEN.sub("", "".join(pieces)).split())


if __name__ == "__main__":
    limit_process()
    sys.stdout.buffer.write(msgspec.msgpack.encode(read(sys.stdin.buffer.read())))
