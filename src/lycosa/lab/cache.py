"""Parsed pages of a virtual web, kept on disk: an experiment parses each page once, ever.

Keyed by the content of the WARC files and by the code that parses, so it cannot be stale.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

import lycosa
from lycosa.engine.analysis import Recipe, page_of
from lycosa.evidence import Evidence, Need
from lycosa.fetch.redirects import redirect_target
from lycosa.lab.web import VirtualWeb
from lycosa.methods.registry import methods
from lycosa.methods.seam import loaded
from lycosa.page.document import Document
from lycosa.page.paths import Outline
from lycosa.store.warc import digest_of
from lycosa.urls import key_of
from lycosa.values import Fetched, Image, Link, NotFetched, Page, PagePlace, Reason, Refusal

STORED = (
    "title language words canonical noindex nofollow soft_404 links images terms title_terms link_terms "
    "link_url_terms context_terms whole_context_terms windows simhash "
    "main_terms date places names link_places link_dates"
).split()
STORED_OF_TYPED = ("outline",)
"""Only of webs with page types: large, and of no use to others."""
_types: dict[str, Any] = {
    "outline": Outline,
    "links": tuple[Link, ...],
    "images": tuple[Image, ...],
    "windows": list[tuple[str, str]],
    "places": tuple[PagePlace, ...],
    "link_places": list[tuple[PagePlace, ...]],
}


Done = Callable[[int, int], None]
"""Told again and again: how many are done, and how many there are."""


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
    and `analyse` finds the parsed page by the link.
    """

    def __init__(
        self, web: VirtualWeb, language: str = "english", *, parsing: Done = lambda _done, _all: None
    ) -> None:
        self.web = web
        self.language = language
        self.recipe = Recipe(language=language, folding=web.folding)
        self._records = _load(web, language, parsing)
        self._documents: dict[int, Document] = {}

    def for_evidence(self, evidence: tuple[Evidence, ...]) -> CachedWeb:
        """The same pages, analysed for another strategy; documents are shared."""
        other = CachedWeb.__new__(CachedWeb)
        other.__dict__.update(self.__dict__)
        terms = any(Need.TERMS in kind.needs for kind in evidence)
        other.recipe = replace(self.recipe, evidence=evidence, terms=terms)
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
            self._documents[key] = Document(b"", record.url, known=_unpack(record.document))
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


def _load(web: VirtualWeb, language: str, parsing: Done) -> dict[int, Parsed]:
    typed = "-typed" if web.page_types else ""  # the same pages may be opened with page types and without
    path = cache_directory() / f"{content_digest(web)}-{code_digest()}-{language}{typed}.pages"
    decoder = msgspec.msgpack.Decoder(dict[int, Parsed])
    try:
        return decoder.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        records = asyncio.run(_parse(web, language, parsing))
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_bytes(msgspec.msgpack.encode(records))
        draft.replace(path)
        return records


async def _parse(web: VirtualWeb, language: str, parsing: Done) -> dict[int, Parsed]:
    recipe = Recipe(language=language, folding=web.folding)
    names = (*STORED, *STORED_OF_TYPED) if web.page_types else STORED
    made = page_parts()
    records = {}
    archived = list(web.archive.urls())
    for number, url in enumerate(archived):
        parsing(number, len(archived))
        key = key_of(url, web.folding)
        fetched = await web.archive.fetch(Link(url, key))
        if isinstance(fetched, NotFetched):
            continue
        stored, targets = b"", _redirect(fetched, web)
        if fetched.status == 200 and "html" in fetched.header("content-type").lower():
            document = recipe.document_of(fetched)
            if isinstance(document, Document):
                parts = {name: getattr(document, name) for name in names}
                parts |= {name: document.part(name, make) for name, make in made.items()}
                stored = msgspec.msgpack.encode(parts)
                targets = tuple(link.key for link in document.links)
        records[key] = Parsed(url, fetched.status, fetched.headers, digest_of(fetched.body), targets, stored)
    return records


def _redirect(fetched: Fetched, web: VirtualWeb) -> tuple[int, ...]:
    target = redirect_target(fetched)
    return (key_of(target, web.folding),) if isinstance(target, str) else ()


def _unpack(stored: bytes) -> dict[str, Any]:
    raw = msgspec.msgpack.decode(stored)
    return {
        name: msgspec.convert(value, _types[name]) if name in _types else value for name, value in raw.items()
    }


def cache_directory() -> Path:
    """Where parsed webs are kept: LYCOSA_CACHE, or the user's cache folder."""
    if named := os.environ.get("LYCOSA_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lycosa"


def content_digest(web: VirtualWeb) -> str:
    """A digest of everything that is archived."""
    digest = hashlib.blake2b(digest_size=10)
    digest.update("\n".join(sorted(web.folding.index_names)).encode())
    for path in sorted([*web.path.glob("*.warc.gz"), *web.path.glob("*.warc")]):
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
    return {name: loaded(where) for method in methods() for name, where in method.page_parts.items()}


def _code_of(make: Callable[[Document], Any]) -> list[Path]:
    """The files that a method's part of a page depends on: the function's own, and the word lists beside it."""
    path = Path(inspect.getfile(make))
    return [path, *sorted(path.parent.glob("*.toml"))]


@cache
def all_code_digest() -> str:
    """A digest of all our code, and of the libraries' versions that decide results."""
    digest = hashlib.blake2b(code_digest().encode(), digest_size=10)
    for path in sorted(Path(lycosa.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    import numpy
    import sklearn

    digest.update(f"{sys.version_info[:2]} {numpy.__version__} {sklearn.__version__}".encode())
    return digest.hexdigest()
