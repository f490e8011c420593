"""Disk cache of the parsed pages of a virtual web.

Keyed by the content of the WARC files and by the code that parses, so it cannot be stale. What takes most of the time,
and is asked for by few strategies, is made and kept apart when the first document is asked for it.
"""

from __future__ import annotations

import fcntl
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

import lycosa
from lycosa.collection.archive.warc import digest_of
from lycosa.engine.processes.analysis import Recipe, page_of
from lycosa.evidence import Evidence, Need
from lycosa.fetch.redirects import redirect_target
from lycosa.files import cache_directory, size_of
from lycosa.methods.registry import methods
from lycosa.page.document import Document
from lycosa.page.links.paths import Outline
from lycosa.urls import key_of
from lycosa.values import Fetched, Image, Link, NotFetched, Page, PagePlace, Reason, Refusal
from lycosa_lab.grids.processes import Done, in_processes
from lycosa_lab.webs.web import VirtualWeb

STORED = (
    "title language words canonical noindex nofollow soft_404 links images terms title_terms link_terms "
    "link_url_terms context_terms whole_context_terms windows simhash "
    "main_terms link_dates lead"
).split()
STORED_LATER = ("date", "places", "names", "link_places")
"""Parts that are slow to compute and that only event evidence uses."""
STORED_OF_TYPED = ("outline",)
"""Parts stored only for webs with page types."""
_types: dict[str, Any] = {
    "outline": Outline,
    "links": tuple[Link, ...],
    "images": tuple[Image, ...],
    "windows": list[tuple[str, str]],
    "places": tuple[PagePlace, ...],
    "link_places": list[tuple[PagePlace, ...]],
}


OF_THE_LAB = ("*.pages", "*.lock", "runs/*", "images/*", "demo-web-*/*", "environment-*/*")
"""Files of the lab in the cache folder. All can be made again."""
MUCH_CACHED = 200_000_000
"""From this many bytes on, `lab run` says how large the cache is."""
AT_ONCE = 100
"""Pages between two progress reports."""
MANY = 1_000
"""Below this size a web is parsed in one process."""


def _unwatched(_done: int, _all: int) -> None:
    """No-op: progress is not shown."""


class Parsed(msgspec.Struct, frozen=True, array_like=True):
    """One archived response: a page as MessagePack of its stored parts, or b'' for anything else."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    digest: bytes
    targets: tuple[int, ...] = ()  # what it links or redirects to, by key
    document: bytes = b""


class CachedWeb:
    """A virtual web as a fetcher and an analyser: same results as the archive, without parsing again.

    `fetch` answers with the body's digest in place of the body: it is all that the loop looks at,
    and `analyse` finds the parsed page by the link. What is not on disk yet is read by as many `processes`; a
    program that asks for more than one must be one that other processes can import.
    """

    def __init__(
        self, web: VirtualWeb, language: str = "english", *, parsing: Done = _unwatched, processes: int = 1
    ) -> None:
        self.web = web
        self.language = language
        self.recipe = Recipe(language=language, folding=web.folding)
        self._records = _Reading(web, language, "", _names(web), processes).records(parsing)
        self._later = _Later(_Reading(web, language, "-later", STORED_LATER), parsing)
        self._documents: dict[int, Document] = {}

    def for_evidence(self, evidence: tuple[Evidence, ...]) -> CachedWeb:
        """The same pages, analysed for another strategy; documents are shared."""
        other = CachedWeb.__new__(CachedWeb)
        other.__dict__.update(self.__dict__)
        terms = any(Need.TERMS in kind.needs for kind in evidence)
        encoder = next((kind.encoder for kind in evidence if kind.encoder), "")
        other.recipe = replace(self.recipe, evidence=evidence, terms=terms, encoder=encoder)
        return other

    async def fetch(self, link: Link) -> Fetched | NotFetched:
        """The archived response."""
        record = self._records.get(link.key)
        if record is None:
            return NotFetched(link, Refusal(Reason.NOT_ARCHIVED))
        return Fetched(link, record.status, record.headers, record.digest, b"", b"", 0.0, 0.0)

    async def analyse(self, fetched: Fetched) -> Page | Refusal:
        """The page of an archived response."""
        document = self.document(fetched.link.key)
        if document is None:
            return Refusal(Reason.NOT_A_PAGE)
        return page_of(document, fetched.link, self.recipe)

    def document(self, key: int) -> Document | None:
        """A page's document; None for what is not a page."""
        if key not in self._documents:
            record = self._records.get(key)
            if record is None or not record.document:
                return None
            self._documents[key] = _CachedDocument(record.url, _unpack(record.document), self._later, key)
        return self._documents[key]

    async def document_at(self, url: str) -> Document | Refusal:
        """The document of an archived URL, as examples are asked for."""
        document = self.document(key_of(url, self.web.folding))
        return Refusal(Reason.NOT_A_PAGE) if document is None else document

    @property
    def start(self) -> list[int]:
        """Keys of the web's start pages."""
        return [key_of(url, self.web.folding) for url in self.web.start]

    @cached_property
    def pages(self) -> frozenset[int]:
        """Keys of all HTML pages."""
        return frozenset(key for key, record in self._records.items() if record.document)

    @cached_property
    def graph(self) -> dict[int, list[int]]:
        """Links between responses of the web; a redirect is a link."""
        known = self._records
        return {key: [to for to in record.targets if to in known] for key, record in known.items()}

    def url(self, key: int) -> str:
        """The URL under which a page was archived."""
        return self._records[key].url


class _LaterPart:
    """A part of a document that is not stored with the others."""

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    def __get__(self, document: _CachedDocument, _: type | None = None) -> Any:
        document.__dict__.update(document.later.parts(document.key))
        return document.__dict__[self.name]


class _CachedDocument(Document):
    """A document of its stored parts, which gets the others when it is asked for one of them."""

    date, places = _LaterPart(), _LaterPart()
    names, link_places = _LaterPart(), _LaterPart()

    def __init__(self, url: str, known: Mapping[str, Any], later: _Later, key: int) -> None:
        super().__init__(b"", url, known=known)
        self.later = later
        self.key = key


class _Later:
    """The parts that are kept apart, of all pages: read or made when the first is asked for."""

    def __init__(self, reading: _Reading, parsing: Done) -> None:
        self._reading = reading
        self._parsing = parsing

    def parts(self, key: int) -> dict[str, Any]:
        """Those of a page."""
        return _unpack(self._records[key].document)

    @cached_property
    def _records(self) -> dict[int, Parsed]:
        return self._reading.records(self._parsing)


@dataclass(frozen=True)
class _Reading:
    """Some parts of all pages of a web, in a file of their own."""

    web: VirtualWeb
    language: str
    suffix: str
    names: tuple[str, ...]
    processes: int = 1

    def records(self, parsing: Done) -> dict[int, Parsed]:
        """Read them from disk; where they are not there, from the archive."""
        # The same pages can be opened with and without page types.
        typed = "-typed" if self.web.page_types else ""
        name = f"{content_digest(self.web)}-{code_digest()}-{self.language}{typed}{self.suffix}"
        path = cache_directory() / f"{name}.pages"
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):  # one process parses, the others wait
            try:
                return _decode(path.read_bytes())
            except (OSError, msgspec.MsgspecError):
                records = self._parsed(parsing)
                draft = path.with_suffix(f".{os.getpid()}")
                draft.write_bytes(msgspec.msgpack.encode(records))
                draft.replace(path)
                return records

    def _parsed(self, parsing: Done) -> dict[int, Parsed]:
        archived = list(self.web.archive.urls())
        parts = [tuple(archived[at : at + AT_ONCE]) for at in range(0, len(archived), AT_ONCE)]

        def told(done: int, _: int) -> None:
            parsing(min(done * AT_ONCE, len(archived)), len(archived))

        if self.processes == 1 or len(archived) < MANY:
            found = in_processes(self._read_here, parts, 1, told)
        else:
            tasks = [_Part(self.web.path, self.language, self.names, urls) for urls in parts]
            found = in_processes(_read_part, tasks, self.processes, told)
        return {key: record for part in found for key, record in _decode(part).items()}

    def _read_here(self, urls: tuple[str, ...]) -> bytes:
        return _read_pages(self.web, self.language, self.names, urls)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class _Part:
    """Some pages of a web, to be read by any process."""

    path: Path
    language: str
    names: tuple[str, ...]
    urls: tuple[str, ...]


_decode = msgspec.msgpack.Decoder(dict[int, Parsed]).decode
_opened = lru_cache(maxsize=1)(VirtualWeb.open)  # in separate worker processes


def _read_part(part: _Part) -> bytes:
    return _read_pages(_opened(part.path), part.language, part.names, part.urls)


def _names(web: VirtualWeb) -> tuple[str, ...]:
    return (*STORED, *(STORED_OF_TYPED if web.page_types else ()), *page_parts())


def _read_pages(web: VirtualWeb, language: str, names: Iterable[str], archived: Iterable[str]) -> bytes:
    recipe, made = Recipe(language=language, folding=web.folding), page_parts()
    records = {}
    for url in archived:
        key = key_of(url, web.folding)
        fetched = web.archive.answer(Link(url, key))
        if isinstance(fetched, NotFetched):
            continue
        stored, targets = b"", _redirect(fetched, web)
        if fetched.status == 200 and "html" in fetched.header("content-type").lower():
            document = recipe.document_of(fetched)
            if isinstance(document, Document):
                parts = {
                    name: document.part(name, made[name]) if name in made else getattr(document, name)
                    for name in names
                }
                stored = msgspec.msgpack.encode(parts)
                targets = tuple(link.key for link in document.links)
        records[key] = Parsed(url, fetched.status, fetched.headers, digest_of(fetched.body), targets, stored)
    return msgspec.msgpack.encode(records)


def _redirect(fetched: Fetched, web: VirtualWeb) -> tuple[int, ...]:
    target = redirect_target(fetched)
    return (key_of(target, web.folding),) if isinstance(target, str) else ()


def _unpack(stored: bytes) -> dict[str, Any]:
    raw = msgspec.msgpack.decode(stored)
    return {
        name: msgspec.convert(value, _types[name]) if name in _types else value for name, value in raw.items()
    }


def content_digest(web: VirtualWeb) -> str:
    """A digest of everything that is archived."""
    files = []
    for path in web.files:
        found = path.stat()
        files.append((path, found.st_size, found.st_mtime_ns))
    return _digest_of("\n".join(sorted(web.folding.index_names)), tuple(files))


@lru_cache(maxsize=16)
def _digest_of(names: str, files: tuple[tuple[Path, int, int], ...]) -> str:
    """Digest of names and file contents, cached by modification time."""
    digest = hashlib.blake2b(names.encode(), digest_size=10)
    for path, _, _ in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


@cache
def code_digest() -> str:
    """A digest of the code that parses pages."""
    root = Path(lycosa.__file__).parent
    files = [
        root / "urls.py",
        root / "fetch" / "decode.py",
        Path(__file__),
        *sorted((root / "page").rglob("*.py")),
        *(path for make in page_parts().values() for path in _code_of(make)),
    ]
    digest = hashlib.blake2b(digest_size=6)
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def page_parts() -> dict[str, Callable[[Document], Any]]:
    """What methods make of a document for their evidence, by name."""
    return {name: part.load() for each in methods() for name, part in each.evidence.page_parts.items()}


def _code_of(make: Callable[[Document], Any]) -> list[Path]:
    """The files that a method's part of a page depends on: the function's own, and the word lists in its folder."""
    path = Path(inspect.getfile(make))
    return [path, *sorted(path.parent.glob("*.toml"))]


@cache
def all_code_digest() -> str:
    """A digest of all our code and data, and of the libraries' versions that decide results."""
    digest = hashlib.blake2b(code_digest().encode(), digest_size=10)
    for package in (Path(lycosa.__file__).parent, Path(__file__).parents[1]):
        for path in sorted(package.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":  # models and word lists decide results too
                digest.update(path.read_bytes())
    import numpy
    import sklearn

    digest.update(f"{sys.version_info[:2]} {numpy.__version__} {sklearn.__version__}".encode())
    return digest.hexdigest()


def cached_files() -> dict[Path, int]:
    """The lab's files in the cache folder, with their sizes."""
    found = (path for pattern in OF_THE_LAB for path in cache_directory().glob(pattern) if path.is_file())
    return {path: size_of(path) for path in found}


def cache_told() -> str:
    """Where the cache is, how large, and how to empty it."""
    size = sum(cached_files().values()) / 1e6
    return (
        f"The lab's cache in {cache_directory()} has {size:,.0f} MB. Empty it with: lycosa lab cache --clear"
    )
